package dev.stagesim.feature.pytorch.link;

import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.sim.core.LongIndex;
import dev.stagesim.sim.core.StableOrder;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * Finds the host operator that launched each device operator.
 *
 * <p>The runtime call with the device operator's correlation id determines thread and time of the launch. The launcher
 * is the latest operator on that thread that started before the call and has the device operator's external id; without
 * such an operator, the latest one on that thread.
 */
final class Launches {
    /** No event. */
    static final int NONE = -1;

    /** Launch calls that the reference recognises. */
    private static final Set<String> KNOWN = Set.of(
            "cuLaunchKernel",
            "cuLaunchKernelEx",
            "cudaLaunchKernel",
            "cudaLaunchKernelExC",
            "cudaMemcpy",
            "cudaMemcpyAsync",
            "cudaMemcpyFromSymbol",
            "cudaMemcpyToSymbol",
            "cudaLaunchCooperativeKernel",
            "hipLaunchKernel",
            "hipExtLaunchKernel",
            "hipExtModuleLaunchKernel",
            "hipModuleLaunchKernel",
            "hipMemcpyWithStream",
            "hipMemcpyAsync");

    private final DeviceTrace trace;
    private final LongIndex calls;
    private final List<int[]> threads;
    private final int[] byIdentity;
    private final LongIndex groups;
    private final LongIndex groupEnds;

    private Launches(DeviceTrace trace, boolean isReference) {
        this.trace = trace;
        calls = new LongIndex(trace.size() / 4);
        if (isReference) {
            knownCalls();
        } else {
            firstCalls();
        }
        threads = trace.hostOpsByThread();
        byIdentity = trace.select(trace::isHostOp);
        StableOrder.sort(byIdentity, (a, b) -> Long.compare(group(a), group(b)));
        groups = new LongIndex(byIdentity.length);
        for (int i = byIdentity.length - 1; i >= 0; i--) {
            groups.put(group(byIdentity[i]), i);
        }
        groupEnds = new LongIndex(byIdentity.length);
        for (int i = 0; i < byIdentity.length; i++) {
            groupEnds.put(group(byIdentity[i]), i + 1);
        }
    }

    /** Finds launches like the reference: recognised calls only, and at most one per correlation id. */
    static Launches likeReference(DeviceTrace trace) {
        return new Launches(trace, true);
    }

    /** Finds launches among all calls; the first call with a correlation id counts. */
    static Launches of(DeviceTrace trace) {
        return new Launches(trace, false);
    }

    private long group(int event) {
        return group(trace.external(event), trace.thread(event));
    }

    private long group(long external, int thread) {
        return external * trace.threadCount() + thread;
    }

    private void knownCalls() {
        for (int i = 0; i < trace.size(); i++) {
            if (trace.kind(i).isCall() && KNOWN.contains(trace.name(i)) && calls.put(trace.correlation(i), i) >= 0) {
                throw StageException.input(
                        Problem.trace(trace.source(), "two launches have the correlation " + trace.correlation(i))
                                .hint("without compat=chakra the first one is used"));
            }
        }
    }

    private void firstCalls() {
        for (int i = 0; i < trace.size(); i++) {
            if (trace.kind(i).isCall() && trace.correlation(i) >= 0 && !calls.contains(trace.correlation(i))) {
                calls.put(trace.correlation(i), i);
            }
        }
    }

    /** Returns the call that launched a device operator, or {@link #NONE}. */
    int call(int deviceOp) {
        return calls.get(trace.correlation(deviceOp));
    }

    /** Returns the call with a correlation id, or {@link #NONE}. */
    int callWith(long correlation) {
        return calls.get(correlation);
    }

    /** Returns the host operator that launched a device operator, or {@link #NONE}. */
    int parent(int deviceOp) {
        int call = call(deviceOp);
        if (call == NONE) {
            return NONE;
        }
        int thread = trace.thread(call);
        double time = trace.start(call);
        boolean isNccl = trace.name(deviceOp).toLowerCase(Locale.ROOT).contains("nccl");
        long wanted = group(trace.external(deviceOp), thread);
        int first = groups.get(wanted);
        if (first >= 0) {
            int end = groupEnds.get(wanted);
            int found = latest(byIdentity, first, EventSearch.before(trace, byIdentity, first, end, time), isNccl);
            if (found != NONE) {
                return found;
            }
        }
        int[] ops = threads.get(thread);
        return latest(ops, 0, EventSearch.before(trace, ops, 0, ops.length, time), isNccl);
    }

    /** Returns the last of {@code ops[from..to]}; skips groups of transfers, which launch nothing themselves. */
    private int latest(int[] ops, int from, int to, boolean isNccl) {
        for (int i = to - 1; i >= from; i--) {
            if (!isNccl || !trace.name(ops[i]).equals("nccl:coalesced")) {
                return ops[i];
            }
        }
        return NONE;
    }
}
