package dev.stagesim.sim.collective.symmetry;

import dev.stagesim.sim.collective.procedure.Phase;
import dev.stagesim.sim.collective.result.SimulationObserver;
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
 * A network with symmetry folding: entry representative NPU simulates its class, and an event of the representative is
 * the same event on every member.
 *
 * <p>Two facts justify this. {@link SymmetricTransfers} verifies for each transfer that every member sends to the NPU
 * that corresponds to the representative's receiver. {@link dev.stagesim.sim.network.SimultaneousEvents} defines an
 * order of simultaneous events that depends only on the events and the NPU's history, so the order is equal at all
 * members. If a check fails, {@link SymmetryBroken} ends the run.
 */
public final class SymmetricNetwork implements Network, SymmetryFold {
    /** Maximum number of classes that an event can encode. */
    public static final int MAX_CLASSES = 1 << 15;

    private static final int NONE = -1;

    private final Network real;
    private final NpuClasses classes;
    private final SymmetricTransfers transfers;
    private final @Nullable Traffic traffic;
    private @Nullable Phase phase;
    private int npu;
    private int node;
    private long sent;
    private int recent;

    /**
     * @param needsTraffic whether {@link #reportTraffic} will be called
     * @throws SymmetryBroken if the network cannot be folded
     */
    public SymmetricNetwork(Network real, NpuClasses classes, boolean needsTraffic) {
        this.traffic = needsTraffic ? new Traffic(classes.npus()) : null;
        this.real = real;
        this.classes = classes;
        this.transfers = new SymmetricTransfers(classes, real);
        if (!real.fold(this)) {
            throw new SymmetryBroken("this network does not support symmetry folding");
        }
    }

    /** The next sends and receives belong to this phase. */
    public void along(Phase next) {
        phase = next;
    }

    /** The next send or receive belongs to a node of an NPU. */
    public void along(int rank, int nodeIndex) {
        phase = null;
        npu = rank;
        node = nodeIndex;
    }

    /** The next send or receive belongs to entry NPU only. */
    public void ofSinglePair() {
        phase = null;
        node = NONE;
    }

    /** Reports the traffic between all pairs of NPUs. */
    public void reportTraffic(SimulationObserver observer) {
        if (traffic != null) {
            traffic.report(classes, transfers, observer);
        }
    }

    @Override
    public int move(int from, int to) {
        if (phase != null) {
            recent = transfers.along(phase, from, to);
        } else {
            recent = node == NONE ? transfers.between(from, to) : transfers.ofNode(npu, node);
        }
        return recent;
    }

    @Override
    public void checkOrder(int earlier, int later) {
        transfers.checkOrder(earlier, later);
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
    public void send(int source, int destination, long size, int label, int notified) {
        real.send(source, destination, size, label, notified);
        sent += classes.size(classes.classOf(source));
        if (traffic != null) {
            traffic.add(source, recent, size);
        }
    }

    @Override
    public void receive(int source, int destination, long size, int label, int notified) {
        real.receive(source, destination, size, label, notified);
    }

    @Override
    public void run(NetworkClient client) {
        real.run(client);
    }

    /** True if a message arrived without a receive. */
    public boolean hasUnmatched() {
        boolean[] has = {false};
        real.unmatched(unmatched -> has[0] = true);
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
        real.unmatched(entry -> {
            for (int rank : classes.members(entry.destination())) {
                int from = transfers.origin(entry.source(), rank);
                all.add(new Unmatched(entry.kind(), from, rank, entry.bytes(), entry.tag(), entry.count()));
            }
        });
        all.sort(Matcher.ORDER);
        all.forEach(sink);
    }

    @Override
    public List<LinkUse> links() {
        return real.links();
    }

    /** Traffic by sender and transfer, expanded to all members of the classes at the end. */
    private static final class Traffic {
        private final int npus;
        private final LongIndex index = new LongIndex(16);
        private final List<Sum> sums = new ArrayList<>();

        /** Traffic of entry NPU by entry transfer. */
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

        /** Reports the traffic between all pairs of NPUs. */
        void report(NpuClasses classes, SymmetricTransfers transfers, SimulationObserver observer) {
            for (Sum sum : sums) {
                for (int rank : classes.members(classes.classOf(sum.source))) {
                    observer.traffic(rank, transfers.peer(sum.move, rank), sum.messages, sum.bytes);
                }
            }
        }
    }
}
