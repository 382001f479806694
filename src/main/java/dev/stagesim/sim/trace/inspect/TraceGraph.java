package dev.stagesim.sim.trace.inspect;

import dev.stagesim.model.trace.EtNames;
import dev.stagesim.model.trace.EtNode;
import dev.stagesim.model.trace.NodeType;
import dev.stagesim.sim.core.LongIndex;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A trace as a graph: nodes and dependencies as columns, by position in the file.
 *
 * <p>Holds some 80 bytes a node and 12 a dependency, and the names where they are asked for.
 */
public final class TraceGraph {
    public static final long NONE = Long.MIN_VALUE;

    /** A dependency on a node that is not there. */
    static final int MISSING = -1;

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
     * An empty graph.
     *
     * @param source file as the user would name it
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

    /** Finds the nodes that dependencies name; to be called once, after the last node. */
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

    public boolean hasMetadata() {
        return hasMetadata;
    }

    public int size() {
        return size;
    }

    public long id(int node) {
        return ids[node];
    }

    /** The node's name, or its identity where names are not kept. */
    public String name(int node) {
        return hasNames ? names.get(node) : Long.toUnsignedString(ids[node]);
    }

    public NodeType type(int node) {
        return NodeType.values()[types[node]];
    }

    /** Recorded start in microseconds; 0 when unknown. */
    public long start(int node) {
        return starts[node];
    }

    /** Recorded duration in microseconds. */
    public long duration(int node) {
        return durations[node];
    }

    public boolean isHost(int node) {
        return isHost[node];
    }

    /** Bytes that are moved or touched, or {@link #NONE}. */
    public long bytes(int node) {
        return numbers[node * FIELDS + SIZE];
    }

    public long collective(int node) {
        return numbers[node * FIELDS + COLLECTIVE];
    }

    public long sourceRank(int node) {
        return numbers[node * FIELDS + SOURCE];
    }

    public long targetRank(int node) {
        return numbers[node * FIELDS + TARGET];
    }

    public long tag(int node) {
        return numbers[node * FIELDS + TAG];
    }

    /** Process group; empty for all processors. */
    public String groupName(int node) {
        return groups.get(group[node]);
    }

    /** First of the node's dependencies, which count on to {@link #depEnd}. */
    public int depBegin(int node) {
        return firstDep[node];
    }

    public int depEnd(int node) {
        return firstDep[node + 1];
    }

    public int depCount() {
        return deps;
    }

    /** Whether a dependency of a node is one for data, not for control. */
    public boolean isData(int node, int dep) {
        return dep - firstDep[node] < dataCount[node];
    }

    /** The identity that a dependency names. */
    public long depId(int dep) {
        return depIds[dep];
    }

    /** The node that a dependency names, or {@value #MISSING}. */
    public int depNode(int dep) {
        return depAt[dep];
    }

    /** Nodes whose identity another one had before. */
    List<Integer> duplicates() {
        return duplicates;
    }
}
