package dev.stagesim.sim.collective;

import dev.stagesim.sim.core.EventCalendar;
import dev.stagesim.sim.core.LongIndex;
import dev.stagesim.sim.network.LinkUse;
import dev.stagesim.sim.network.Matcher;
import dev.stagesim.sim.network.Network;
import dev.stagesim.sim.network.NetworkClient;
import dev.stagesim.sim.network.Unmatched;
import dev.stagesim.sim.network.Wave;
import java.util.ArrayList;
import java.util.Arrays;
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
 * of {@link Wave} it does, whatever the events are, since that order is made of what the events are and what the NPU
 * itself did before; here and on the network that this one stands for. Where a proof fails, {@link SymmetryBroken} ends
 * the run.
 */
final class SymmetricNetwork implements Network {
    /** Classes that an event can name. */
    static final int MOST_CLASSES = 1 << 15;

    private static final long OWN = Long.MIN_VALUE;
    private static final int ARRIVED = 1;
    private static final int DEFERRED = 0;
    private static final int KIND_SHIFT = 40;

    private final Network real;
    private final NpuClasses classes;
    private final Shifts shifts;
    private final EventCalendar calendar = new EventCalendar();
    private final Matcher matcher = new Matcher();

    private int[] move = new int[64];
    private int[] sender = new int[64];
    private int[] receiver = new int[64];
    private long[] bytes = new long[64];
    private int[] tag = new int[64];
    private int[] handle = new int[64];
    private int[] nextMessage = new int[64];
    private int freeMessage = -1;
    private int messagesMade;

    private final Wave wave = new Wave();
    private final @Nullable Traffic traffic;
    private @Nullable Phase phase;
    private long sent;
    private boolean isStopped;

    /**
     * Stands for a network.
     *
     * @param wantsTraffic whether {@link #tellTraffic} is going to be asked
     */
    SymmetricNetwork(Network real, NpuClasses classes, boolean wantsTraffic) {
        this.traffic = wantsTraffic ? new Traffic(classes.npus()) : null;
        this.real = real;
        this.classes = classes;
        this.shifts = new Shifts(classes, real);
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

    private int move(int from, int to) {
        return phase == null ? shifts.between(from, to) : shifts.along(phase, from, to);
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
        return calendar.now();
    }

    @Override
    public boolean hasEventNow() {
        return calendar.hasNext() && calendar.nextTime() == calendar.now();
    }

    @Override
    public void schedule(long at, long event) {
        calendar.schedule(at, event);
    }

    @Override
    public void send(int source, int destination, long size, int label, int told) {
        int message = newMessage();
        move[message] = move(source, destination);
        sender[message] = classes.classOf(source);
        receiver[message] = classes.classOf(destination);
        bytes[message] = size;
        tag[message] = label;
        handle[message] = told;
        sent += classes.size(sender[message]);
        if (traffic != null) {
            traffic.add(source, destination, move[message], shifts.step(move[message]), size);
        }
        long at = now() + real.delay(source, destination, size);
        schedule(at, own(ARRIVED, message));
    }

    @Override
    public void receive(int source, int destination, long size, int label, int told) {
        int by = move(source, destination);
        int at = classes.classOf(destination);
        if (matcher.receive(by, at, size, label, told)) {
            schedule(now(), own(DEFERRED, told) | (long) at << 48);
        }
    }

    private static long own(int kind, int index) {
        return OWN | (long) kind << KIND_SHIFT | index;
    }

    @Override
    public void run(NetworkClient client) {
        isStopped = false;
        long due = PROGRESS_EVENTS;
        while (!isStopped && calendar.hasNext()) {
            if (calendar.handled() >= due) {
                due += PROGRESS_EVENTS;
                client.progress();
            }
            runWave(client);
        }
    }

    private void runWave(NetworkClient client) {
        wave.clear();
        do {
            long event = calendar.take();
            if (isArrival(event)) {
                int message = (int) event;
                wave.addArrival(tag[message], handle[message] >= 0 ? classes.first(sender[message]) : -1, message);
            } else {
                wave.add(event);
            }
        } while (calendar.hasNow());
        wave.close();
        for (int i = 0; i < wave.arrivals() && !isStopped; i++) {
            int message = wave.arrival(i);
            tell(message, match(message), client);
        }
        for (int i = 0; i < wave.others() && !isStopped; i++) {
            other(wave.other(i), client);
        }
    }

    private static boolean isArrival(long event) {
        return event < 0 && ((int) (event >>> KIND_SHIFT) & 0xFF) == ARRIVED;
    }

    /** The receive that waits for a message which is there now. */
    private int match(int message) {
        return matcher.arrive(move[message], receiver[message], bytes[message], tag[message]);
    }

    private void tell(int message, int waiting, NetworkClient client) {
        int told = handle[message];
        nextMessage[message] = freeMessage;
        freeMessage = message;
        if (told >= 0) {
            client.sent(told);
        }
        if (waiting != Matcher.NOTHING) {
            client.received(waiting);
        }
    }

    private static void other(long event, NetworkClient client) {
        if (event >= 0) {
            client.event(event);
        } else {
            client.received((int) event);
        }
    }

    private int newMessage() {
        int message = freeMessage;
        if (message >= 0) {
            freeMessage = nextMessage[message];
            return message;
        }
        if (messagesMade == move.length) {
            int size = messagesMade * 2;
            move = Arrays.copyOf(move, size);
            sender = Arrays.copyOf(sender, size);
            receiver = Arrays.copyOf(receiver, size);
            bytes = Arrays.copyOf(bytes, size);
            tag = Arrays.copyOf(tag, size);
            handle = Arrays.copyOf(handle, size);
            nextMessage = Arrays.copyOf(nextMessage, size);
        }
        return messagesMade++;
    }

    /** Whether a message arrived that nobody asked for. */
    boolean hasUnmatched() {
        return !matcher.isEmpty();
    }

    @Override
    public void stop() {
        isStopped = true;
    }

    @Override
    public long events() {
        return calendar.handled();
    }

    @Override
    public long messages() {
        return sent;
    }

    @Override
    public void unmatched(Consumer<Unmatched> sink) {
        List<Unmatched> all = new ArrayList<>();
        matcher.unmatched(its -> {
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
        // Only networks without links are simulated so.
    }

    /**
     * Moves from NPU to NPU that all members of a class make at once, and the proof that they do.
     *
     * <p>What a move is says the procedure ("so many positions on along the ring", "to the partner at this distance"), which
     * makes the same one on every NPU in the same state. Of each move and class it is shown once, member by member:
     * all arrive in one class of as many members, each at another NPU, over the same distance, and the way back is the
     * inverse. O(NPUs) for each move and class.
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
            int first = classes.first(from);
            int target = classes.classOf(step.peer(first));
            int distance = network.distance(first, step.peer(first));
            boolean holds = distance >= 0 && classes.size(from) == classes.size(target);
            for (int rank = first; rank < classes.npus() && holds; rank++) {
                if (classes.classOf(rank) == from) {
                    int peer = step.peer(rank);
                    int back = step.back().peer(peer);
                    holds = classes.classOf(peer) == target && network.distance(rank, peer) == distance && back == rank;
                }
            }
            if (!holds) {
                throw new SymmetryBroken(
                        "NPUs with the work of NPU " + first + " do not all stand alike to their peers");
            }
            proven.put(key, 1);
        }
    }
}
