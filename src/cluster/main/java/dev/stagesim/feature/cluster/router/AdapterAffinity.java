package dev.stagesim.feature.cluster.router;

import dev.stagesim.feature.cluster.cache.Prompts;
import dev.stagesim.feature.cluster.router.view.AvailableInstances;
import dev.stagesim.feature.cluster.router.view.Loads;
import dev.stagesim.feature.cluster.router.view.RoutingGroup;
import dev.stagesim.model.Key;
import dev.stagesim.model.Variant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/**
 * Prefers an instance that has the LoRA adapter of the request, unless its load is too high.
 *
 * <p>The router assumes that an instance has the adapters that it was sent last, up to its number of slots. The
 * instances of each adapter are sorted by load, so a choice takes constant time and a change of load takes O(slots)
 * updates.
 */
public final class AdapterAffinity implements Router {
    @Variant("adapter | The least loaded instance with the LoRA adapter of the request, if its load exceeds"
            + " the lowest load of all instances by at most spread; otherwise the least loaded instance. Ties"
            + " go to the first instance. An instance has the adapters that it was sent last, up to its"
            + " number of slots.")
    public record Settings(
            @Key("Maximum excess load of an instance with the adapter. | 8 | requests | 0..1000000000") int spread)
            implements RouterSettings {
        @Override
        public Router over(RoutingGroup group) {
            return new AdapterAffinity(group, spread);
        }
    }

    private final Prompts prompts;
    private final int[] slots;
    private final int spread;
    private final AvailableInstances members;
    private final Loads loads;

    /** Adapters of each instance, least recently used first. */
    private final List<LinkedHashMap<Integer, Boolean>> adapters = new ArrayList<>();

    private final Map<Integer, TreeSet<Integer>> holders = new LinkedHashMap<>();

    private AdapterAffinity(RoutingGroup group, int spread) {
        prompts = group.prompts();
        slots = group.adapterSlots();
        this.spread = spread;
        members = group.members();
        loads = new Loads(group);
        for (int i = 0; i < group.size(); i++) {
            adapters.add(new LinkedHashMap<>(16, 0.75f, true));
        }
    }

    @Override
    public int choose(int request, boolean hasPrompt) {
        for (int instance : holders(prompts.trace().adapter(request))) {
            if (members.isOpen(instance)) {
                return loads.get(instance) <= loads.minimum() + spread ? instance : loads.leastLoaded();
            }
        }
        return loads.leastLoaded();
    }

    private TreeSet<Integer> holders(int adapter) {
        return holders.computeIfAbsent(
                adapter,
                none -> new TreeSet<>(
                        Comparator.<Integer>comparingDouble(loads::get).thenComparingInt(instance -> instance)));
    }

    private void add(int instance, int more) {
        adapters.get(instance).keySet().forEach(adapter -> holders(adapter).remove(instance));
        loads.add(instance, more);
        adapters.get(instance).keySet().forEach(adapter -> holders(adapter).add(instance));
    }

    @Override
    public void sent(int request, int instance, boolean hasPrompt) {
        int adapter = prompts.trace().adapter(request);
        LinkedHashMap<Integer, Boolean> instanceAdapters = adapters.get(instance);
        if (adapter > 0 && slots[instance] > 0) {
            instanceAdapters.put(adapter, true);
            if (instanceAdapters.size() > slots[instance]) {
                int last = instanceAdapters.keySet().iterator().next();
                instanceAdapters.remove(last);
                holders(last).remove(instance);
            }
        }
        add(instance, 1);
    }

    @Override
    public void done(int request, int instance, boolean hasOutput) {
        add(instance, -1);
    }

    @Override
    public void opened(int instance) {
        adapters.get(instance).keySet().forEach(adapter -> holders(adapter).remove(instance));
        adapters.get(instance).clear();
        loads.changed(instance);
    }

    @Override
    public void closed(int instance) {
        loads.changed(instance);
    }
}
