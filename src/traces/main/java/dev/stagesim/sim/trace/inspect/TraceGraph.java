package dev.stagesim.sim.trace.inspect;

import dev.stagesim.model.trace.EtNames;
import dev.stagesim.model.trace.EtNode;
import dev.stagesim.model.trace.NodeType;
import dev.stagesim.sim.core.LongIndex;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A trace as a graph in columns; nodes and dependencies are indexed by file position.
 *
 * <p>Memory: about 80 bytes per node and 12 per dependency, plus the node names if requested.
 */
public final class TraceGraph {
    public static final long NONE = Long.MIN_VALUE;

    private static final int SIZE = 0;
    private static final int COLLECTIVE = 1;
    private static final int SOURCE = 2;
    private static final int TARGET = 3;
    private static final int TAG = 4;
    private static final int FIELDS = 5;

    private final String source;
    private final boolean hasNames;
    private final boolean hasMetadata;
    private int size;
    private long[] ids = new long[256];
    private byte[] types = new byte[256];
    private long[] starts = new long[256];
    private long[] durations = new long[256];
    private long[] numbers = new long[256 * FIELDS];
    private boolean[] isHost = new boolean[256];
    private final List<String> names = new ArrayList<>();
    private final List<String> groups = new ArrayList<>(List.of(""));
    private int[] group = new int[256];
    private int[] firstDep = new int[257];
    private int[] dataCount = new int[256];
    private long[] depIds = new long[1024];
    private int deps;
    private int[] depAt = {};
    private LongIndex positions = new LongIndex(0);
    private final List<Integer> duplicates = new ArrayList<>();

    /**
     * Creates an empty graph.
     *
     * @param source file as named by the user
     */
    public TraceGraph(String source, boolean hasNames, boolean hasMetadata) {
        this.source = source;
        this.hasNames = hasNames;
        this.hasMetadata = hasMetadata;
    }

    public void add(EtNode node) {
        if (size == ids.length) {
            grow();
        }
        ids[size] = node.id();
        types[size] = (byte) node.type().ordinal();
        starts[size] = node.startTimeMicros();
        durations[size] = node.durationMicros();
        isHost[size] = node.longAttribute(EtNames.IS_CPU_OP).orElse(0) != 0;
        long bytes = node.longAttribute(EtNames.COMM_SIZE).orElse(NONE);
        long[] facts = {
            bytes == NONE ? node.longAttribute(EtNames.TENSOR_SIZE).orElse(NONE) : bytes,
            node.longAttribute(EtNames.COMM_TYPE).orElse(NONE),
            node.longAttribute(EtNames.COMM_SRC).orElse(NONE),
            node.longAttribute(EtNames.COMM_DST).orElse(NONE),
            node.longAttribute(EtNames.COMM_TAG).orElse(NONE)
        };
        System.arraycopy(facts, 0, numbers, size * FIELDS, FIELDS);
        group[size] = node.textAttribute(EtNames.PG_NAME).map(this::group).orElse(0);
        if (hasNames) {
            names.add(node.name());
        }
        dependencies(node);
        size++;
        firstDep[size] = deps;
    }

    private int group(String name) {
        int at = groups.indexOf(name);
        if (at < 0) {
            groups.add(name);
            at = groups.size() - 1;
        }
        return at;
    }

    private void dependencies(EtNode node) {
        int more = node.dataDeps().length + node.ctrlDeps().length;
        if (deps + more > depIds.length) {
            depIds = Arrays.copyOf(depIds, Math.max(depIds.length * 2, deps + more));
        }
        System.arraycopy(node.dataDeps(), 0, depIds, deps, node.dataDeps().length);
        System.arraycopy(node.ctrlDeps(), 0, depIds, deps + node.dataDeps().length, node.ctrlDeps().length);
        deps += more;
        dataCount[size] = node.dataDeps().length;
    }

    private void grow() {
        int more = size * 2;
        ids = Arrays.copyOf(ids, more);
        types = Arrays.copyOf(types, more);
        starts = Arrays.copyOf(starts, more);
        durations = Arrays.copyOf(durations, more);
        numbers = Arrays.copyOf(numbers, more * FIELDS);
        isHost = Arrays.copyOf(isHost, more);
        group = Arrays.copyOf(group, more);
        firstDep = Arrays.copyOf(firstDep, more + 1);
        dataCount = Arrays.copyOf(dataCount, more);
    }

    /** Resolves the dependencies. Call once, after the last node. */
    public TraceGraph build() {
        positions = new LongIndex(size);
        for (int i = 0; i < size; i++) {
            if (positions.contains(ids[i])) {
                duplicates.add(i);
            } else {
                positions.put(ids[i], i);
            }
        }
        depAt = new int[deps];
        for (int i = 0; i < deps; i++) {
            depAt[i] = positions.get(depIds[i]);
        }
        return this;
    }

    public String source() {
        return source;
    }

    boolean hasMetadata() {
        return hasMetadata;
    }

    public int size() {
        return size;
    }

    public long id(int node) {
        return ids[node];
    }

    /** Name of the node, or its id if names are not stored. */
    public String name(int node) {
        return hasNames ? names.get(node) : Long.toUnsignedString(ids[node]);
    }

    public NodeType type(int node) {
        return NodeType.values()[types[node]];
    }

    /** Recorded start in microseconds; 0 if unknown. */
    long start(int node) {
        return starts[node];
    }

    /** Recorded duration in microseconds. */
    public long duration(int node) {
        return durations[node];
    }

    boolean isHost(int node) {
        return isHost[node];
    }

    /** Bytes transferred or accessed, or {@link #NONE}. */
    public long bytes(int node) {
        return numbers[node * FIELDS + SIZE];
    }

    long collective(int node) {
        return numbers[node * FIELDS + COLLECTIVE];
    }

    long sourceRank(int node) {
        return numbers[node * FIELDS + SOURCE];
    }

    long targetRank(int node) {
        return numbers[node * FIELDS + TARGET];
    }

    long tag(int node) {
        return numbers[node * FIELDS + TAG];
    }

    /** Process group; empty for all processors. */
    String groupName(int node) {
        return groups.get(group[node]);
    }

    /** Index of the node's first dependency; {@link #depEnd} is the index after the last one. */
    int depBegin(int node) {
        return firstDep[node];
    }

    int depEnd(int node) {
        return firstDep[node + 1];
    }

    int depCount() {
        return deps;
    }

    /** True for a data dependency, false for a control dependency. */
    boolean isData(int node, int dep) {
        return dep - firstDep[node] < dataCount[node];
    }

    /** Node id of a dependency. */
    long depId(int dep) {
        return depIds[dep];
    }

    /** Node position of a dependency, or -1 if it is not in the trace. */
    int depNode(int dep) {
        return depAt[dep];
    }

    /** Nodes with an id that an earlier node already has. */
    List<Integer> duplicates() {
        return duplicates;
    }
}
