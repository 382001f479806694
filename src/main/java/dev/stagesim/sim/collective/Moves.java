package dev.stagesim.sim.collective;

import dev.stagesim.sim.core.LongIndex;
import dev.stagesim.sim.network.Network;
import dev.stagesim.sim.network.SymmetryBroken;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiPredicate;
import java.util.stream.IntStream;

/**
 * Moves from NPU to NPU that all members of a class make at once, and the proof that they do.
 *
 * <p>What a move is says the procedure ("so many positions on along the ring", "to the partner at this distance"), which
 * makes the same one on every NPU in the same state, or a node of each member's own trace. Of each move and class it is
 * shown once, member by member: all arrive in one class of as many members, each at another NPU, by ways that are alike,
 * and the way back is the inverse. O(NPUs times hops) for each move and class.
 */
final class Moves {
    /** Keys are two numbers of 31 bits, each in a half of its own, and a mark. */
    private static final int HALF = 32;

    private static final long PAIR = 1L << 63;
    private static final long GROUP = 1L << 63;
    private static final int NO_WAITER = -1;

    private final NpuClasses classes;
    private final Network network;
    private final List<LogicalRing> rings = new ArrayList<>();
    private final List<Procedure> procedures = new ArrayList<>();
    private final LongIndex places = new LongIndex(16);
    private final LongIndex numbers = new LongIndex(16);
    private final List<Move> known = new ArrayList<>();
    private final LongIndex proven = new LongIndex(16);
    private final LongIndex ofNodes = new LongIndex(16);
    private final LongIndex ordered = new LongIndex(16);
    private final Map<List<Integer>, Integer> pairs = new LinkedHashMap<>();
    private final Map<Integer, int[]> members = new LinkedHashMap<>();

    /** A move along a ring, of the stand-in's group where it has one, or else from each of some NPUs to another. */
    private record Move(Optional<Step> step, Optional<Pairs> pairs) {}

    Moves(NpuClasses classes, Network network) {
        this.classes = classes;
        this.network = network;
    }

    /**
     * Number of the move that takes {@code from} to {@code to} in a phase.
     *
     * @throws SymmetryBroken when the members of the sender's class do not all make it alike
     */
    int along(Phase phase, int from, int to) {
        LogicalRing ring = phase.ring();
        phase.procedure().asymmetry(ring.size()).ifPresent(why -> {
            throw new SymmetryBroken(why);
        });
        Step step = Step.of(phase, from, to);
        long kind = numberIn(procedures, phase.procedure(), (a, b) -> a == b);
        long along = ring.isGroup()
                ? GROUP | ring.group()
                : numberIn(rings, ring, (a, b) -> a.stride() == b.stride() && a.size() == b.size());
        long place = number(places, kind << HALF | along);
        int move = number(numbers, place << HALF | step.move());
        if (move == known.size()) {
            known.add(new Move(Optional.of(step), Optional.empty()));
        }
        prove(move, classes.classOf(from), step);
        return move;
    }

    /**
     * Number of the move that the message of a node makes, whether the node sends or receives it.
     *
     * @throws SymmetryBroken when the members of the sender's class do not all make it alike
     */
    int ofNode(int npu, int node) {
        long key = (long) npu << HALF | node;
        int move = ofNodes.get(key);
        if (move >= 0) {
            return move;
        }
        int[] its = members(classes.classOf(npu));
        boolean isSend = classes.trace(npu).type[node] == RankTrace.Type.SEND;
        int[] peers = new int[its.length];
        for (int i = 0; i < its.length; i++) {
            RankTrace trace = classes.trace(its[i]);
            peers[i] = isSend ? trace.destination[node] : trace.source[node];
        }
        move = isSend ? pairs(its, peers) : pairs(peers, its);
        ofNodes.put(key, move);
        return move;
    }

    /**
     * Number of the move between two NPUs that have no equals.
     *
     * @throws SymmetryBroken when they have
     */
    int between(int from, int to) {
        if (classes.size(classes.classOf(from)) > 1 || classes.size(classes.classOf(to)) > 1) {
            throw new SymmetryBroken("an NPU that stands for others sends or receives a message of its own");
        }
        return pairs(new int[] {from}, new int[] {to});
    }

    /** The move from each of some NPUs to another one, which are all of a class. */
    private int pairs(int[] from, int[] to) {
        Pairs its = new Pairs(from, to);
        List<Integer> key = its.key();
        Integer before = pairs.get(key);
        if (before != null) {
            return before;
        }
        int first = its.from[0];
        if (!Arrays.equals(its.from, members(classes.classOf(first)))
                || !Arrays.equals(its.receivers(), members(classes.classOf(its.to[0])))) {
            throw new SymmetryBroken("NPUs with the work of NPU " + first + " do not all send to alike ones");
        }
        // What arrives at an NPU and what it sends itself would come in the order of ranks.
        if (its.from.length > 1 && classes.classOf(first) == classes.classOf(its.to[0])) {
            throw new SymmetryBroken("NPUs with the same work send to each other");
        }
        if (!network.areEquivalentPaths(its.from, its.to)) {
            throw new SymmetryBroken(
                    its.from.length == 1
                            ? "a message crosses links that stand for others"
                            : "messages of NPUs with the work of NPU " + first + " do not all go alike ways");
        }
        int move = number(numbers, PAIR | pairs.size());
        known.add(new Move(Optional.empty(), Optional.of(its)));
        pairs.put(key, move);
        return move;
    }

    /**
     * Of two messages that arrive at one time, and whose senders are told, the one from the lower rank comes first; that has to
     * be the same message for every member of a class that both concern.
     *
     * @throws SymmetryBroken when it is not
     */
    void inOrder(int earlier, int later) {
        long key = (long) earlier << HALF | later;
        if (earlier == later || ordered.get(key) >= 0) {
            return;
        }
        int[] orders = new int[2];
        Pairs a = pairs(earlier);
        Pairs b = pairs(later);
        if (classes.classOf(a.from[0]) == classes.classOf(b.from[0])) {
            throw new SymmetryBroken("messages of one sender arrive at one time");
        }
        for (int i = 0; i < a.from.length; i++) {
            int sender = a.from[i];
            int receiver = a.to[i];
            count(orders, sender, b.origin(receiver));
            count(orders, sender, b.origin(sender));
            count(orders, sender, b.contains(receiver) ? receiver : NO_WAITER);
        }
        if (orders[0] > 0 && orders[1] > 0) {
            throw new SymmetryBroken("messages arrive at one time, in an order that ranks decide");
        }
        ordered.put(key, 1);
    }

    private static void count(int[] orders, int sender, int other) {
        if (other != NO_WAITER && other != sender) {
            orders[other > sender ? 0 : 1]++;
        }
    }

    private Pairs pairs(int move) {
        return known.get(move).pairs().orElseThrow();
    }

    /** Who sends to whom: each of some NPUs to another one. */
    private static final class Pairs {
        /** Senders in ascending order, and the receiver of each. */
        final int[] from;

        final int[] to;

        /** By receiver, with the sender in the lower half. */
        private final long[] back;

        Pairs(int[] senders, int[] receivers) {
            long[] sorted = new long[senders.length];
            back = new long[senders.length];
            for (int i = 0; i < senders.length; i++) {
                sorted[i] = (long) senders[i] << HALF | receivers[i];
                back[i] = (long) receivers[i] << HALF | senders[i];
            }
            Arrays.sort(sorted);
            Arrays.sort(back);
            from = Arrays.stream(sorted).mapToInt(pair -> (int) (pair >>> HALF)).toArray();
            to = Arrays.stream(sorted).mapToInt(pair -> (int) pair).toArray();
        }

        boolean contains(int sender) {
            return Arrays.binarySearch(from, sender) >= 0;
        }

        int receiver(int sender) {
            return to[Arrays.binarySearch(from, sender)];
        }

        /** Who sends to a receiver, or nobody. */
        int origin(int receiver) {
            int at = -1 - Arrays.binarySearch(back, (long) receiver << HALF);
            if (at < 0) {
                return (int) back[-1 - at];
            }
            return at < back.length && (int) (back[at] >>> HALF) == receiver ? (int) back[at] : NO_WAITER;
        }

        int[] receivers() {
            return Arrays.stream(back).mapToInt(pair -> (int) (pair >>> HALF)).toArray();
        }

        /** What no other pairs have. */
        List<Integer> key() {
            return IntStream.concat(Arrays.stream(from), Arrays.stream(to))
                    .boxed()
                    .toList();
        }
    }

    /** The NPU to which a move brings a message of {@code rank}. */
    int peer(int move, int rank) {
        Move its = known.get(move);
        return its.step().map(step -> of(step, rank).peer(rank)).orElseGet(() -> pairs(move)
                .receiver(rank));
    }

    /** The NPU from which a move brings a message to {@code rank}. */
    int origin(int move, int rank) {
        Move its = known.get(move);
        return its.step().map(step -> of(step, rank).back().peer(rank)).orElseGet(() -> pairs(move)
                .origin(rank));
    }

    /** A step as it is in the group in which {@code rank} makes it. */
    private Step of(Step step, int rank) {
        if (!step.ring().isGroup()) {
            return step;
        }
        LogicalRing ring = classes.ring(classes.groupOf(rank, step.ring().group()))
                .filter(its -> its.size() == step.ring().size())
                .orElseThrow(() ->
                        new SymmetryBroken("NPUs that meet in a group are not all like the members of another one"));
        return new Step(step.procedure(), ring, step.move());
    }

    private int[] members(int number) {
        return members.computeIfAbsent(number, classes::members);
    }

    private static int number(LongIndex numbers, long key) {
        int number = numbers.get(key);
        if (number < 0) {
            number = numbers.size();
            numbers.put(key, number);
        }
        return number;
    }

    /** Where one is in a list; it is put there when it is new. */
    private static <T> int numberIn(List<T> known, T its, BiPredicate<T, T> isSame) {
        int at = 0;
        while (at < known.size() && !isSame.test(known.get(at), its)) {
            at++;
        }
        if (at == known.size()) {
            known.add(its);
        }
        return at;
    }

    private void prove(int move, int from, Step step) {
        long key = (long) move * classes.count() + from;
        if (proven.get(key) >= 0) {
            return;
        }
        int[] members = members(from);
        int[] peers = new int[members.length];
        int first = members[0];
        int target = classes.classOf(of(step, first).peer(first));
        boolean holds = members.length == classes.size(target);
        for (int i = 0; i < members.length && holds; i++) {
            Step its = of(step, members[i]);
            peers[i] = its.peer(members[i]);
            holds = classes.classOf(peers[i]) == target
                    && of(step, peers[i]).ring() == its.ring()
                    && its.back().peer(peers[i]) == members[i];
        }
        if (!holds || !network.areEquivalentPaths(members, peers)) {
            throw new SymmetryBroken("NPUs with the work of NPU " + first + " do not all stand alike to their peers");
        }
        proven.put(key, 1);
    }
}
