package dev.stagesim.sim.collective;

import java.util.List;

/**
 * The work of an NPU as arrays: nodes in ascending order of id with their parameters and dependencies.
 *
 * <p>Immutable and free of anything that belongs to one NPU, so that NPUs with the same work share one object.
 */
public final class RankTrace {
    /** What a node does. */
    public enum Type {
        INVALID,
        METADATA,
        MEMORY,
        COMPUTE,
        SEND,
        RECEIVE,
        COLLECTIVE
    }

    static final int NUM_OPS = 1;
    static final int TENSOR_SIZE = 1 << 1;
    static final int COMM_TYPE = 1 << 2;
    static final int COMM_SIZE = 1 << 3;
    static final int COMM_SRC = 1 << 4;
    static final int COMM_DST = 1 << 5;
    static final int COMM_TAG = 1 << 6;
    static final int COMM_PRIORITY = 1 << 7;
    static final int PG_NAME = 1 << 8;
    static final int INVOLVED_DIM = 1 << 9;
    static final int IS_CPU_OP = 1 << 10;

    final String where;
    final long[] id;
    final String[] name;
    final Type[] type;
    final boolean[] onCpu;
    final long[] durationMicros;
    final long[] numOps;
    final long[] tensorSize;
    final int[] commType;
    final long[] commSize;
    final int[] source;
    final int[] destination;
    final int[] tag;
    final int[] priority;
    final String[] group;
    final boolean[][] involved;
    final short[] present;
    final short[] malformed;
    final int[] parents;
    final int[] childStart;
    final int[] children;

    /** Whether an NPU is done only when every node is, also where some can never start. */
    final boolean endsWithAll;

    RankTrace(
            RankTraceBuilder from, int[] order, int[] parents, int[] childStart, int[] children, boolean endsWithAll) {
        this.endsWithAll = endsWithAll;
        int n = order.length;
        this.where = from.where;
        this.id = new long[n];
        this.name = new String[n];
        this.type = new Type[n];
        this.onCpu = new boolean[n];
        this.durationMicros = new long[n];
        this.numOps = new long[n];
        this.tensorSize = new long[n];
        this.commType = new int[n];
        this.commSize = new long[n];
        this.source = new int[n];
        this.destination = new int[n];
        this.tag = new int[n];
        this.priority = new int[n];
        this.group = new String[n];
        this.involved = new boolean[n][];
        this.present = new short[n];
        this.malformed = new short[n];
        this.parents = parents;
        this.childStart = childStart;
        this.children = children;
        List<RankTraceBuilder.Row> rows = from.rows;
        for (int i = 0; i < n; i++) {
            put(i, rows.get(order[i]));
        }
    }

    private void put(int i, RankTraceBuilder.Row row) {
        id[i] = row.id;
        name[i] = row.name;
        type[i] = row.type;
        onCpu[i] = row.onCpu;
        durationMicros[i] = row.durationMicros;
        numOps[i] = row.numOps;
        tensorSize[i] = row.tensorSize;
        commType[i] = row.commType;
        commSize[i] = row.commSize;
        source[i] = row.source;
        destination[i] = row.destination;
        tag[i] = row.tag;
        priority[i] = row.priority;
        group[i] = row.group;
        involved[i] = row.involved;
        present[i] = (short) row.present;
        malformed[i] = (short) row.malformed;
    }

    /** Number of nodes. */
    public int size() {
        return id.length;
    }

    /** Where the trace comes from, for messages. */
    public String where() {
        return where;
    }

    /** Id of a node by its index. */
    public long id(int node) {
        return id[node];
    }

    /** Name of a node by its index. */
    public String name(int node) {
        return name[node];
    }

    /** What the node with this index does. */
    public Type type(int node) {
        return type[node];
    }

    /** Whether the node with this index runs on the host. */
    public boolean isOnHost(int node) {
        return onCpu[node];
    }

    /** Bytes that the node with this index communicates; 0 when it does not. */
    public long commSize(int node) {
        return commSize[node];
    }

    /** Communicator group that the node with this index names; empty when it spans the machine. */
    public String group(int node) {
        String number = group[node].trim().replaceFirst("^0+(?=\\d)", "");
        return number.equals("0") ? "" : number;
    }

    boolean has(int node, int attribute) {
        return (present[node] & attribute) != 0;
    }
}
