package dev.stagesim.feature.pytorch.link;

import dev.stagesim.feature.pytorch.trace.CommFacts;
import dev.stagesim.feature.pytorch.trace.PlusNode;
import dev.stagesim.sim.core.StableOrder;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * Links that keep every device operator and every synchronisation of the trace.
 *
 * <p>If the host trace lacks the launcher of a device operator, the nearest operator before the launch takes its place.
 */
final class OwnLinks implements LinkStrategy {
    private static final int[] NONE = {};

    private final DeviceTrace device;
    private final Launches launches;
    private final int[] hostOf;
    private final double[] exclusive;
    /** Device operators by launching host operator, each group sorted by start. */
    private int[] launched = NONE;

    private int[] groupStart = NONE;
    private int adopted;
    private final long[] nodeOf;
    private long[] hostNode = {};
    private Waits waits = Waits.NONE;

    /**
     * @param hostOf host operator of each event, or -1
     * @param exclusive exclusive times of events; waiting for the device is subtracted from them
     */
    OwnLinks(DeviceTrace device, Launches launches, int[] hostOf, double[] exclusive) {
        this.device = device;
        this.launches = launches;
        this.hostOf = hostOf;
        this.exclusive = exclusive;
        nodeOf = new long[device.size()];
        Arrays.fill(nodeOf, -1);
    }

    /** Assigns every device operator to a host operator. */
    void assign(int hostOps) {
        hostNode = new long[hostOps];
        int[] ops = device.select(event -> device.kind(event).isDevice());
        int[] hosts = new int[device.size()];
        Paired paired = new Paired(device, hostOf);
        for (int op : ops) {
            hosts[op] = host(op, paired);
        }
        StableOrder.sort(ops, (a, b) -> Integer.compare(hosts[a], hosts[b]));
        launched = ops;
        groupStart = new int[hostOps + 1];
        for (int op : ops) {
            groupStart[hosts[op] + 1]++;
        }
        for (int i = 0; i < hostOps; i++) {
            groupStart[i + 1] += groupStart[i];
        }
    }

    private int host(int op, Paired paired) {
        int parent = launches.parent(op);
        if (parent != Launches.NONE && hostOf[parent] >= 0) {
            return hostOf[parent];
        }
        adopted++;
        int call = launches.call(op);
        int near = call == Launches.NONE ? -1 : paired.before(device.thread(call), device.start(call));
        if (near < 0) {
            near = paired.before(device.start(call == Launches.NONE ? op : call));
        }
        return near < 0 ? 0 : hostOf[near];
    }

    /** Number of device operators assigned to an operator other than their launcher. */
    int adopted() {
        return adopted;
    }

    /** Finds waits in the trace, or takes them from a table. */
    void sync(Optional<SyncTable> table) {
        Waits.Finder finder = new Waits.Finder(device, launches, new Paired(device, hostOf), exclusive);
        waits = table.map(finder::fromTable).orElseGet(finder::fromTrace);
    }

    @Override
    public int[] launchedBy(int hostPosition) {
        return groupStart[hostPosition] == groupStart[hostPosition + 1]
                ? NONE
                : Arrays.copyOfRange(launched, groupStart[hostPosition], groupStart[hostPosition + 1]);
    }

    @Override
    public String group(int event) {
        CommFacts facts = device.comm(event);
        return facts != null ? facts.groupName().orElse("") : "";
    }

    @Override
    public void hostPlaced(int hostPosition, long id) {
        hostNode[hostPosition] = id;
    }

    @Override
    public void devicePlaced(int event, long id, Ids ids) {
        nodeOf[event] = id;
    }

    @Override
    public long[] after(long id, Ids ids) {
        if (waits.isUnplaced()) {
            waits.place(event -> nodeOf[event] >= 0 ? nodeOf[event] : hostOf[event] < 0 ? -1 : hostNode[hostOf[event]]);
        }
        List<Long> nodes = waits.before(id);
        return nodes.isEmpty()
                ? PlusNode.NOTHING
                : nodes.stream().mapToLong(Long::longValue).toArray();
    }
}
