package dev.stagesim.stage.astrasim;

import dev.stagesim.io.astra.TraceFiles;
import dev.stagesim.model.KeyNames;
import dev.stagesim.sim.collective.trace.RankTrace;
import dev.stagesim.sim.core.StableOrder;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;

/**
 * Execution intervals of the nodes of the first NPUs, in growing arrays with an entry per node of each simulated NPU.
 *
 * <p>An NPU that was not simulated has the entries of its representative.
 */
final class NodeLog {
    /** Kinds of nodes in tables, timelines and reports. */
    enum Kind {
        COMPUTE,
        HOST,
        COLLECTIVE,
        SEND,
        RECEIVE,
        MEMORY,
        OTHER;

        private final String text = KeyNames.constant(this);

        static Kind of(RankTrace trace, int node) {
            if (trace.isOnHost(node)) {
                return HOST;
            }
            return switch (trace.type(node)) {
                case COMPUTE -> COMPUTE;
                case COLLECTIVE -> COLLECTIVE;
                case SEND -> SEND;
                case RECEIVE -> RECEIVE;
                case MEMORY -> MEMORY;
                case METADATA, INVALID, UNKNOWN -> OTHER;
            };
        }

        boolean isCommunication() {
            return this == COLLECTIVE || this == SEND || this == RECEIVE;
        }

        /** Name in tables. */
        String text() {
            return text;
        }
    }

    private final List<RankTrace> traces;
    private final long[] idShifts;
    private final int npus;
    private int[] npu = new int[256];
    private int[] node = new int[256];
    private long[] start = new long[256];
    private long[] end = new long[256];
    private int size;

    /** By rank: the NPU whose entries it shares. */
    private int[] representatives;

    /** Entries by NPU, start and node, and the first entry of each NPU. */
    private int[] ordered = {};

    private int[] first = {};

    /** Visitor of the entries of all NPUs. */
    interface Sink {
        void entry(int rank, int entry) throws IOException;
    }

    /** Starts a log of the NPUs 0 to {@code npus} exclusive. */
    NodeLog(TraceFiles.Ranks ranks, int npus) {
        this.traces = ranks.traces();
        this.idShifts = ranks.idShifts();
        this.npus = Math.min(npus, traces.size());
        this.representatives = new int[this.npus];
        Arrays.setAll(representatives, rank -> rank);
    }

    void add(int rank, int what, long from, long to) {
        if (rank >= npus) {
            return;
        }
        if (size == npu.length) {
            int more = size + size / 2;
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
     * Closes the log.
     *
     * @param simulated by rank: the NPU simulated for it, which has the lowest rank of its class
     */
    void close(int[] simulated) {
        representatives = Arrays.copyOf(simulated, npus);
        ordered = StableOrder.of(size, (a, b) -> {
            int order = Integer.compare(npu[a], npu[b]);
            order = order != 0 ? order : Long.compare(start[a], start[b]);
            return order != 0 ? order : Integer.compare(node[a], node[b]);
        });
        first = new int[npus + 1];
        for (int i = 0; i < size; i++) {
            first[npu[i] + 1]++;
        }
        for (int rank = 0; rank < npus; rank++) {
            first[rank + 1] += first[rank];
        }
    }

    /** True if no node has ended. */
    boolean isEmpty() {
        return size == 0;
    }

    /** Number of logged NPUs. */
    int npus() {
        return npus;
    }

    /** Entries of an NPU by start, then by node; available once the log is closed. */
    int[] ofNpu(int rank) {
        return Arrays.copyOfRange(ordered, first[representatives[rank]], first[representatives[rank] + 1]);
    }

    /** Visits all entries by end, then NPU, then node. This order does not depend on the order of execution. */
    void byEnd(Sink sink) throws IOException {
        int[] order = StableOrder.of(size, (a, b) -> {
            int before = Long.compare(end[a], end[b]);
            return before != 0 ? before : Integer.compare(node[a], node[b]);
        });
        int[][] members = members();
        for (int from = 0, to; from < size; from = to) {
            int count = 0;
            for (to = from; to < size && end[order[to]] == end[order[from]]; to++) {
                count += members[npu[order[to]]].length;
            }
            // Entries with equal ends are in the order of nodes, so the position decides for each NPU.
            long[] keys = new long[count];
            for (int i = from, key = 0; i < to; i++) {
                for (int rank : members[npu[order[i]]]) {
                    keys[key++] = (long) rank << 32 | i;
                }
            }
            Arrays.sort(keys);
            for (long key : keys) {
                sink.entry((int) (key >>> 32), order[(int) key]);
            }
        }
    }

    /** By rank: number of NPUs that it represents. */
    private int[][] members() {
        int[] count = new int[npus];
        for (int one : representatives) {
            count[one]++;
        }
        int[][] members = new int[npus][];
        for (int rank = 0; rank < npus; rank++) {
            members[rank] = new int[count[rank]];
        }
        for (int rank = npus - 1; rank >= 0; rank--) {
            members[representatives[rank]][--count[representatives[rank]]] = rank;
        }
        return members;
    }

    long start(int i) {
        return start[i];
    }

    long end(int i) {
        return end[i];
    }

    Kind kind(int i) {
        return Kind.of(trace(i), node[i]);
    }

    String name(int i) {
        return trace(i).name(node[i]);
    }

    /** Id of an entry's node in the trace of an NPU. */
    String id(int rank, int i) {
        return Long.toUnsignedString(trace(i).id(node[i]) + idShifts[rank]);
    }

    /** Bytes of a communication, or 0 for other nodes. */
    long bytes(int i) {
        return kind(i).isCommunication() ? trace(i).commSize(node[i]) : 0;
    }

    private RankTrace trace(int i) {
        return traces.get(npu[i]);
    }
}
