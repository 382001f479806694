package dev.stagesim.sim.collective.trace;

import dev.stagesim.sim.collective.trace.RankTraceBuilder.Row;
import java.util.Arrays;
import java.util.function.Function;
import java.util.function.ToIntFunction;
import java.util.function.ToLongFunction;

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
        Row[] rows = Arrays.stream(order).mapToObj(from.rows::get).toArray(Row[]::new);
        id = shared.shared(longs(rows, row -> row.id));
        name = shared.shared(texts(rows, row -> row.name));
        type = shared.shared(Arrays.stream(rows).map(row -> row.type).toArray(Type[]::new));
        onCpu = shared.shared(booleans(rows));
        durationMicros = shared.shared(longs(rows, row -> row.durationMicros));
        numOps = shared.shared(longs(rows, row -> row.numOps));
        tensorSize = shared.shared(longs(rows, row -> row.tensorSize));
        commType = shared.shared(ints(rows, row -> row.commType));
        commSize = shared.shared(longs(rows, row -> row.commSize));
        source = shared.shared(ints(rows, row -> row.source));
        destination = shared.shared(ints(rows, row -> row.destination));
        tag = shared.shared(ints(rows, row -> row.tag));
        priority = shared.shared(ints(rows, row -> row.priority));
        group = shared.shared(texts(rows, row -> row.group));
        involved = shared.shared(Arrays.stream(rows).map(row -> row.involved).toArray(boolean[][]::new));
        present = shared.shared(shorts(rows, row -> row.present));
        malformed = shared.shared(shorts(rows, row -> row.malformed));
    }

    private static long[] longs(Row[] rows, ToLongFunction<Row> column) {
        return Arrays.stream(rows).mapToLong(column).toArray();
    }

    private static int[] ints(Row[] rows, ToIntFunction<Row> column) {
        return Arrays.stream(rows).mapToInt(column).toArray();
    }

    private static short[] shorts(Row[] rows, ToIntFunction<Row> column) {
        short[] values = new short[rows.length];
        for (int i = 0; i < rows.length; i++) {
            values[i] = (short) column.applyAsInt(rows[i]);
        }
        return values;
    }

    private static String[] texts(Row[] rows, Function<Row, String> column) {
        return Arrays.stream(rows).map(column).toArray(String[]::new);
    }

    private static boolean[] booleans(Row[] rows) {
        boolean[] onCpu = new boolean[rows.length];
        for (int i = 0; i < rows.length; i++) {
            onCpu[i] = rows[i].onCpu;
        }
        return onCpu;
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
