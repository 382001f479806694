package dev.stagesim.sim.collective;

import dev.stagesim.sim.core.LongIndex;
import dev.stagesim.sim.network.LinkUse;
import dev.stagesim.sim.network.Matcher;
import dev.stagesim.sim.network.Network;
import dev.stagesim.sim.network.NetworkClient;
import dev.stagesim.sim.network.SymmetryBroken;
import dev.stagesim.sim.network.SymmetryFold;
import dev.stagesim.sim.network.Unmatched;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A network on which one NPU of each class stands for all of it: an event here is the same event on every member.
 *
 * <p>That every member sends the same to an NPU that stands to it as the stand-in's peer does is proven for each move by
 * {@link Moves}. What remains is order: of two events at one time the same must come first at every member. In the order
 * of {@link dev.stagesim.sim.network.SimultaneousEvents} it does, since that order is made of what the events are and what the NPU
 * itself did before; here and on the network that this one stands for. Where a proof fails, {@link SymmetryBroken} ends
 * the run.
 */
final class SymmetricNetwork implements Network, SymmetryFold {
    /** Classes that an event can name. */
    static final int MOST_CLASSES = 1 << 15;

    private static final int NONE = -1;

    private final Network real;
    private final NpuClasses classes;
    private final Moves moves;
    private final @Nullable Traffic traffic;
    private @Nullable Phase phase;
    private int npu;
    private int node;
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
        this.moves = new Moves(classes, real);
        if (!real.fold(this)) {
            throw new SymmetryBroken("this network tells nothing of what messages have in common");
        }
    }

    /** What follows is sent and received in this phase. */
    void along(Phase its) {
        phase = its;
    }

    /** What follows is sent or received by a node of an NPU. */
    void along(int rank, int its) {
        phase = null;
        npu = rank;
        node = its;
    }

    /** What follows belongs to one NPU alone. */
    void alone() {
        phase = null;
        node = NONE;
    }

    /** Tells what every NPU sent to every other. */
    void tellTraffic(SimulationObserver observer) {
        if (traffic != null) {
            traffic.tell(classes, moves, observer);
        }
    }

    @Override
    public int move(int from, int to) {
        if (phase != null) {
            recent = moves.along(phase, from, to);
        } else {
            recent = node == NONE ? moves.between(from, to) : moves.ofNode(npu, node);
        }
        return recent;
    }

    @Override
    public void inOrder(int earlier, int later) {
        moves.inOrder(earlier, later);
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
    public boolean supportsSelfSend() {
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
            traffic.add(source, recent, size);
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
                int from = moves.origin(its.source(), rank);
                all.add(new Unmatched(its.kind(), from, rank, its.bytes(), its.tag(), its.count()));
            }
        });
        all.sort(Matcher.ORDER);
        all.forEach(sink);
    }

    @Override
    public List<LinkUse> links() {
        return real.links();
    }

    /** What NPUs sent of which one stands for many, kept by sender and move, and told pair by pair at the end. */
    private static final class Traffic {
        private final int npus;
        private final LongIndex index = new LongIndex(16);
        private final List<Sum> sums = new ArrayList<>();

        /** What one NPU sent by one move. */
        private static final class Sum {
            final int source;
            final int move;
            long messages;
            long bytes;

            Sum(int source, int move) {
                this.source = source;
                this.move = move;
            }
        }

        Traffic(int npus) {
            this.npus = npus;
        }

        void add(int source, int move, long size) {
            long key = (long) move * npus + source;
            int at = index.get(key);
            if (at < 0) {
                at = sums.size();
                index.put(key, at);
                sums.add(new Sum(source, move));
            }
            sums.get(at).messages++;
            sums.get(at).bytes += size;
        }

        /** Tells what every NPU sent to every other. */
        void tell(NpuClasses classes, Moves moves, SimulationObserver observer) {
            for (Sum sum : sums) {
                for (int rank : classes.members(classes.classOf(sum.source))) {
                    observer.traffic(rank, moves.peer(sum.move, rank), sum.messages, sum.bytes);
                }
            }
        }
    }
}
