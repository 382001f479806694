package dev.stagesim.stage.astrasim;

import dev.stagesim.io.astra.TraceFiles;
import dev.stagesim.sim.collective.RankTrace;
import java.util.Arrays;
import java.util.List;

/** When the nodes of the first NPUs ran, in the order of their ends: plain arrays that grow. */
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

    /** Places in the log, by NPU and then by start. */
    int[] byStart() {
        Integer[] order = new Integer[size];
        Arrays.setAll(order, i -> i);
        Arrays.sort(order, (a, b) -> {
            int byNpu = Integer.compare(npu[a], npu[b]);
            return byNpu != 0 ? byNpu : Long.compare(start[a], start[b]);
        });
        return Arrays.stream(order).mapToInt(Integer::intValue).toArray();
    }
}
