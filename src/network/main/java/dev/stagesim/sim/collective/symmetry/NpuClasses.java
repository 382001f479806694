package dev.stagesim.sim.collective.symmetry;

import dev.stagesim.model.trace.CommGroups;
import dev.stagesim.sim.collective.procedure.Group;
import dev.stagesim.sim.collective.procedure.LogicalRing;
import dev.stagesim.sim.collective.trace.RankTrace;
import dev.stagesim.sim.collective.trace.RankTrace.Type;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeSet;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Classes of NPUs with equivalent work, which are assumed to do the same things at the same times.
 *
 * <p>The traces of a class differ only in the partners of send and receive nodes, which belong to one class, and in the
 * communicator groups of collectives, which occur in the same order. The run verifies the assumption, see {@link
 * SymmetricNetwork}.
 */
public final class NpuClasses {
    /**
     * Maximum number of refinement rounds, which split classes by the classes of their partners. The run detects
     * classes that are still too coarse.
     */
    private static final int MAX_ROUNDS = 64;

    private static final int NON_MEMBER = -2;

    private final List<RankTrace> traces;
    private final CommGroups groups;
    private final Map<RankTrace, Shape> shapes = new LinkedHashMap<>();
    private final Map<Integer, @Nullable LogicalRing> rings = new LinkedHashMap<>();
    private int[] classOf = {};
    private int[] first = {};
    private int[] size = {};

    /**
     * Structure of a trace with respect to other NPUs.
     *
     * @param number equal for traces that differ only in partners and groups
     * @param messages nodes that send or receive
     * @param groups its communicator groups in ascending order
     * @param pattern by node: index of its group, or -1
     */
    private record Shape(int number, int[] messages, int[] groups, int[] pattern) {
        private static final int NO_NUMBER = -1;
        private static final int[] NONE = {};

        static Shape of(RankTrace trace) {
            List<Integer> messages = new ArrayList<>();
            TreeSet<Integer> groups = new TreeSet<>();
            for (int node = 0; node < trace.size(); node++) {
                if (trace.type[node] == Type.SEND || trace.type[node] == Type.RECEIVE) {
                    messages.add(node);
                } else if (group(trace, node) != 0) {
                    groups.add(group(trace, node));
                }
            }
            if (messages.isEmpty() && groups.isEmpty()) {
                return new Shape(0, NONE, NONE, NONE);
            }
            int[] sorted = groups.stream().mapToInt(Integer::intValue).toArray();
            int[] pattern = new int[trace.size()];
            for (int node = 0; node < pattern.length; node++) {
                pattern[node] = Math.max(-1, Arrays.binarySearch(sorted, group(trace, node)));
            }
            return new Shape(0, messages.stream().mapToInt(Integer::intValue).toArray(), sorted, pattern);
        }

        Shape numbered(int newNumber) {
            return new Shape(newNumber, messages, groups, pattern);
        }

        /**
         * The group that a collective names, or 0 if it names none, or a negative number if the name cannot be a group.
         */
        private static int group(RankTrace trace, int node) {
            String name = trace.group[node];
            if (trace.type[node] != Type.COLLECTIVE || name.isEmpty() || name.equals("0")) {
                return 0;
            }
            try {
                int id = Integer.parseInt(name.trim());
                return id == 0 ? NO_NUMBER : id;
            } catch (NumberFormatException refusedLater) {
                return NO_NUMBER;
            }
        }
    }

    private NpuClasses(List<RankTrace> traces, CommGroups groups) {
        this.traces = traces;
        this.groups = groups;
    }

    /** Computes the classes, in order of their lowest ranks. */
    public static NpuClasses of(List<RankTrace> traces, CommGroups groups) {
        NpuClasses classes = new NpuClasses(traces, groups);
        classes.findShapes();
        classes.number(classes::own);
        boolean hasNoMessages = classes.shapes.values().stream().allMatch(shape -> shape.messages().length == 0);
        int before = hasNoMessages ? classes.count() : 0;
        for (int round = 0; round < MAX_ROUNDS && classes.count() > before; round++) {
            before = classes.count();
            classes.number(classes::withPeers);
        }
        return classes;
    }

    private void findShapes() {
        Map<List<Integer>, List<RankTrace>> similar = new LinkedHashMap<>();
        for (RankTrace trace : traces) {
            // Traces are compared by identity; ranks with equal work share one object.
            if (!shapes.containsKey(trace)) {
                Shape shape = Shape.of(trace);
                List<RankTrace> others = similar.computeIfAbsent(
                        List.of(trace.size(), Arrays.hashCode(shape.pattern())), unused -> new ArrayList<>());
                int number = shapes.size();
                for (RankTrace other : others) {
                    Shape known = shape(other);
                    if (trace.hasSameWork(other) && Arrays.equals(shape.pattern(), known.pattern())) {
                        number = known.number();
                        break;
                    }
                }
                if (number == shapes.size()) {
                    others.add(trace);
                }
                shapes.put(trace, shape.numbered(number));
            }
        }
    }

    private Shape shape(RankTrace trace) {
        return Objects.requireNonNull(shapes.get(trace));
    }

    /** Key that distinguishes NPUs before the classes of their partners are computed. */
    private List<Integer> own(int rank) {
        RankTrace trace = traces.get(rank);
        Shape shape = shape(trace);
        List<Integer> key = new ArrayList<>();
        key.add(shape.number());
        for (int id : shape.groups()) {
            Optional<LogicalRing> ring = ring(id);
            boolean isMember = ring.isPresent() && ring.get().position(rank) >= 0;
            key.add(isMember ? ring.get().size() : -1 - rank);
        }
        for (int node : shape.messages()) {
            boolean isSend = trace.type[node] == Type.SEND;
            int self = isSend ? trace.source[node] : trace.destination[node];
            boolean isOther = trace.has(node, isSend ? RankTrace.COMM_SRC : RankTrace.COMM_DST) && self != rank;
            if (isOther) {
                key.add(-1 - rank);
            }
        }
        return key;
    }

    private List<Integer> withPeers(int rank) {
        RankTrace trace = traces.get(rank);
        List<Integer> key = new ArrayList<>();
        key.add(classOf[rank]);
        for (int node : shape(trace).messages()) {
            int peer = trace.type[node] == Type.SEND ? trace.destination[node] : trace.source[node];
            key.add(peer < 0 || peer >= classOf.length ? NON_MEMBER : classOf[peer]);
        }
        return key;
    }

    private void number(IntFunction<List<Integer>> key) {
        Map<List<Integer>, Integer> numbers = new LinkedHashMap<>();
        int[] numbered = new int[traces.size()];
        int[] lowest = new int[traces.size()];
        int[] counts = new int[traces.size()];
        for (int rank = 0; rank < numbered.length; rank++) {
            int number = numbers.size();
            Integer before = numbers.putIfAbsent(key.apply(rank), number);
            if (before == null) {
                lowest[number] = rank;
            } else {
                number = before;
            }
            numbered[rank] = number;
            counts[number]++;
        }
        classOf = numbered;
        first = Arrays.copyOf(lowest, numbers.size());
        size = Arrays.copyOf(counts, numbers.size());
    }

    int npus() {
        return classOf.length;
    }

    public RankTrace trace(int rank) {
        return traces.get(rank);
    }

    /** Number of classes. */
    public int count() {
        return first.length;
    }

    int classOf(int rank) {
        return classOf[rank];
    }

    public int size(int number) {
        return size[number];
    }

    /** The representative of a rank's class, which has its lowest rank. */
    int representative(int rank) {
        return first[classOf[rank]];
    }

    /** The group of an NPU that corresponds to a group of its representative, or 0. */
    int groupOf(int rank, int group) {
        int at = Arrays.binarySearch(shape(traces.get(representative(rank))).groups(), group);
        return at < 0 ? 0 : shape(traces.get(rank)).groups()[at];
    }

    /** The ring of a group, if it exists. */
    Optional<LogicalRing> ring(int group) {
        return Optional.ofNullable(rings.computeIfAbsent(group, id -> {
            List<Integer> ranks = groups.groups().get(id);
            return ranks == null ? null : LogicalRing.of(Group.asReference(id, ranks));
        }));
    }

    /** The ranks of a class in ascending order. */
    public int[] members(int number) {
        int[] members = new int[size[number]];
        int found = 0;
        for (int rank = first[number]; found < members.length; rank++) {
            if (classOf[rank] == number) {
                members[found++] = rank;
            }
        }
        return members;
    }

    /** The representative of every rank. */
    public int[] representatives() {
        int[] all = new int[classOf.length];
        for (int rank = 0; rank < all.length; rank++) {
            all[rank] = first[classOf[rank]];
        }
        return all;
    }
}
