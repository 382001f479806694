package dev.stagesim.stage.astrasim;

import dev.stagesim.io.packet.OutputNames;
import dev.stagesim.model.KeyNames;
import dev.stagesim.sim.network.Fabric;
import dev.stagesim.sim.network.LinkGraph;
import dev.stagesim.sim.network.Network;
import dev.stagesim.sim.network.NetworkDimension;
import dev.stagesim.sim.network.NetworkSpec;
import dev.stagesim.sim.network.NetworkSpec.Contention;
import dev.stagesim.sim.network.Networks;
import dev.stagesim.sim.network.Topology;
import dev.stagesim.sim.network.packet.PacketNetwork;
import dev.stagesim.sim.network.packet.state.PacketListener;
import dev.stagesim.sim.network.packet.state.PacketSpec;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** The resolved network of a run; one record per kind of network. */
sealed interface NetworkPlan {
    /** NPUs along each logical dimension. */
    List<Integer> dimensions();

    /** Creates a new network. */
    Network make();

    /** True if equivalent NPUs may be simulated once. */
    boolean isUniform();

    /** A short description of the network. */
    String words();

    /** Bandwidth of a link in each dimension in bytes per ns; empty if dimensions have none. */
    default List<Double> bytesPerNs() {
        return List.of();
    }

    /** Returns the bandwidth of the fastest link in bytes per ns. */
    double fastestBytesPerNs();

    /** The dimensions of a network without link counters and contention. */
    default Optional<List<NetworkDimension>> linkless() {
        return Optional.empty();
    }

    default int npus() {
        return dimensions().stream().reduce(1, Math::multiplyExact);
    }

    /** A product of simple networks, as in the reference. */
    record Analytic(NetworkSpec spec) implements NetworkPlan {
        @Override
        public List<Integer> dimensions() {
            return spec.dimensions().stream().map(NetworkDimension::npus).toList();
        }

        @Override
        public List<Double> bytesPerNs() {
            return spec.dimensions().stream().map(NetworkDimension::bytesPerNs).toList();
        }

        @Override
        public double fastestBytesPerNs() {
            return Collections.max(bytesPerNs());
        }

        @Override
        public Network make() {
            return Networks.of(spec);
        }

        @Override
        public Optional<List<NetworkDimension>> linkless() {
            return spec.contention() == Contention.UNAWARE ? Optional.of(spec.dimensions()) : Optional.empty();
        }

        @Override
        public boolean isUniform() {
            return spec.contention() != Contention.AWARE
                    && spec.dimensions().stream().noneMatch(dimension -> dimension.topology() == Topology.MESH);
        }

        @Override
        public String words() {
            return product(spec.dimensions()) + ", " + sharing(spec.contention());
        }
    }

    /** A link-level network. */
    record Links(Fabric fabric, Contention contention, String name) implements NetworkPlan {
        @Override
        public List<Integer> dimensions() {
            return fabric.dimensions();
        }

        /** The slowest link of each dimension, if the graph's links belong to dimensions. */
        @Override
        public List<Double> bytesPerNs() {
            double[] slowest = new double[fabric.dimensions().size()];
            LinkGraph graph = fabric.graph();
            for (int link = 0; link < graph.links(); link++) {
                int dimension = graph.dimension(link);
                if (dimension >= slowest.length) {
                    return List.of();
                }
                double before = slowest[dimension];
                slowest[dimension] = before == 0 ? graph.bytesPerNs(link) : Math.min(before, graph.bytesPerNs(link));
            }
            boolean hasAll = Arrays.stream(slowest).allMatch(rate -> rate > 0);
            return hasAll ? Arrays.stream(slowest).boxed().toList() : List.of();
        }

        @Override
        public double fastestBytesPerNs() {
            LinkGraph graph = fabric.graph();
            return IntStream.range(0, graph.links())
                    .mapToDouble(graph::bytesPerNs)
                    .max()
                    .orElse(0);
        }

        @Override
        public Network make() {
            return Networks.of(fabric, contention);
        }

        @Override
        public boolean isUniform() {
            return contention == Contention.SHARED;
        }

        @Override
        public String words() {
            return name + ", " + sharing(contention);
        }
    }

    /**
     * A packet-level network of hosts and switches.
     *
     * @param nativeFiles names of the reference's files, if they are written
     * @param trains whether uncontended flows take the fast path
     */
    record Packet(
            PacketSpec spec, List<Integer> dimensions, String name, Optional<OutputNames> nativeFiles, boolean trains)
            implements NetworkPlan {
        /** Bits per second of a byte per ns. */
        private static final double BITS_PER_S = 8e9;

        @Override
        public double fastestBytesPerNs() {
            return Arrays.stream(spec.topology().rates()).max().orElse(0) / BITS_PER_S;
        }

        @Override
        public Network make() {
            return make(PacketListener.NONE);
        }

        /** Creates a new network that reports its events to {@code listener}. */
        PacketNetwork make(PacketListener listener) {
            PacketNetwork network = new PacketNetwork(spec, npus(), listener);
            if (!trains) {
                network.followEveryFrame();
            }
            return network;
        }

        @Override
        public boolean isUniform() {
            return false;
        }

        @Override
        public String words() {
            return name + ", packet by packet";
        }
    }

    /** Describes a product: {@code ring of 4 × switch of 2}. */
    static String product(List<NetworkDimension> dimensions) {
        return dimensions.stream()
                .map(dimension -> KeyNames.constant(dimension.topology()).replace('_', ' ') + " of " + dimension.npus())
                .collect(Collectors.joining(" × "));
    }

    private static String sharing(Contention contention) {
        return switch (contention) {
            case UNAWARE -> "messages never delay each other";
            case AWARE -> "messages share links, stored whole at each hop";
            case SHARED -> "messages share links";
        };
    }
}
