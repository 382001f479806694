package dev.stagesim.stage.astrasim;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Finds the times in which an NPU communicates and computes nothing. */
final class Exposure {
    private Exposure() {}

    /**
     * Such a time.
     *
     * @param entry place in the log of the communication that began first of those under way
     */
    record Interval(int npu, long start, long end, int entry) {}

    /** All of them, by NPU and then by time. */
    static List<Interval> of(NodeLog log) {
        List<Interval> all = new ArrayList<>();
        int[] order = log.byStart();
        int from = 0;
        while (from < order.length) {
            int npu = log.npu(order[from]);
            int to = from;
            while (to < order.length && log.npu(order[to]) == npu) {
                to++;
            }
            ofNpu(log, Arrays.copyOfRange(order, from, to), all);
            from = to;
        }
        return all;
    }

    /** Goes through the communications by start, each from where the last one ended, and cuts the computations out. */
    private static void ofNpu(NodeLog log, int[] order, List<Interval> all) {
        int[] computations = Arrays.stream(order)
                .filter(i -> log.kind(i) == NodeKind.COMPUTE && log.end(i) > log.start(i))
                .toArray();
        long covered = Long.MIN_VALUE;
        int next = 0;
        for (int i : order) {
            if (!log.kind(i).isCommunication()) {
                continue;
            }
            long at = Math.max(covered, log.start(i));
            long end = log.end(i);
            while (next < computations.length && log.end(computations[next]) <= at) {
                next++;
            }
            for (int c = next; c < computations.length && log.start(computations[c]) < end; c++) {
                if (log.start(computations[c]) > at) {
                    all.add(new Interval(log.npu(i), at, log.start(computations[c]), i));
                }
                at = Math.max(at, log.end(computations[c]));
            }
            if (end > at) {
                all.add(new Interval(log.npu(i), at, end, i));
            }
            covered = Math.max(covered, end);
        }
    }
}
