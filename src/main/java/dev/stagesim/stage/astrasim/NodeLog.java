package dev.stagesim.stage.astrasim;

import dev.stagesim.io.astra.TraceFiles;
import dev.stagesim.sim.collective.RankTrace;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/** When the nodes of the first NPUs ran: plain arrays that grow. */
final class NodeLog {
    private final List<RankTrace> traces;
    private final long[] idShifts;
    private final int npus;
    private int[] npu = new int[256];
    private int[] node = new int[256];
    private long[] start = new long[256];
    private long[] end = new long[256];
    private int size;

    /** Starts a log of the NPUs 0 to {@code npus} exclusive. */
    NodeLog(TraceFiles.Ranks ranks, int npus) {
        this.traces = ranks.traces();
        this.idShifts = ranks.idShifts();
        this.npus = Math.min(npus, traces.size());
    }

    void add(int rank, int what, long from, long to) {
        if (rank >= npus) {
            return;
        }
        if (size == npu.length) {
            int more = size * 2;
            npu = Arrays.copyOf(npu, more);
            node = Arrays.copyOf(node, more);
            start = Arrays.copyOf(start, more);
            end = Arrays.copyOf(end, more);
        }
        npu[size] = rank;
        node[size] = what;
        start[size] = from;
        end[size] = to;
        size++;
    }

    void clear() {
        size = 0;
    }

    /**
     * Adds the NPUs that others stood in for.
     *
     * @param standIns by rank the NPU that was simulated for it
     */
    NodeLog expanded(int[] standIns) {
        List<List<Integer>> members = new ArrayList<>();
        boolean isWhole = true;
        for (int rank = 0; rank < npus; rank++) {
            members.add(new ArrayList<>());
            // The one that stands in has the lowest rank, so it is logged as well.
            members.get(standIns[rank]).add(rank);
            isWhole &= standIns[rank] == rank;
        }
        if (isWhole) {
            return this;
        }
        NodeLog whole = new NodeLog(new TraceFiles.Ranks(traces, idShifts), npus);
        for (int i = 0; i < size; i++) {
            for (int rank : members.get(npu[i])) {
                whole.add(rank, node[i], start[i], end[i]);
            }
        }
        return whole;
    }

    /** NPUs that are logged. */
    int npus() {
        return npus;
    }

    int size() {
        return size;
    }

    int npu(int i) {
        return npu[i];
    }

    long start(int i) {
        return start[i];
    }

    long end(int i) {
        return end[i];
    }

    NodeKind kind(int i) {
        return NodeKind.of(trace(i), node[i]);
    }

    String name(int i) {
        return trace(i).name(node[i]);
    }

    String id(int i) {
        return Long.toUnsignedString(trace(i).id(node[i]) + idShifts[npu[i]]);
    }

    /** Bytes that a communication moves; 0 for other nodes. */
    long bytes(int i) {
        return kind(i).isCommunication() ? trace(i).commSize(node[i]) : 0;
    }

    private RankTrace trace(int i) {
        return traces.get(npu[i]);
    }

    /** Places in the log, by NPU, then by start, then by node. */
    int[] byStart() {
        return ordered(Comparator.<Integer>comparingInt(i -> npu[i])
                .thenComparingLong(i -> start[i])
                .thenComparingInt(i -> node[i]));
    }

    /** Places in the log, by end, then by NPU, then by node: an order that tells nothing of how the run was made. */
    int[] byEnd() {
        return ordered(Comparator.<Integer>comparingLong(i -> end[i])
                .thenComparingInt(i -> npu[i])
                .thenComparingInt(i -> node[i]));
    }

    private int[] ordered(Comparator<Integer> by) {
        Integer[] order = new Integer[size];
        Arrays.setAll(order, i -> i);
        Arrays.sort(order, by);
        return Arrays.stream(order).mapToInt(Integer::intValue).toArray();
    }
}
