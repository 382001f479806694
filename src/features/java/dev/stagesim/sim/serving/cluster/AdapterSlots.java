package dev.stagesim.sim.serving.cluster;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** Adapters that an instance holds, least recently used first, with the requests that pin them. */
final class AdapterSlots {
    private final int slots;
    private final Map<String, Integer> pins = new LinkedHashMap<>();
    private final Map<String, Integer> loads = new TreeMap<>();
    private final Map<String, Integer> evictions = new TreeMap<>();

    AdapterSlots(int slots) {
        this.slots = slots;
    }

    boolean isResident(String adapter) {
        return pins.containsKey(adapter);
    }

    Set<String> resident() {
        return new TreeSet<>(pins.keySet());
    }

    /** Makes room for one adapter, evicting if need be; false while all are pinned. */
    boolean makeRoom() {
        if (pins.size() < slots) {
            return true;
        }
        Optional<String> evicted = evict();
        evicted.ifPresent(adapter -> evictions.merge(adapter, 1, Integer::sum));
        return evicted.isPresent();
    }

    private Optional<String> evict() {
        for (Iterator<Map.Entry<String, Integer>> all = pins.entrySet().iterator(); all.hasNext(); ) {
            Map.Entry<String, Integer> entry = all.next();
            if (entry.getValue() == 0) {
                String adapter = entry.getKey();
                all.remove();
                return Optional.of(adapter);
            }
        }
        return Optional.empty();
    }

    void loaded(String adapter) {
        pins.put(adapter, 0);
        loads.merge(adapter, 1, Integer::sum);
    }

    /** Makes an adapter the most recently used, and pins it {@code more} times more. */
    void use(String adapter, int more) {
        Integer before = pins.remove(adapter);
        if (before != null) {
            pins.put(adapter, before + more);
        }
    }

    void unpin(String adapter) {
        pins.computeIfPresent(adapter, (name, count) -> Math.max(0, count - 1));
    }

    Map<String, Integer> loads() {
        return loads;
    }

    Map<String, Integer> evictions() {
        return evictions;
    }
}
