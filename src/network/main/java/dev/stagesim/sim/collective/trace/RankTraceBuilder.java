package dev.stagesim.sim.collective.trace;

import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.model.trace.EtAttribute;
import dev.stagesim.model.trace.EtKind;
import dev.stagesim.model.trace.EtNames;
import dev.stagesim.model.trace.EtNode;
import dev.stagesim.model.trace.EtValue;
import dev.stagesim.sim.collective.trace.RankTrace.Type;
import dev.stagesim.sim.trace.feed.FeederVersion;
import dev.stagesim.sim.trace.feed.WindowFeeder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Collects the nodes of a trace and builds a {@link RankTrace}.
 *
 * <p>If an id repeats, the last node wins; with the feeder v3 the dependencies of both are merged. If an attribute
 * repeats, the first wins.
 */
public final class RankTraceBuilder {
    private static final boolean[] NONE = {};
    private static final long[] NOTHING = {};

    /** A node with its attributes. Rows of different traces may be one object. */
    public static final class Row implements Cloneable {
        long id;
        String name = "";
        Type type = Type.INVALID;
        boolean onCpu;
        long durationMicros;
        long numOps;
        long tensorSize;
        int commType;
        long commSize;
        int source;
        int destination;
        int tag;
        int priority;
        String group = "";
        boolean[] involved = NONE;
        int present;
        int malformed;
        long[] dataDeps = NOTHING;
        long[] ctrlDeps = NOTHING;

        /** Returns a copy that has the dependencies of an earlier row with the same id as well. */
        Row after(Row earlier) {
            try {
                Row merged = (Row) clone();
                merged.dataDeps = union(earlier.dataDeps, dataDeps);
                merged.ctrlDeps = union(earlier.ctrlDeps, ctrlDeps);
                return merged;
            } catch (CloneNotSupportedException impossible) {
                throw new IllegalStateException(impossible);
            }
        }
    }

    final String where;
    final List<Row> rows = new ArrayList<>();

    /** Row by id, or null as long as ids ascend. */
    private @Nullable TreeMap<Long, Integer> index;

    private final List<Problem> repeated = new ArrayList<>();
    private final FeederVersion version;
    private final boolean isStrict;
    private final int window;

    /** Starts a trace that allows repeated ids. {@code where} names it in messages. */
    public RankTraceBuilder(String where) {
        this(where, FeederVersion.V3, false);
    }

    /**
     * Starts a trace.
     *
     * @param where name in messages
     * @param version defines which dependencies count, and what happens to nodes whose dependencies never finish
     * @param isStrict whether a repeated id is an error
     */
    public RankTraceBuilder(String where, FeederVersion version, boolean isStrict) {
        this(where, version, isStrict, WindowFeeder.REFERENCE_WINDOW);
    }

    /** Starts a trace for a feeder v1 that reads {@code window} nodes ahead. */
    public RankTraceBuilder(String where, FeederVersion version, boolean isStrict, int window) {
        this.where = where;
        this.version = version;
        this.isStrict = isStrict;
        this.window = window;
    }

    /** Adds the next node of the trace. */
    public RankTraceBuilder add(EtNode node) {
        return add(row(node));
    }

    /** Converts a node. */
    public static Row row(EtNode node) {
        Row row = new Row();
        row.id = node.id();
        row.name = node.name();
        row.type = typeOf(node.typeNumber());
        row.durationMicros = node.durationMicros();
        row.dataDeps = node.dataDeps();
        row.ctrlDeps = node.ctrlDeps();
        for (EtAttribute attribute : node.attributes()) {
            put(row, attribute);
        }
        return row;
    }

    /** Adds the next node of the trace. */
    public RankTraceBuilder add(Row row) {
        int before = indexOf(row.id);
        if (before < 0) {
            append(row);
        } else {
            if (isStrict) {
                repeated.add(Problem.trace(where, "two nodes have the id " + text(row.id)));
            }
            rows.set(before, version == FeederVersion.V3 ? row.after(rows.get(before)) : row);
        }
        return this;
    }

    private void append(Row row) {
        boolean isNext = rows.isEmpty() || Long.compareUnsigned(rows.get(rows.size() - 1).id, row.id) < 0;
        if (index == null && !isNext) {
            TreeMap<Long, Integer> all = new TreeMap<>();
            for (int i = 0; i < rows.size(); i++) {
                all.put(rows.get(i).id, i);
            }
            index = all;
        }
        if (index != null) {
            index.put(row.id, rows.size());
        }
        rows.add(row);
    }

    /** Row with an id, or a negative number. */
    private int indexOf(long id) {
        if (index != null) {
            return index.getOrDefault(id, -1);
        }
        int low = 0;
        int high = rows.size() - 1;
        // Fast path: in most traces the id exceeds all earlier ids.
        if (high >= 0 && Long.compareUnsigned(rows.get(high).id, id) < 0) {
            return -1;
        }
        while (low <= high) {
            int middle = (low + high) >>> 1;
            int order = Long.compareUnsigned(rows.get(middle).id, id);
            if (order == 0) {
                return middle;
            }
            if (order < 0) {
                low = middle + 1;
            } else {
                high = middle - 1;
            }
        }
        return -1;
    }

    /**
     * Builds the trace.
     *
     * @throws StageException of kind input if an id repeats in strict mode, a node depends on a missing node, or every
     *     node has dependencies
     */
    public RankTrace build() {
        return build(new SharedArrays());
    }

    /** Builds the trace like {@link #build()}, sharing equal columns with other traces. */
    public RankTrace build(SharedArrays shared) {
        List<Problem> problems = new ArrayList<>(repeated);
        if (version == FeederVersion.V3) {
            checkDependencies(problems);
        } else if (rows.isEmpty()) {
            problems.add(Problem.trace(where, "the trace has no nodes"));
        } else {
            checkWindow(problems);
        }
        StageException.refuse(problems);
        return link(shared);
    }

    /**
     * Rejects a trace that the feeder v1 would read in parts. The feeder reads a window, and further until the parents
     * of all nodes read are present. It reads the rest when a node is done. By then it has forgotten the finished node,
     * and it restarts the running nodes.
     */
    private void checkWindow(List<Problem> problems) {
        int needed = 0;
        int read = 0;
        while (read < rows.size() && (read < window || needed > read)) {
            for (long parent : rows.get(read).dataDeps) {
                int at = indexOf(parent);
                needed = Math.max(needed, at < 0 ? Integer.MAX_VALUE : at + 1);
            }
            read++;
        }
        if (read < rows.size()) {
            problems.add(Problem.trace(
                            where,
                            "the feeder v1 reads " + read + " of its " + rows.size()
                                    + " nodes ahead; children read after the end of their parents would never start, and"
                                    + " nodes running at that time would start twice")
                    .hint("trace.feeder=v3 has no window"));
        }
    }

    private void checkDependencies(List<Problem> problems) {
        for (Row row : rows) {
            for (long parent : union(row.dataDeps, row.ctrlDeps)) {
                if (indexOf(parent) < 0) {
                    problems.add(Problem.trace(
                            where,
                            "node " + text(row.id) + " depends on node " + text(parent) + ", which does not exist"));
                }
            }
        }
        if (problems.isEmpty()) {
            checkFree("data ", row -> row.dataDeps.length == 0, problems);
            checkFree("control ", row -> row.ctrlDeps.length == 0, problems);
            checkFree("", row -> row.dataDeps.length == 0 && row.ctrlDeps.length == 0, problems);
        }
    }

    private void checkFree(String kind, Predicate<Row> isFree, List<Problem> problems) {
        if (problems.isEmpty() && rows.stream().noneMatch(isFree)) {
            String what = rows.isEmpty()
                    ? "the trace has no nodes"
                    : "every node waits for another: no node is free of " + kind + "dependencies";
            problems.add(Problem.trace(where, what));
        }
    }

    private RankTrace link(SharedArrays shared) {
        int n = rows.size();
        int[] order = order();
        int[] place = new int[n];
        for (int i = 0; i < n; i++) {
            place[order[i]] = i;
        }
        int[] parents = new int[n];
        int[][] parentsOf = new int[n][];
        int[] childStart = new int[n + 1];
        for (int i = 0; i < n; i++) {
            Row row = rows.get(order[i]);
            long[] ids = version == FeederVersion.V3 ? union(row.dataDeps, row.ctrlDeps) : row.dataDeps;
            // A parent without a node, or a repeated parent, is never completed.
            parents[i] = ids.length;
            parentsOf[i] = places(version == FeederVersion.V3 ? ids : union(ids, NOTHING), place);
            for (int parent : parentsOf[i]) {
                childStart[parent + 1]++;
            }
        }
        for (int i = 0; i < n; i++) {
            childStart[i + 1] += childStart[i];
        }
        int[] children = new int[childStart[n]];
        int[] next = Arrays.copyOf(childStart, n);
        for (int i = 0; i < n; i++) {
            for (int parent : parentsOf[i]) {
                children[next[parent]++] = i;
            }
        }
        return new RankTrace(this, order, parents, childStart, children, version == FeederVersion.V1, shared);
    }

    /** Rows in ascending order of their ids. */
    private int[] order() {
        int[] order = new int[rows.size()];
        Integer[] byId = new Integer[index == null ? 0 : order.length];
        for (int i = 0; i < order.length; i++) {
            order[i] = i;
        }
        if (index != null) {
            Arrays.setAll(byId, i -> i);
            Arrays.sort(byId, (a, b) -> Long.compareUnsigned(rows.get(a).id, rows.get(b).id));
            Arrays.setAll(order, i -> byId[i]);
        }
        return order;
    }

    /** Indices of the nodes with these ids that exist. */
    private int[] places(long[] ids, int[] place) {
        int[] places = new int[ids.length];
        int found = 0;
        for (long id : ids) {
            int row = indexOf(id);
            if (row >= 0) {
                places[found++] = place[row];
            }
        }
        return found == places.length ? places : Arrays.copyOf(places, found);
    }

    private static Type typeOf(int number) {
        return switch (number) {
            case 0 -> Type.INVALID;
            case 1 -> Type.METADATA;
            case 2, 3 -> Type.MEMORY;
            case 4 -> Type.COMPUTE;
            case 5 -> Type.SEND;
            case 6 -> Type.RECEIVE;
            case 7 -> Type.COLLECTIVE;
            default -> Type.UNKNOWN;
        };
    }

    private static void put(Row row, EtAttribute attribute) {
        switch (attribute.name()) {
            case EtNames.IS_CPU_OP -> row.onCpu = whole(row, RankTrace.IS_CPU_OP, attribute, row.onCpu ? 1 : 0) != 0;
            case EtNames.NUM_OPS -> row.numOps = whole(row, RankTrace.NUM_OPS, attribute, row.numOps);
            case EtNames.TENSOR_SIZE -> row.tensorSize = whole(row, RankTrace.TENSOR_SIZE, attribute, row.tensorSize);
            case EtNames.COMM_TYPE -> row.commType = (int) whole(row, RankTrace.COMM_TYPE, attribute, row.commType);
            case EtNames.COMM_SIZE -> row.commSize = whole(row, RankTrace.COMM_SIZE, attribute, row.commSize);
            case EtNames.COMM_SRC -> row.source = (int) whole(row, RankTrace.COMM_SRC, attribute, row.source);
            case EtNames.COMM_DST -> row.destination = (int) whole(row, RankTrace.COMM_DST, attribute, row.destination);
            case EtNames.COMM_TAG -> row.tag = (int) whole(row, RankTrace.COMM_TAG, attribute, row.tag);
            case EtNames.COMM_PRIORITY ->
                row.priority = (int) whole(row, RankTrace.COMM_PRIORITY, attribute, row.priority);
            case EtNames.PG_NAME -> {
                if (isFirst(row, RankTrace.PG_NAME, attribute.value() instanceof EtValue.Text)
                        && attribute.value() instanceof EtValue.Text text) {
                    row.group = text.value();
                }
            }
            case EtNames.INVOLVED_DIM -> {
                boolean isList = attribute.value() instanceof EtValue.Wholes list && list.kind() == EtKind.BOOL;
                if (isFirst(row, RankTrace.INVOLVED_DIM, isList) && attribute.value() instanceof EtValue.Wholes list) {
                    row.involved = booleans(list.values());
                }
            }
            default -> {
                // Attributes without effect on the simulation.
            }
        }
    }

    private static boolean isFirst(Row row, int bit, boolean isWellFormed) {
        boolean first = (row.present & bit) == 0;
        row.present |= bit;
        if (first && !isWellFormed) {
            row.malformed |= bit;
        }
        return first;
    }

    private static long whole(Row row, int bit, EtAttribute attribute, long before) {
        boolean isWhole = attribute.asLong().isPresent();
        return isFirst(row, bit, isWhole) && isWhole ? attribute.asLong().getAsLong() : before;
    }

    private static boolean[] booleans(long[] values) {
        boolean[] out = new boolean[values.length];
        for (int i = 0; i < out.length; i++) {
            out[i] = values[i] != 0;
        }
        return out;
    }

    /** Union of both sets of ids, ascending. */
    private static long[] union(long[] a, long[] b) {
        if (b.length == 0 && isAscending(a)) {
            return a;
        }
        if (a.length == 0 && isAscending(b)) {
            return b;
        }
        long[] all = Arrays.copyOf(a, a.length + b.length);
        System.arraycopy(b, 0, all, a.length, b.length);
        Arrays.sort(all);
        int kept = 0;
        for (long id : all) {
            if (kept == 0 || all[kept - 1] != id) {
                all[kept++] = id;
            }
        }
        return Arrays.copyOf(all, kept);
    }

    private static boolean isAscending(long[] ids) {
        for (int i = 1; i < ids.length; i++) {
            if (ids[i - 1] >= ids[i]) {
                return false;
            }
        }
        return true;
    }

    private static String text(long id) {
        return Long.toUnsignedString(id);
    }
}
