package dev.stagesim.feature.pytorch.link;

import dev.stagesim.feature.pytorch.trace.CommFacts;
import dev.stagesim.feature.pytorch.trace.PlusNode;
import dev.stagesim.sim.core.LongIndex;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Links like the reference: device operators by the external id of their launcher, synchronisations from a table.
 * Reproduces the reference's data loss.
 */
final class ReferenceLinks implements LinkStrategy {
    private static final int[] NONE = {};

    private final DeviceTrace device;
    private final Launches launches;
    private final int[] eventOf;
    private final int[] hostOf;
    private final List<int[]> groups = new ArrayList<>();
    private final LongIndex groupOf;
    private int orphans;

    /** Waiting events, by the event that they wait for. */
    private final Map<Integer, List<Integer>> waiting = new LinkedHashMap<>();
    /** Device nodes that must complete before a node, by the node's id after one mapping from original to new ids. */
    private final Map<Long, List<Long>> awaited = new LinkedHashMap<>();

    private LongIndex resolved = new LongIndex(0);
    private int resolvedAt = -1;
    private List<Long> keys = List.of();
    private final long[] oldIds;

    /**
     * @param eventOf event of each host operator, or -1
     * @param hostOf host operator of each event, or -1
     * @param oldIds original id of each host operator
     */
    ReferenceLinks(DeviceTrace device, Launches launches, int[] eventOf, int[] hostOf, long[] oldIds) {
        this.device = device;
        this.launches = launches;
        this.eventOf = eventOf;
        this.hostOf = hostOf;
        this.oldIds = oldIds;
        groupOf = new LongIndex(device.size() / 4);
    }

    /** Groups the device operators of launchers with equal external ids. */
    void group() {
        List<List<Integer>> members = new ArrayList<>();
        int[] ops = device.select(
                event -> device.kind(event) == EventKind.KERNEL || device.kind(event) == EventKind.MEMCPY);
        for (int op : ops) {
            int parent = launches.parent(op);
            if (parent == Launches.NONE) {
                orphans++;
                continue;
            }
            long external = device.external(parent);
            int at = groupOf.get(external);
            if (at < 0) {
                at = members.size();
                groupOf.put(external, at);
                members.add(new ArrayList<>());
            }
            members.get(at).add(op);
        }
        members.forEach(
                list -> groups.add(list.stream().mapToInt(Integer::intValue).toArray()));
    }

    /** Number of device operators without a launch. */
    int orphans() {
        return orphans;
    }

    /** For each awaited id, makes the next host operator after the wait depend on the last event with this id. */
    void sync(SyncTable table) {
        if (table.starts().isEmpty()) {
            return;
        }
        LongIndex lastByExternal = device.lastByExternal();
        int[] hostOps = device.select(device::isHostOp);
        for (int event = 0; event < device.size(); event++) {
            for (long external : table.before(device.external(event))) {
                int start = lastByExternal.get(external);
                int next = EventSearch.after(device, hostOps, device.start(event));
                if (start >= 0
                        && next < hostOps.length
                        && !waiting.getOrDefault(hostOps[next], List.of()).contains(start)) {
                    waiting.computeIfAbsent(start, none -> new ArrayList<>()).add(hostOps[next]);
                }
            }
        }
    }

    @Override
    public int[] launchedBy(int hostPosition) {
        int event = eventOf[hostPosition];
        int at = event < 0 ? -1 : groupOf.get(device.external(event));
        return at < 0 ? NONE : groups.get(at);
    }

    @Override
    public String group(int event) {
        CommFacts facts = device.comm(event);
        return facts != null && device.name(event).contains("ncclDevKernel")
                ? facts.groupName().orElse("")
                : "";
    }

    @Override
    public void hostPlaced(int hostPosition, long id) {
        // Synchronisations use original ids.
    }

    @Override
    public void devicePlaced(int event, long id, Ids ids) {
        List<Long> seen = new ArrayList<>();
        for (int target : waiting.getOrDefault(event, List.of())) {
            if (hostOf[target] >= 0) {
                // Still the original id if the host operator has no node yet.
                long key = ids.known(oldIds[hostOf[target]]);
                if (!seen.contains(key)) {
                    seen.add(key);
                    awaited.computeIfAbsent(key, none -> new ArrayList<>()).add(id);
                }
            }
        }
    }

    @Override
    public long[] after(long id, Ids ids) {
        if (awaited.isEmpty()) {
            return PlusNode.NOTHING;
        }
        if (resolvedAt != ids.count()) {
            keys = List.copyOf(awaited.keySet());
            resolved = new LongIndex(keys.size());
            for (int i = 0; i < keys.size(); i++) {
                // The reference maps the ids a second time, which is correct only for original ids.
                resolved.put(ids.known(keys.get(i)), i);
            }
            resolvedAt = ids.count();
        }
        int at = resolved.get(id);
        if (at < 0) {
            return PlusNode.NOTHING;
        }
        List<Long> nodes = awaited.getOrDefault(keys.get(at), List.of());
        return nodes.stream().mapToLong(Long::longValue).toArray();
    }
}
