package dev.stagesim.feature.cluster.transfer;

import dev.stagesim.model.FormerKeys;
import dev.stagesim.model.Key;
import dev.stagesim.model.Variant;
import dev.stagesim.network.PacketSettings;
import dev.stagesim.sim.network.Fabrics;
import dev.stagesim.sim.network.LinkGraph;
import dev.stagesim.sim.network.Network;
import dev.stagesim.sim.network.NetworkSpec;
import dev.stagesim.sim.network.Networks;
import dev.stagesim.sim.network.packet.PacketNetwork;
import dev.stagesim.sim.network.packet.congestion.CongestionSpec;
import dev.stagesim.sim.network.packet.state.PacketListener;
import dev.stagesim.sim.network.packet.state.PacketSpec;
import dev.stagesim.sim.network.packet.state.PathSpec;
import dev.stagesim.sim.network.packet.state.TransportSpec;
import dev.stagesim.sim.network.packet.topology.PacketTopology;
import dev.stagesim.sim.network.packet.topology.PacketTopology.Cable;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/** The section {@code cluster.transfer.network}: a leaf-spine network between instances. */
public sealed interface KvNetwork permits KvNetwork.Analytical, KvNetwork.Packets {
    /** Returns the placement of instances and switches. */
    Leaves leaves();

    /** Returns the bytes per message. */
    long chunkBytes();

    /** Returns the maximum number of outstanding messages per transfer. */
    int window();

    /**
     * Creates the network of a run.
     *
     * @param bytesPerS link bandwidth by instance
     * @param position rack position by instance
     */
    Network make(double[] bytesPerS, int[] position);

    /** Returns the bytes per simulated unit on a link. */
    long unit();

    /** Returns an upper bound of units times links for {@code bytes} bytes between {@code instances} instances. */
    default double hops(double bytes, int instances) {
        return bytes / unit() * (leaves().switches(instances) > 1 ? 4 : 2);
    }

    @FormerKeys("piece=chunk_bytes")
    @Variant("analytical | Links forward one chunk at a time, in arrival order.")
    record Analytical(
            @Key("Leaf switches and their instances.") Leaves leaves,
            @Key("Bytes per chunk; each transfer has two outstanding chunks. | 1048576 | bytes |" + " 1024..1000000000")
                    long chunkBytes)
            implements KvNetwork {
        @Override
        public int window() {
            return 2;
        }

        @Override
        public long unit() {
            return chunkBytes;
        }

        @Override
        public Network make(double[] bytesPerS, int[] position) {
            int count = bytesPerS.length;
            LinkGraph graph = new LinkGraph(count, count + leaves.switches(count));
            leaves.links(bytesPerS, position)
                    .forEach(link ->
                            graph.addBoth(link.a(), link.b(), link.tier(), link.bytesPerS() / 1e9, leaves.hopNs()));
            return Networks.of(Fabrics.graph(graph, List.of(count)), NetworkSpec.Contention.SHARED);
        }
    }

    @Variant("packet | Simulates each frame with congestion control; for few and small transfers.")
    record Packets(
            @Key("Leaf switches and their instances.") Leaves leaves,
            @Key("Frames and loss recovery.") TransportSpec transport,
            @Key("Congestion control. | { kind = dcqcn }") CongestionSpec congestion,
            @Key("Switch buffers, pause frames and ECN.") PacketSettings.Switches switches)
            implements KvNetwork {
        private static final long CHUNK_BYTES = 1L << 26;
        private static final int BITS = 8;

        @Override
        public long chunkBytes() {
            return CHUNK_BYTES;
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
        public Network make(double[] bytesPerS, int[] position) {
            int count = bytesPerS.length;
            List<Cable> links = leaves.links(bytesPerS, position).stream()
                    .map(link -> new Cable(link.a(), link.b(), (long) (BITS * link.bytesPerS()), leaves.hopNs(), 0))
                    .toList();
            int nodes = count + leaves.switches(count);
            PacketTopology topology = new PacketTopology(
                    nodes, IntStream.range(count, nodes).boxed().toList(), links);
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

    /** Assignment of instances to leaf switches. */
    enum Placement {
        BY_POOL, // Pools in order.
        MIXED // Pools alternate, so that each leaf has a part of each pool.
    }

    /**
     * A bidirectional link.
     *
     * @param tier 0 for links to instances, 1 for links between switches
     */
    record LeafLink(int a, int b, int tier, double bytesPerS) {}

    /** The section {@code cluster.transfer.network.leaves}. */
    record Leaves(
            @Key("Instances per leaf switch. | 8 | 1..100000") int instances,
            @Key("Bandwidth of a leaf's instances divided by the bandwidth of its uplink. | 1 | 0.01..1000")
                    double oversubscription,
            @Key("Latency of a link. | 500 | ns | 0..1000000000") long hopNs,
            @Key("Assignment of instances to leaf switches. | by_pool") Placement placement) {
        /** Returns the number of switches: the leaves, and a spine if there are several. */
        public int switches(int count) {
            int leafCount = (count + instances - 1) / instances;
            return leafCount + (leafCount > 1 ? 1 : 0);
        }

        /** Returns all links. Nodes are numbered instances first, then leaves, then the spine. */
        List<LeafLink> links(double[] bytesPerS, int[] position) {
            int count = bytesPerS.length;
            int leafCount = (count + instances - 1) / instances;
            double[] up = new double[leafCount];
            List<LeafLink> links = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                int leaf = position[i] / instances;
                if (bytesPerS[i] > 0) {
                    links.add(new LeafLink(i, count + leaf, 0, bytesPerS[i]));
                    up[leaf] += bytesPerS[i] / oversubscription;
                }
            }
            for (int leaf = 0; leaf < leafCount && leafCount > 1; leaf++) {
                if (up[leaf] > 0) {
                    links.add(new LeafLink(count + leaf, count + leafCount, 1, up[leaf]));
                }
            }
            return links;
        }

        /**
         * Returns the rack position of each instance.
         *
         * @param pool pool number by instance, in ascending order
         */
        public int[] positions(int[] pool) {
            int count = pool.length;
            double[] share = new double[count];
            for (int i = 0; i < count; i++) {
                int ownPool = pool[i];
                long before =
                        IntStream.range(0, i).filter(k -> pool[k] == ownPool).count();
                long all = IntStream.range(0, count)
                        .filter(k -> pool[k] == ownPool)
                        .count();
                share[i] = placement == Placement.MIXED ? (before + 0.5) / all : i;
            }
            List<Integer> order = IntStream.range(0, count)
                    .boxed()
                    .sorted(Comparator.comparingDouble(i -> share[i]))
                    .toList();
            int[] position = new int[count];
            for (int place = 0; place < count; place++) {
                position[order.get(place)] = place;
            }
            return position;
        }
    }
}
