package dev.stagesim.sim.collective;

import dev.stagesim.sim.core.LongIndex;
import dev.stagesim.sim.network.Fold;
import dev.stagesim.sim.network.LinkUse;
import dev.stagesim.sim.network.Matcher;
import dev.stagesim.sim.network.Network;
import dev.stagesim.sim.network.NetworkClient;
import dev.stagesim.sim.network.SymmetryBroken;
import dev.stagesim.sim.network.Unmatched;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BiPredicate;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A network on which one NPU of each class stands for all of it: an event here is the same event on every member.
 *
 * <p>That every member sends the same to an NPU that stands to it as the stand-in's peer does is proven for each move by
 * {@link Shifts}. What remains is order: of two events at one time the same must come first at every member. In the order
 * of {@link dev.stagesim.sim.network.Wave} it does, since that order is made of what the events are and what the NPU
 * itself did before; here and on the network that this one stands for. Where a proof fails, {@link SymmetryBroken} ends
 * the run.
 */
final class SymmetricNetwork implements Network, Fold {
    /** Classes that an event can name. */
    static final int MOST_CLASSES = 1 << 15;

    private final Network real;
    private final NpuClasses classes;
    private final Shifts shifts;
    private final @Nullable Traffic traffic;
    private @Nullable Phase phase;
    private long sent;
    private int recent;

    /**
     * @param wantsTraffic whether {@link #tellTraffic} is going to be asked
     * @throws SymmetryBroken when the network cannot be folded
     */
    SymmetricNetwork(Network real, NpuClasses classes, boolean wantsTraffic) {
        this.traffic = wantsTraffic ? new Traffic(classes.npus()) : null;
        this.real = real;
        this.classes = classes;
        this.shifts = new Shifts(classes, real);
        if (!real.fold(this)) {
            throw new SymmetryBroken("this network tells nothing of what messages have in common");
        }
    }

    /** What follows is sent and received in this phase. */
    void along(Phase its) {
        phase = its;
    }

    /** What follows is sent and received by nodes. */
    void alone() {
        phase = null;
    }

    /** Tells what every NPU sent to every other. */
    void tellTraffic(SimulationObserver observer) {
        if (traffic != null) {
            traffic.tell(classes, observer);
        }
    }

    @Override
    public int move(int from, int to) {
        recent = phase == null ? shifts.between(from, to) : shifts.along(phase, from, to);
        return recent;
    }

    @Override
    public int classOf(int rank) {
        return classes.classOf(rank);
    }

    @Override
    public int npus() {
        return real.npus();
    }

    @Override
    public boolean carriesToSelf() {
        return false;
    }

    @Override
    public long now() {
        return real.now();
    }

    @Override
    public boolean hasEventNow() {
        return real.hasEventNow();
    }

    @Override
    public void schedule(long at, long event) {
        real.schedule(at, event);
    }

    @Override
    public void send(int source, int destination, long size, int label, int told) {
        real.send(source, destination, size, label, told);
        sent += classes.size(classes.classOf(source));
        if (traffic != null) {
            traffic.add(source, destination, recent, shifts.step(recent), size);
        }
    }

    @Override
    public void receive(int source, int destination, long size, int label, int told) {
        real.receive(source, destination, size, label, told);
    }

    @Override
    public void run(NetworkClient client) {
        real.run(client);
    }

    /** Whether a message arrived that nobody asked for. */
    boolean hasUnmatched() {
        boolean[] has = {false};
        real.unmatched(its -> has[0] = true);
        return has[0];
    }

    @Override
    public void stop() {
        real.stop();
    }

    @Override
    public long events() {
        return real.events();
    }

    @Override
    public long messages() {
        return sent;
    }

    @Override
    public void unmatched(Consumer<Unmatched> sink) {
        List<Unmatched> all = new ArrayList<>();
        real.unmatched(its -> {
            for (int rank : classes.members(its.destination())) {
                int from = shifts.origin(its.source(), rank);
                all.add(new Unmatched(its.kind(), from, rank, its.bytes(), its.tag(), its.count()));
            }
        });
        all.sort(Matcher.ORDER);
        all.forEach(sink);
    }

    @Override
    public void links(Consumer<LinkUse> sink) {
        real.links(sink);
    }

    /**
     * Moves from NPU to NPU that all members of a class make at once, and the proof that they do.
     *
     * <p>What a move is says the procedure ("so many positions on along the ring", "to the partner at this distance"), which
     * makes the same one on every NPU in the same state. Of each move and class it is shown once, member by member:
     * all arrive in one class of as many members, each at another NPU, by ways that are alike, and the way back is the
     * inverse. O(NPUs times hops) for each move and class.
     */
    private static final class Shifts {
        private static final long PAIR = 1L << 62;
        private static final int KIND_SHIFT = 32;
        private static final int RING_SHIFT = 40;

        private final NpuClasses classes;
        private final Network network;
        private final List<LogicalRing> rings = new ArrayList<>();
        private final List<Procedure> procedures = new ArrayList<>();
        private final LongIndex numbers = new LongIndex(16);
        private final List<Move> known = new ArrayList<>();
        private final LongIndex proven = new LongIndex(16);

        /** A move along a ring, or else between two NPUs that have no equals, the first of which is {@code from}. */
        private record Move(Optional<Step> step, int from) {}

        Shifts(NpuClasses classes, Network network) {
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
            if (ring.isGroup()) {
                throw new SymmetryBroken("a collective runs in a communicator group");
            }
            phase.procedure().asymmetry(ring.size()).ifPresent(why -> {
                throw new SymmetryBroken(why);
            });
            Step step = Step.of(phase, from, to);
            long kind = numberIn(procedures, phase.procedure(), (a, b) -> a == b);
            long along = numberIn(rings, ring, (a, b) -> a.stride() == b.stride() && a.size() == b.size());
            int move = number(along << RING_SHIFT | kind << KIND_SHIFT | step.move());
            if (move == known.size()) {
                known.add(new Move(Optional.of(step), from));
            }
            prove(move, classes.classOf(from), step);
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
            int move = number(PAIR | (long) classes.classOf(from) << KIND_SHIFT | classes.classOf(to));
            if (move == known.size()) {
                known.add(new Move(Optional.empty(), from));
                if (!network.areAlike(new int[] {from}, new int[] {to})) {
                    throw new SymmetryBroken("a message crosses links that stand for others");
                }
            }
            return move;
        }

        /** The step that a move is, or null when it is from one NPU to another. */
        @Nullable
        Step step(int move) {
            return known.get(move).step().orElse(null);
        }

        /** The NPU from which a move brings a message to {@code rank}. */
        int origin(int move, int rank) {
            Move its = known.get(move);
            return its.step().map(step -> step.back().peer(rank)).orElse(its.from());
        }

        private int number(long key) {
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
            int[] members = classes.members(from);
            int[] peers = new int[members.length];
            int first = members[0];
            int target = classes.classOf(step.peer(first));
            Step back = step.back();
            boolean holds = members.length == classes.size(target);
            for (int i = 0; i < members.length && holds; i++) {
                peers[i] = step.peer(members[i]);
                holds = classes.classOf(peers[i]) == target && back.peer(peers[i]) == members[i];
            }
            if (!holds || !network.areAlike(members, peers)) {
                throw new SymmetryBroken(
                        "NPUs with the work of NPU " + first + " do not all stand alike to their peers");
            }
            proven.put(key, 1);
        }
    }

    /** What NPUs sent of which one stands for many, kept by sender and move, and told pair by pair at the end. */
    private static final class Traffic {
        private final int npus;
        private final LongIndex index = new LongIndex(16);
        private final List<Sum> sums = new ArrayList<>();

        /** What one NPU sent by one move; without a move, to one NPU. */
        private static final class Sum {
            final int source;
            final int destination;
            final @Nullable Step step;
            long messages;
            long bytes;

            Sum(int source, int destination, @Nullable Step step) {
                this.source = source;
                this.destination = destination;
                this.step = step;
            }
        }

        Traffic(int npus) {
            this.npus = npus;
        }

        /** A message by a move, of which there is a step where it is along a ring. */
        void add(int source, int destination, int move, @Nullable Step step, long size) {
            long key = (long) move * npus + source;
            int at = index.get(key);
            if (at < 0) {
                at = sums.size();
                index.put(key, at);
                sums.add(new Sum(source, destination, step));
            }
            sums.get(at).messages++;
            sums.get(at).bytes += size;
        }

        /** Tells what every NPU sent to every other. */
        void tell(NpuClasses classes, SimulationObserver observer) {
            for (Sum sum : sums) {
                for (int rank : classes.members(classes.classOf(sum.source))) {
                    int peer = sum.step == null ? sum.destination : sum.step.peer(rank);
                    observer.traffic(rank, peer, sum.messages, sum.bytes);
                }
            }
        }
    }
}
