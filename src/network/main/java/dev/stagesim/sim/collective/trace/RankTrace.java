package dev.stagesim.sim.collective.trace;

import java.util.Arrays;

/**
 * Trace of an NPU in a structure of arrays: nodes in ascending order of id, with parameters and dependencies.
 *
 * <p>Immutable and independent of the NPU, so NPUs with equal work share one object.
 */
public final class RankTrace {
    /** Node types. */
    public enum Type {
        INVALID,
        METADATA,
        /** A type number that the format does not define. */
        UNKNOWN,
        MEMORY,
        COMPUTE,
        SEND,
        RECEIVE,
        COLLECTIVE
    }

    /** Number of a collective in traces. */
    static final int ALL_REDUCE = 0;

    public static final int NUM_OPS = 1;
    public static final int TENSOR_SIZE = 1 << 1;
    public static final int COMM_TYPE = 1 << 2;
    public static final int COMM_SIZE = 1 << 3;
    public static final int COMM_SRC = 1 << 4;
    public static final int COMM_DST = 1 << 5;
    public static final int COMM_TAG = 1 << 6;
    public static final int COMM_PRIORITY = 1 << 7;
    public static final int PG_NAME = 1 << 8;
    public static final int INVOLVED_DIM = 1 << 9;
    public static final int IS_CPU_OP = 1 << 10;

    final String where;
    public final long[] id;
    final String[] name;
    public final Type[] type;
    public final boolean[] onCpu;
    public final long[] durationMicros;
    public final long[] numOps;
    public final long[] tensorSize;
    public final int[] commType;
    public final long[] commSize;
    public final int[] source;
    public final int[] destination;
    public final int[] tag;
    public final int[] priority;
    public final String[] group;
    public final boolean[][] involved;
    public final short[] present;
    public final short[] malformed;
    public final int[] parents;
    public final int[] childStart;
    public final int[] children;

    /** True if an NPU is done only when every node is done, even if some can never start. */
    public final boolean endsWithAll;

    RankTrace(
            RankTraceBuilder from,
            int[] order,
            int[] parents,
            int[] childStart,
            int[] children,
            boolean endsWithAll,
            SharedArrays shared) {
        this.where = from.where;
        this.endsWithAll = endsWithAll;
        this.parents = shared.shared(parents);
        this.childStart = shared.shared(childStart);
        this.children = shared.shared(children);
        Columns columns = new Columns(order.length);
        for (int i = 0; i < order.length; i++) {
            columns.put(i, from.rows.get(order[i]));
        }
        this.id = shared.shared(columns.id);
        this.name = shared.shared(columns.name);
        this.type = shared.shared(columns.type);
        this.onCpu = shared.shared(columns.onCpu);
        this.durationMicros = shared.shared(columns.durationMicros);
        this.numOps = shared.shared(columns.numOps);
        this.tensorSize = shared.shared(columns.tensorSize);
        this.commType = shared.shared(columns.commType);
        this.commSize = shared.shared(columns.commSize);
        this.source = shared.shared(columns.source);
        this.destination = shared.shared(columns.destination);
        this.tag = shared.shared(columns.tag);
        this.priority = shared.shared(columns.priority);
        this.group = shared.shared(columns.group);
        this.involved = shared.shared(columns.involved);
        this.present = shared.shared(columns.present);
        this.malformed = shared.shared(columns.malformed);
    }

    /**
     * Approximate bytes that the NPU sends: twice the size of an all-reduce, and once the size of other communication.
     */
    public double bytesSent() {
        double bytes = 0;
        for (int node = 0; node < id.length; node++) {
            if (type[node] == Type.SEND || type[node] == Type.COLLECTIVE) {
                boolean isAllReduce = type[node] == Type.COLLECTIVE && commType[node] == ALL_REDUCE;
                bytes += Math.max(0.0, commSize[node]) * (isAllReduce ? 2 : 1);
            }
        }
        return bytes;
    }

    /** Columns during construction. */
    private static final class Columns {
        private final long[] id;
        private final String[] name;
        private final Type[] type;
        private final boolean[] onCpu;
        private final long[] durationMicros;
        private final long[] numOps;
        private final long[] tensorSize;
        private final int[] commType;
        private final long[] commSize;
        private final int[] source;
        private final int[] destination;
        private final int[] tag;
        private final int[] priority;
        private final String[] group;
        private final boolean[][] involved;
        private final short[] present;
        private final short[] malformed;

        Columns(int n) {
            id = new long[n];
            name = new String[n];
            type = new Type[n];
            onCpu = new boolean[n];
            durationMicros = new long[n];
            numOps = new long[n];
            tensorSize = new long[n];
            commType = new int[n];
            commSize = new long[n];
            source = new int[n];
            destination = new int[n];
            tag = new int[n];
            priority = new int[n];
            group = new String[n];
            involved = new boolean[n][];
            present = new short[n];
            malformed = new short[n];
        }

        void put(int i, RankTraceBuilder.Row row) {
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
    }

    /** Number of nodes. */
    public int size() {
        return id.length;
    }

    /** Id of a node by its index. */
    public long id(int node) {
        return id[node];
    }

    /** Name of a node by its index. */
    public String name(int node) {
        return name[node];
    }

    /** Type of a node by its index. */
    public Type type(int node) {
        return type[node];
    }

    /** True if the node with this index runs on the host. */
    public boolean isOnHost(int node) {
        return onCpu[node];
    }

    /** Bytes communicated by the node with this index, or 0. */
    public long commSize(int node) {
        return commSize[node];
    }

    /** Communicator group of the node with this index; empty if it spans the machine. */
    public String group(int node) {
        String number = group[node].trim().replaceFirst("^0+(?=\\d)", "");
        return number.equals("0") ? "" : number;
    }

    /** True if the traces differ only in the NPUs and groups that their nodes name. */
    public boolean hasSameWork(RankTrace other) {
        boolean isSameWork = Arrays.equals(type, other.type)
                && Arrays.equals(onCpu, other.onCpu)
                && Arrays.equals(durationMicros, other.durationMicros)
                && Arrays.equals(numOps, other.numOps)
                && Arrays.equals(tensorSize, other.tensorSize)
                && Arrays.equals(commType, other.commType)
                && Arrays.equals(commSize, other.commSize)
                && Arrays.equals(tag, other.tag)
                && Arrays.equals(priority, other.priority)
                && Arrays.deepEquals(involved, other.involved);
        return isSameWork
                && Arrays.equals(id, other.id)
                && Arrays.equals(name, other.name)
                && Arrays.equals(present, other.present)
                && Arrays.equals(malformed, other.malformed)
                && Arrays.equals(parents, other.parents)
                && Arrays.equals(childStart, other.childStart)
                && Arrays.equals(children, other.children)
                && endsWithAll == other.endsWithAll;
    }

    public boolean has(int node, int attribute) {
        return (present[node] & attribute) != 0;
    }
}
