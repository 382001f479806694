package dev.stagesim.sim.collective.symmetry;

import dev.stagesim.sim.collective.procedure.LogicalRing;
import dev.stagesim.sim.collective.procedure.Phase;
import dev.stagesim.sim.collective.procedure.Procedure;
import dev.stagesim.sim.collective.trace.RankTrace;
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
 * Transfers that every NPU of an equivalence class performs at the same time, with the check that they are equivalent.
 *
 * <p>A transfer is defined by the procedure (for example "k positions along the ring" or "the partner at this
 * distance"), which is the same for all NPUs in the same state, or by a node of each member's trace. Each transfer is
 * verified once per class, member by member: the receivers are distinct and form one class of the same size, the paths
 * are equivalent, and the inverse transfer leads back. O(NPUs x hops) per transfer and class.
 */
final class SymmetricTransfers {
    /** Keys pack two 31-bit numbers and a tag bit into a long. */
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
    private final List<Transfer> transfers = new ArrayList<>();
    private final LongIndex proven = new LongIndex(16);
    private final LongIndex ofNodes = new LongIndex(16);
    private final LongIndex ordered = new LongIndex(16);
    private final Map<List<Integer>, Integer> pairs = new LinkedHashMap<>();
    private final Map<Integer, int[]> members = new LinkedHashMap<>();

    /** A transfer along a ring (of the representative's group, if any), or between explicit pairs of NPUs. */
    private record Transfer(Optional<RelativeTransfer> step, Optional<Pairs> pairs) {}

    SymmetricTransfers(NpuClasses classes, Network network) {
        this.classes = classes;
        this.network = network;
    }

    /**
     * Returns the number of the transfer from {@code from} to {@code to} in a phase.
     *
     * @throws SymmetryBroken if the members of the sender's class do not all perform it
     */
    int along(Phase phase, int from, int to) {
        LogicalRing ring = phase.ring();
        phase.procedure().asymmetry(ring.size()).ifPresent(why -> {
            throw new SymmetryBroken(why);
        });
        RelativeTransfer step = RelativeTransfer.of(phase, from, to);
        long kind = numberIn(procedures, phase.procedure(), (a, b) -> a == b);
        long along = ring.isGroup()
                ? GROUP | ring.group()
                : numberIn(rings, ring, (a, b) -> a.stride() == b.stride() && a.size() == b.size());
        long place = number(places, kind << HALF | along);
        int move = number(numbers, place << HALF | step.move());
        if (move == transfers.size()) {
            transfers.add(new Transfer(Optional.of(step), Optional.empty()));
        }
        verify(move, classes.classOf(from), step);
        return move;
    }

    /**
     * Returns the number of the transfer of a send or receive node.
     *
     * @throws SymmetryBroken if the members of the sender's class do not all perform it
     */
    int ofNode(int npu, int node) {
        long key = (long) npu << HALF | node;
        int move = ofNodes.get(key);
        if (move >= 0) {
            return move;
        }
        int[] senders = members(classes.classOf(npu));
        boolean isSend = classes.trace(npu).type[node] == RankTrace.Type.SEND;
        int[] peers = new int[senders.length];
        for (int i = 0; i < senders.length; i++) {
            RankTrace trace = classes.trace(senders[i]);
            peers[i] = isSend ? trace.destination[node] : trace.source[node];
        }
        move = isSend ? pairs(senders, peers) : pairs(peers, senders);
        ofNodes.put(key, move);
        return move;
    }

    /**
     * Returns the number of the transfer between two NPUs that represent only themselves.
     *
     * @throws SymmetryBroken if one of them represents other NPUs
     */
    int between(int from, int to) {
        if (classes.size(classes.classOf(from)) > 1 || classes.size(classes.classOf(to)) > 1) {
            throw new SymmetryBroken("an NPU that represents others sends or receives an individual message");
        }
        return pairs(new int[] {from}, new int[] {to});
    }

    /** Returns the number of the transfer between pairs of NPUs. */
    private int pairs(int[] from, int[] to) {
        Pairs newPairs = new Pairs(from, to);
        List<Integer> key = newPairs.key();
        Integer before = pairs.get(key);
        if (before != null) {
            return before;
        }
        int first = newPairs.from[0];
        if (!Arrays.equals(newPairs.from, members(classes.classOf(first)))
                || !Arrays.equals(newPairs.receivers(), members(classes.classOf(newPairs.to[0])))) {
            throw new SymmetryBroken("NPUs equivalent to NPU " + first + " do not all send to equivalent ones");
        }
        // The order of sends and receives at one NPU would depend on ranks.
        if (newPairs.from.length > 1 && classes.classOf(first) == classes.classOf(newPairs.to[0])) {
            throw new SymmetryBroken("NPUs with the same work send to each other");
        }
        if (!network.areEquivalentPaths(newPairs.from, newPairs.to)) {
            throw new SymmetryBroken(
                    newPairs.from.length == 1
                            ? "a message crosses links that represent others"
                            : "messages of NPUs equivalent to NPU " + first + " do not all take equivalent paths");
        }
        int move = number(numbers, PAIR | pairs.size());
        transfers.add(new Transfer(Optional.empty(), Optional.of(newPairs)));
        pairs.put(key, move);
        return move;
    }

    /**
     * Checks the order of two simultaneous messages with notified senders. The message from the lower rank comes first;
     * this must be the same message at every affected member of a class.
     *
     * @throws SymmetryBroken if it is not
     */
    void checkOrder(int earlier, int later) {
        long key = (long) earlier << HALF | later;
        if (earlier == later || ordered.get(key) >= 0) {
            return;
        }
        int[] orders = new int[2];
        Pairs a = pairs(earlier);
        Pairs b = pairs(later);
        if (classes.classOf(a.from[0]) == classes.classOf(b.from[0])) {
            throw new SymmetryBroken("messages of one sender arrive simultaneously");
        }
        for (int i = 0; i < a.from.length; i++) {
            int sender = a.from[i];
            int receiver = a.to[i];
            count(orders, sender, b.origin(receiver));
            count(orders, sender, b.origin(sender));
            count(orders, sender, b.contains(receiver) ? receiver : NO_WAITER);
        }
        if (orders[0] > 0 && orders[1] > 0) {
            throw new SymmetryBroken("messages arrive simultaneously, in an order that depends on ranks");
        }
        ordered.put(key, 1);
    }

    private static void count(int[] orders, int sender, int other) {
        if (other != NO_WAITER && other != sender) {
            orders[other > sender ? 0 : 1]++;
        }
    }

    private Pairs pairs(int move) {
        return transfers.get(move).pairs().orElseThrow();
    }

    /** Sender-receiver pairs. */
    private static final class Pairs {
        /** Senders in ascending order, and the receiver of each. */
        final int[] from;

        final int[] to;

        /** By receiver, with the sender in the lower half. */
        private final long[] inverse;

        Pairs(int[] senders, int[] receivers) {
            long[] sorted = new long[senders.length];
            inverse = new long[senders.length];
            for (int i = 0; i < senders.length; i++) {
                sorted[i] = (long) senders[i] << HALF | receivers[i];
                inverse[i] = (long) receivers[i] << HALF | senders[i];
            }
            Arrays.sort(sorted);
            Arrays.sort(inverse);
            from = Arrays.stream(sorted).mapToInt(pair -> (int) (pair >>> HALF)).toArray();
            to = Arrays.stream(sorted).mapToInt(pair -> (int) pair).toArray();
        }

        boolean contains(int sender) {
            return Arrays.binarySearch(from, sender) >= 0;
        }

        int receiver(int sender) {
            return to[Arrays.binarySearch(from, sender)];
        }

        /** The sender to a receiver, or {@link #NO_WAITER}. */
        int origin(int receiver) {
            int at = -1 - Arrays.binarySearch(inverse, (long) receiver << HALF);
            if (at < 0) {
                return (int) inverse[-1 - at];
            }
            return at < inverse.length && (int) (inverse[at] >>> HALF) == receiver ? (int) inverse[at] : NO_WAITER;
        }

        int[] receivers() {
            return Arrays.stream(inverse)
                    .mapToInt(pair -> (int) (pair >>> HALF))
                    .toArray();
        }

        /** Unique key of these pairs. */
        List<Integer> key() {
            return IntStream.concat(Arrays.stream(from), Arrays.stream(to))
                    .boxed()
                    .toList();
        }
    }

    /** The receiver of a transfer from {@code rank}. */
    int peer(int move, int rank) {
        Transfer transfer = transfers.get(move);
        return transfer.step().map(step -> of(step, rank).peer(rank)).orElseGet(() -> pairs(move)
                .receiver(rank));
    }

    /** The sender of a transfer to {@code rank}. */
    int origin(int move, int rank) {
        Transfer transfer = transfers.get(move);
        return transfer.step().map(step -> of(step, rank).inverse().peer(rank)).orElseGet(() -> pairs(move)
                .origin(rank));
    }

    /** The equivalent of a representative's transfer in the group of {@code rank}. */
    private RelativeTransfer of(RelativeTransfer step, int rank) {
        if (!step.ring().isGroup()) {
            return step;
        }
        LogicalRing ring = classes.ring(classes.groupOf(rank, step.ring().group()))
                .filter(other -> other.size() == step.ring().size())
                .orElseThrow(() ->
                        new SymmetryBroken("NPUs of a group are not all equivalent to the members of another group"));
        return new RelativeTransfer(step.procedure(), ring, step.move());
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

    /** Returns the index of an element of a list, after adding it if absent. */
    private static <T> int numberIn(List<T> transfers, T element, BiPredicate<T, T> isSame) {
        int at = 0;
        while (at < transfers.size() && !isSame.test(transfers.get(at), element)) {
            at++;
        }
        if (at == transfers.size()) {
            transfers.add(element);
        }
        return at;
    }

    private void verify(int move, int from, RelativeTransfer step) {
        long key = (long) move * classes.count() + from;
        if (proven.get(key) >= 0) {
            return;
        }
        int[] members = members(from);
        int[] peers = new int[members.length];
        int first = members[0];
        int target = classes.classOf(of(step, first).peer(first));
        boolean isValid = members.length == classes.size(target);
        for (int i = 0; i < members.length && isValid; i++) {
            RelativeTransfer memberStep = of(step, members[i]);
            peers[i] = memberStep.peer(members[i]);
            isValid = classes.classOf(peers[i]) == target
                    && of(step, peers[i]).ring() == memberStep.ring()
                    && memberStep.inverse().peer(peers[i]) == members[i];
        }
        if (!isValid || !network.areEquivalentPaths(members, peers)) {
            throw new SymmetryBroken("NPUs equivalent to NPU " + first + " do not all have equivalent partners");
        }
        proven.put(key, 1);
    }
}
