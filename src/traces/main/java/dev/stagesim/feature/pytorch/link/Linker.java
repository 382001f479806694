package dev.stagesim.feature.pytorch.link;

import dev.stagesim.feature.pytorch.trace.HostOp;
import dev.stagesim.feature.pytorch.trace.HostTrace;
import dev.stagesim.feature.pytorch.trace.OpFacts;
import dev.stagesim.feature.pytorch.trace.PlusNode;
import dev.stagesim.feature.pytorch.trace.PlusTrace;
import dev.stagesim.feature.pytorch.trace.Schemas;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.sim.core.LongIndex;
import dev.stagesim.sim.core.StableOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeMap;

/**
 * Links the host trace of a process with the profiler trace of its device.
 *
 * <p>Host operators and profiler events share an id; a device operator belongs to the host operator that launched it.
 * Nodes are numbered from 0 in the order of the host's ids, with device operators after their launcher in the order of
 * their starts. Time and memory are proportional to the number of events times the nesting depth.
 */
public final class Linker {
    private static final long ROOT = 1;

    private final HostTrace host;
    private final DeviceTrace device;
    private final LinkRules rules;
    private final List<String> remarks = new ArrayList<>();
    private final int[] hostOrder;
    /** Event of each host operator, by position in {@link #hostOrder}, or -1. */
    private final int[] eventOf;
    /** Last host operator of each event, as a position in {@link #hostOrder}, or -1. */
    private final int[] hostOf;

    private Linker(HostTrace host, DeviceTrace device, LinkRules rules) {
        this.host = host;
        this.device = device;
        this.rules = rules;
        hostOrder = StableOrder.of(
                host.ops().size(),
                (a, b) -> Long.compare(host.ops().get(a).id(), host.ops().get(b).id()));
        eventOf = new int[hostOrder.length];
        hostOf = new int[device.size()];
        Arrays.fill(eventOf, -1);
        Arrays.fill(hostOf, -1);
    }

    /**
     * Links two traces of one process.
     *
     * @throws StageException of kind input if they cannot be linked
     */
    public static LinkResult link(HostTrace host, DeviceTrace device, LinkRules rules) {
        return new Linker(host, device, rules).run();
    }

    private LinkResult run() {
        if (rules.isReference()) {
            Schemas.checkLinked(host);
        }
        distinct();
        double[] exclusive = ExclusiveTimes.of(device, rules.isReference());
        long[] awaited = ThreadOrder.of(device, rules.pauseMicros());
        LongIndex byRecord = lastByRecord();
        boolean[] isReached = rules.isReference() ? reachable() : all();
        long[] interThread = match(isReached, byRecord, awaited);
        Launches launches = rules.isReference() ? Launches.likeReference(device) : Launches.of(device);
        Assembly assembly = new Assembly(host, hostOrder, device, eventOf, exclusive, interThread);
        if (rules.isReference()) {
            ReferenceLinks links = new ReferenceLinks(device, launches, eventOf, hostOf, oldIds());
            links.group();
            links.sync(rules.table().orElseGet(this::noSynchronisations));
            return result(assembly.build(links), links.orphans(), 0);
        }
        OwnLinks links = new OwnLinks(device, launches, hostOf, exclusive);
        links.assign(hostOrder.length);
        links.sync(rules.table());
        return result(assembly.build(links), 0, links.adopted());
    }

    private LinkResult result(List<PlusNode> nodes, int orphans, int adopted) {
        int deviceOps = device.select(event -> isLinkable(device.kind(event))).length;
        int linked = (int) nodes.stream().filter(PlusNode::isDevice).count();
        if (orphans > 0) {
            remarks.add(orphans + " device operators have no launch in the trace and are left out");
        }
        if (adopted > 0) {
            remarks.add(adopted + " device operators have no launch in the trace, or one by an operator that the host's"
                    + " trace lacks; each goes to the nearest operator before it");
        }
        return new LinkResult(new PlusTrace(host.source(), host.header(), nodes), deviceOps, linked, remarks);
    }

    private boolean isLinkable(EventKind kind) {
        return rules.isReference() ? kind == EventKind.KERNEL || kind == EventKind.MEMCPY : kind.isDevice();
    }

    private void distinct() {
        for (int i = 1; i < hostOrder.length; i++) {
            long id = op(i).id();
            if (id == op(i - 1).id()) {
                throw StageException.input(Problem.trace(host.source(), "two nodes have the id " + id));
            }
        }
        if (hostOrder.length == 0) {
            throw StageException.input(Problem.trace(host.source(), "the trace has no nodes"));
        }
    }

    private long[] oldIds() {
        long[] ids = new long[hostOrder.length];
        for (int i = 0; i < ids.length; i++) {
            ids[i] = op(i).id();
        }
        return ids;
    }

    private HostOp op(int position) {
        return host.ops().get(hostOrder[position]);
    }

    private LongIndex lastByRecord() {
        LongIndex index = new LongIndex(device.size() / 2);
        for (int event : device.select(device::isHostOp)) {
            if (device.record(event) != DeviceTrace.NONE) {
                index.put(device.record(event), event);
            }
        }
        return index;
    }

    private boolean[] all() {
        boolean[] isReached = new boolean[hostOrder.length];
        Arrays.fill(isReached, true);
        return isReached;
    }

    /** Marks the operators that node 1 called, directly or indirectly; the reference ignores all others. */
    private boolean[] reachable() {
        LongIndex positions = new LongIndex(hostOrder.length);
        for (int i = 0; i < hostOrder.length; i++) {
            positions.put(op(i).id(), i);
        }
        int root = positions.get(ROOT);
        if (root < 0) {
            throw StageException.input(Problem.trace(host.source(), "there is no node 1, the root"));
        }
        byte[] state = new byte[hostOrder.length];
        state[root] = YES;
        int[] path = new int[hostOrder.length];
        for (int i = 0; i < hostOrder.length; i++) {
            int depth = 0;
            int at = i;
            while (at >= 0 && state[at] == OPEN) {
                state[at] = NO;
                path[depth++] = at;
                at = positions.get(op(at).parent());
            }
            if (at >= 0 && state[at] == YES) {
                while (depth > 0) {
                    state[path[--depth]] = YES;
                }
            }
        }
        boolean[] isReached = new boolean[state.length];
        for (int i = 0; i < state.length; i++) {
            isReached[i] = state[i] == YES;
        }
        return isReached;
    }

    private static final byte OPEN = 0;
    private static final byte NO = 1;
    private static final byte YES = 2;

    /** Matches operators with events; returns the original id of the operator that each one waits for. */
    private long[] match(boolean[] isReached, LongIndex byRecord, long[] awaited) {
        long[] interThread = new long[hostOrder.length];
        Arrays.fill(interThread, OpFacts.NONE);
        for (int i = 0; i < hostOrder.length; i++) {
            long record = op(i).facts().rfId();
            int event = isReached[i] && record != OpFacts.NONE ? byRecord.get(record) : -1;
            if (event >= 0) {
                eventOf[i] = event;
                hostOf[event] = i;
                if (rules.isReference()) {
                    // Operators with greater ids are not matched yet.
                    interThread[i] = awaitedOp(byRecord, awaited[event]);
                }
            }
        }
        for (int i = 0; i < hostOrder.length && !rules.isReference(); i++) {
            if (eventOf[i] >= 0) {
                interThread[i] = awaitedOp(byRecord, awaited[eventOf[i]]);
            }
        }
        return interThread;
    }

    private long awaitedOp(LongIndex byRecord, long record) {
        if (record == DeviceTrace.NONE || record == 0) {
            return OpFacts.NONE;
        }
        int event = byRecord.get(record);
        return event < 0 || hostOf[event] < 0 ? OpFacts.NONE : op(hostOf[event]).id();
    }

    /** Fails like the reference: it derives synchronisations from a critical-path analysis that can fail. */
    private SyncTable noSynchronisations() {
        String problem = "";
        if (!device.hasSteps()) {
            problem = "no step of the profiler is marked (ProfilerStep), without which the reference fails";
        } else if (device.select(event -> device.kind(event) == EventKind.RUNTIME).length == 0) {
            problem = "there is no call of the CUDA runtime (cuda_runtime), without which the reference fails";
        } else if (device.select(event -> device.sync(event) != null).length > 0) {
            problem = "the reference's choice of synchronisations on the critical path is not reproduced";
        }
        if (!problem.isEmpty()) {
            throw StageException.input(Problem.trace(device.source(), problem)
                    .hint("without compat=chakra the trace is linked; workload.sync_table names synchronisations"));
        }
        return new SyncTable(new TreeMap<>());
    }

    /**
     * Exclusive time of every host operator: its duration minus the operators it called.
     *
     * <p>Per thread, the union of the operators that are completely inside an operator is subtracted from its duration,
     * in the order of their starts. Time is proportional to the number of operators times their nesting depth.
     */
    private static final class ExclusiveTimes {
        private ExclusiveTimes() {}

        /**
         * Returns exclusive times by position in the trace; for events outside the host, the duration.
         *
         * @param isStrict true if a negative time, caused by overlapping events or rounding, is an error instead of 0
         */
        static double[] of(DeviceTrace trace, boolean isStrict) {
            double[] exclusive = new double[trace.size()];
            for (int i = 0; i < exclusive.length; i++) {
                exclusive[i] = trace.duration(i);
            }
            for (int[] ops : trace.hostOpsByThread()) {
                StableOrder.sort(ops, (a, b) -> {
                    int byStart = Double.compare(trace.start(a), trace.start(b));
                    return byStart != 0 ? byStart : Double.compare(trace.duration(a), trace.duration(b));
                });
                for (int i = 0; i < ops.length; i++) {
                    double own = own(trace, ops, i);
                    if (own < 0 && isStrict) {
                        throw negative(trace, ops[i]);
                    }
                    exclusive[ops[i]] = Math.max(0, own);
                }
            }
            return exclusive;
        }

        private static double own(DeviceTrace trace, int[] ops, int at) {
            double end = trace.end(ops[at]);
            double left = trace.duration(ops[at]);
            double from = 0;
            double to = 0;
            boolean isOpen = false;
            for (int i = at + 1; i < ops.length; i++) {
                double childStart = trace.start(ops[i]);
                double childEnd = trace.end(ops[i]);
                if (childEnd <= end) {
                    if (isOpen && childStart <= to) {
                        to = Math.max(to, childEnd);
                    } else {
                        left -= isOpen ? to - from : 0;
                        from = childStart;
                        to = childEnd;
                        isOpen = true;
                    }
                }
                if (end < childStart) {
                    break;
                }
            }
            return isOpen ? left - (to - from) : left;
        }

        private static StageException negative(DeviceTrace trace, int event) {
            return StageException.input(Problem.trace(
                    trace.source(),
                    "operator '" + trace.name(event) + "' at " + trace.start(event)
                            + " us takes less time than the operators within it"));
        }
    }
}
