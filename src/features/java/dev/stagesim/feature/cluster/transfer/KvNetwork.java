package dev.stagesim.feature.cluster.transfer;

import dev.stagesim.model.Key;
import dev.stagesim.model.Variant;
import dev.stagesim.settings.PacketSettings;
import dev.stagesim.sim.network.Fabrics;
import dev.stagesim.sim.network.LinkGraph;
import dev.stagesim.sim.network.Network;
import dev.stagesim.sim.network.NetworkSpec;
import dev.stagesim.sim.network.Networks;
import dev.stagesim.sim.network.packet.CongestionSpec;
import dev.stagesim.sim.network.packet.PacketListener;
import dev.stagesim.sim.network.packet.PacketNetwork;
import dev.stagesim.sim.network.packet.PacketSpec;
import dev.stagesim.sim.network.packet.PacketTopology;
import dev.stagesim.sim.network.packet.PacketTopology.Cable;
import dev.stagesim.sim.network.packet.PathSpec;
import dev.stagesim.sim.network.packet.TransportSpec;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/** The network between pools, the section {@code cluster.transfer.network}: instances behind leaf switches, those behind a spine. */
public sealed interface KvNetwork permits KvNetwork.Analytical, KvNetwork.Packets {
    /** Where instances and switches are. */
    Leaves leaves();

    /** Bytes that a transfer sends as one message. */
    long piece();

    /** Messages of a transfer that are under way. */
    int window();

    /**
     * A network for one run.
     *
     * @param bytesPerS of the link of each instance
     * @param seat place of each instance in the row of all
     */
    Network make(double[] bytesPerS, int[] seat);

    /** Bytes that pass a cable at a time. */
    long unit();

    /** Units times cables of their way, at most, of so many bytes between so many instances. */
    default double hops(double bytes, int instances) {
        return bytes / unit() * (leaves().switches(instances) > 1 ? 4 : 2);
    }

    @Variant("analytical | Links carry one piece at a time, first come first served.")
    record Analytical(
            @Key("Switches, and instances behind them.") Leaves leaves,
            @Key("Bytes that are sent as one piece; two of each transfer are under way. | 1048576 | bytes |"
                            + " 1024..1000000000")
                    long piece)
            implements KvNetwork {
        @Override
        public int window() {
            return 2;
        }

        @Override
        public long unit() {
            return piece;
        }

        @Override
        public Network make(double[] bytesPerS, int[] seat) {
            int count = bytesPerS.length;
            LinkGraph graph = new LinkGraph(count, count + leaves.switches(count));
            leaves.cables(bytesPerS, seat)
                    .forEach(one -> graph.addBoth(one.a(), one.b(), one.tier(), one.bytesPerS() / 1e9, leaves.hopNs()));
            return Networks.of(Fabrics.graph(graph, List.of(count)), NetworkSpec.Contention.SHARED);
        }
    }

    @Variant("packet | Frame by frame, with congestion control; for few and small transfers.")
    record Packets(
            @Key("Switches, and instances behind them.") Leaves leaves,
            @Key("Frames and recovery.") TransportSpec transport,
            @Key("How senders adapt their rates. | { kind = dcqcn }") CongestionSpec congestion,
            @Key("Buffers, pauses and marks.") PacketSettings.Switches switches)
            implements KvNetwork {
        private static final long PIECE = 1L << 26;
        private static final int BITS = 8;

        @Override
        public long piece() {
            return PIECE;
        }

        @Override
        public int window() {
            return 1;
        }

        @Override
        public long unit() {
            return transport.payload();
        }

        @Override
        public Network make(double[] bytesPerS, int[] seat) {
            int count = bytesPerS.length;
            List<Cable> cables = leaves.cables(bytesPerS, seat).stream()
                    .map(one -> new Cable(one.a(), one.b(), (long) (BITS * one.bytesPerS()), leaves.hopNs(), 0))
                    .toList();
            int nodes = count + leaves.switches(count);
            PacketTopology topology = new PacketTopology(
                    nodes, IntStream.range(count, nodes).boxed().toList(), cables);
            PacketSpec spec = new PacketSpec(
                    topology,
                    transport,
                    congestion,
                    switches.spec(topology, "cluster.transfer.network"),
                    0,
                    Optional.empty(),
                    Optional.empty(),
                    List.of(),
                    PathSpec.BY_FLOW,
                    PacketSpec.Compat.NONE);
            return new PacketNetwork(spec, count, PacketListener.NONE);
        }
    }

    /** Which instances stand together. */
    enum Placement {
        BY_POOL, // Pools one after the other.
        MIXED // Pools in turn, so that each leaf has a part of each.
    }

    /**
     * A cable of both directions.
     *
     * @param tier 0 to instances, 1 between switches
     */
    record Joint(int a, int b, int tier, double bytesPerS) {}

    /** The section {@code cluster.transfer.network.leaves}. */
    record Leaves(
            @Key("Instances behind a leaf switch. | 8 | 1..100000") int instances,
            @Key("What a leaf's instances have together over what joins it to the spine. | 1 | 0.01..1000")
                    double oversubscription,
            @Key("Latency of a cable. | 500 | ns | 0..1000000000") long hopNs,
            @Key("Which instances stand together. | by_pool") Placement placement) {
        /** Leaves, and a spine where there are several. */
        public int switches(int count) {
            int some = (count + instances - 1) / instances;
            return some + (some > 1 ? 1 : 0);
        }

        /** All cables; instances have the numbers from 0, leaves follow, the spine is last. */
        List<Joint> cables(double[] bytesPerS, int[] seat) {
            int count = bytesPerS.length;
            int some = (count + instances - 1) / instances;
            double[] up = new double[some];
            List<Joint> cables = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                int leaf = seat[i] / instances;
                if (bytesPerS[i] > 0) {
                    cables.add(new Joint(i, count + leaf, 0, bytesPerS[i]));
                    up[leaf] += bytesPerS[i] / oversubscription;
                }
            }
            for (int leaf = 0; leaf < some && some > 1; leaf++) {
                if (up[leaf] > 0) {
                    cables.add(new Joint(count + leaf, count + some, 1, up[leaf]));
                }
            }
            return cables;
        }

        /**
         * The place of each instance.
         *
         * @param pool of each instance, those of a pool one after the other
         */
        public int[] seats(int[] pool) {
            int count = pool.length;
            double[] share = new double[count];
            for (int i = 0; i < count; i++) {
                int own = pool[i];
                long before = IntStream.range(0, i).filter(k -> pool[k] == own).count();
                long all = IntStream.range(0, count).filter(k -> pool[k] == own).count();
                share[i] = placement == Placement.MIXED ? (before + 0.5) / all : i;
            }
            List<Integer> order = IntStream.range(0, count)
                    .boxed()
                    .sorted(Comparator.comparingDouble(i -> share[i]))
                    .toList();
            int[] seat = new int[count];
            for (int place = 0; place < count; place++) {
                seat[order.get(place)] = place;
            }
            return seat;
        }
    }
}
