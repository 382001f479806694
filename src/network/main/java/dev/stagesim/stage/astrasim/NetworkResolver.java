package dev.stagesim.stage.astrasim;

import dev.stagesim.io.astra.GraphFiles;
import dev.stagesim.io.astra.NetworkFiles;
import dev.stagesim.io.astra.Reading;
import dev.stagesim.model.KeyRecord;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.network.FabricSettings;
import dev.stagesim.network.FabricSettings.Dims;
import dev.stagesim.network.FabricSettings.Dragonfly;
import dev.stagesim.network.FabricSettings.FatTree;
import dev.stagesim.network.FabricSettings.Gigabyte;
import dev.stagesim.network.NetworkSettings;
import dev.stagesim.network.NetworkSettings.Backend;
import dev.stagesim.network.PacketSettings;
import dev.stagesim.sim.collective.spec.AstraCompat;
import dev.stagesim.sim.network.Fabric;
import dev.stagesim.sim.network.Fabrics;
import dev.stagesim.sim.network.Fabrics.Tier;
import dev.stagesim.sim.network.NetworkDimension;
import dev.stagesim.sim.network.NetworkSpec;
import dev.stagesim.sim.network.NetworkSpec.Contention;
import dev.stagesim.sim.network.Topology;
import dev.stagesim.stage.ShippedFiles;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Turns the section {@code network} into a plan. */
final class NetworkResolver {
    private static final String TOPOLOGY = "network.topology";
    private static final double GIBI_PER_GIGA = 1e9 / (1L << 30);
    private static final int TIERS = 3;
    private static final int MAX_NPUS = 1 << 24;

    private final AstraCompat compat;
    private final Contention contention;
    private final Path home;
    private final List<Problem> problems = new ArrayList<>();

    private NetworkResolver(NetworkSettings settings, AstraCompat compat, Path home) {
        this.compat = compat;
        this.contention = contention(settings.backend(), compat);
        this.home = home;
    }

    /** The default backend has contention; the default networks of the reference have none. */
    private static Contention contention(Optional<Backend> chosen, AstraCompat compat) {
        boolean isSound = compat == AstraCompat.NONE;
        Backend backend = chosen.orElse(isSound ? Backend.CONGESTION_AWARE : Backend.CONGESTION_UNAWARE);
        if (backend == Backend.CONGESTION_UNAWARE) {
            return Contention.UNAWARE;
        }
        return isSound ? Contention.SHARED : Contention.AWARE;
    }

    /**
     * Resolves the section and reads its file, if any.
     *
     * @throws StageException (input) with all problems
     */
    static Reading<NetworkPlan> resolve(NetworkSettings settings, AstraCompat compat, Path home) throws IOException {
        if (settings.isPacket()) {
            if (!settings.topology().equals(KeyRecord.defaults(Dims.class))) {
                throw StageException.input(Problem.config(
                                TOPOLOGY,
                                "has no effect with network.backend=packet, which takes its hosts, switches and cables"
                                        + " from network.packet.topology")
                        .hint("leave it out, or choose one of the presets network=packet_*"));
            }
            return PacketResolver.resolve(settings.packet(), compat, home);
        }
        List<String> idle = KeyRecord.differences(
                "network.packet", KeyRecord.defaults(PacketSettings.Keys.class), settings.packet());
        if (!idle.isEmpty()) {
            throw StageException.input(idle.stream()
                    .map(key -> Problem.config(key, "has no effect without network.backend=packet; leave it out"))
                    .toList());
        }
        if (compat == AstraCompat.NS3) {
            throw StageException.input(Problem.config(
                            "compat", "compat=ns3 reproduces packet networks, and network.backend is not" + " packet")
                    .options(List.of("none", "astra", "astra_2023")));
        }
        NetworkResolver resolver = new NetworkResolver(settings, compat, home);
        FabricSettings topology = settings.topology();
        if (topology instanceof FabricSettings.File file) {
            Reading<NetworkSpec> read =
                    NetworkFiles.read(ShippedFiles.file(file.file(), home), resolver.contention, compat);
            return new Reading<>(resolver.product(read.value().dimensions()), read.warnings());
        }
        return new Reading<>(resolver.plan(topology), List.of());
    }

    private NetworkPlan plan(FabricSettings topology) throws IOException {
        if (topology instanceof Dims dims) {
            return product(dimensions(dims));
        }
        if (compat != AstraCompat.NONE) {
            throw StageException.input(
                    Problem.config(TOPOLOGY + ".kind", "the reference has no such network; leave compat at none")
                            .options(List.of("dims", "file")));
        }
        if (topology instanceof FatTree tree) {
            return new NetworkPlan.Links(fatTree(tree), contention, "fat tree of " + tree.npusCount());
        }
        if (topology instanceof Dragonfly dragonfly) {
            Fabric fabric = dragonfly(dragonfly);
            return new NetworkPlan.Links(
                    fabric, contention, "dragonfly of " + fabric.graph().npus());
        }
        Path file = ((FabricSettings.Graph) topology).file();
        Fabric fabric = GraphFiles.read(ShippedFiles.file(file, home));
        return new NetworkPlan.Links(
                fabric, contention, "graph of " + fabric.graph().npus());
    }

    /** Uses the networks of the reference if possible, and link-level networks otherwise. */
    private NetworkPlan product(List<NetworkDimension> dimensions) {
        for (NetworkDimension dimension : dimensions) {
            plausible(dimension.bandwidth(), dimension.latency());
        }
        long npus = dimensions.stream()
                .mapToLong(NetworkDimension::npus)
                .reduce(1, (a, b) -> Math.min(a * b, Integer.MAX_VALUE));
        if (npus > MAX_NPUS) {
            refuse(TOPOLOGY + ".npus_count", "more than " + MAX_NPUS + " NPUs in all");
        }
        fail();
        boolean hasMesh = dimensions.stream().anyMatch(dimension -> dimension.topology() == Topology.MESH);
        boolean isPlain = contention == Contention.UNAWARE || dimensions.size() == 1;
        boolean isTinyRing = contention != Contention.UNAWARE
                && dimensions.stream()
                        .anyMatch(dimension -> dimension.topology() == Topology.RING && dimension.npus() == 2);
        if (compat != AstraCompat.NONE) {
            if (hasMesh) {
                refuse(TOPOLOGY + ".blocks", "the reference has no mesh; leave compat at none");
            }
            if (!isPlain) {
                refuse(
                        TOPOLOGY,
                        "the reference's congestion-aware backend has one dimension, found " + dimensions.size()
                                + "; leave compat at none for several");
            }
            if (isTinyRing && isPlain) {
                refuse(TOPOLOGY, "the reference cannot make a congestion-aware ring of 2: it would join them twice");
            }
            fail();
        }
        if (isPlain && !isTinyRing && !(hasMesh && contention != Contention.UNAWARE)) {
            return new NetworkPlan.Analytic(new NetworkSpec(dimensions, contention, compat == AstraCompat.NONE));
        }
        return new NetworkPlan.Links(Fabrics.product(dimensions), contention, NetworkPlan.product(dimensions));
    }

    private List<NetworkDimension> dimensions(Dims dims) {
        int n = dims.blocks().size();
        length(TOPOLOGY + ".npus_count", dims.npusCount().size(), n, "one for each of the " + n + " blocks");
        length(TOPOLOGY + ".bandwidth", dims.bandwidth().size(), n, "one for each of the " + n + " blocks");
        length(TOPOLOGY + ".latency", dims.latency().size(), n, "one for each of the " + n + " blocks");
        if (n == 0) {
            refuse(TOPOLOGY + ".blocks", "is empty, expected a network for each dimension");
        }
        fail();
        if (dims.npusCount().stream().anyMatch(count -> count < 2)) {
            refuse(
                    TOPOLOGY + ".npus_count",
                    dims.npusCount()
                            + " must be at least 2 in each dimension; the last of several may be 0, for as many as"
                            + " the workload needs");
            fail();
        }
        List<NetworkDimension> dimensions = new ArrayList<>();
        long npus = 1;
        for (int d = 0; d < n; d++) {
            npus = Math.min(Integer.MAX_VALUE + 1L, npus * dims.npusCount().get(d));
            dimensions.add(new NetworkDimension(
                    dims.blocks().get(d),
                    dims.npusCount().get(d),
                    gibibytes(dims.bandwidth().get(d), dims.gigabyte()),
                    dims.latency().get(d)));
        }
        if (npus > Integer.MAX_VALUE) {
            refuse(TOPOLOGY + ".npus_count", "more than 2^31 - 1 NPUs in all");
            fail();
        }
        return dimensions;
    }

    /** A rate in the unit of the reference's network files. */
    static double gibibytes(double rate, Gigabyte gigabyte) {
        return gigabyte == Gigabyte.BINARY ? rate : rate * GIBI_PER_GIGA;
    }

    private Fabric fatTree(FatTree tree) {
        int up = tree.oversubscription() + 1;
        if (tree.ports() % 2 != 0 || tree.ports() % up != 0) {
            refuse(
                    TOPOLOGY + ".ports",
                    "found " + tree.ports() + ", expected an even number that " + up
                            + " (oversubscription + 1) divides");
        } else if (tree.npusCount() > Fabrics.fatTreeCapacity(tree.ports(), tree.oversubscription())) {
            refuse(
                    TOPOLOGY + ".npus_count",
                    "found " + tree.npusCount() + ", but " + tree.ports() + " ports carry at most "
                            + Fabrics.fatTreeCapacity(tree.ports(), tree.oversubscription()) + " NPUs");
        }
        maximum(tree.npusCount(), 0);
        List<Tier> tiers = tiers(tree.bandwidth(), tree.latency(), tree.gigabyte());
        return Fabrics.fatTree(tree.ports(), tree.oversubscription(), tree.npusCount(), tiers);
    }

    /** Rejects networks that do not fit into memory. */
    private void maximum(double npus, double switchLinks) {
        if (npus > MAX_NPUS || switchLinks > MAX_NPUS) {
            refuse(TOPOLOGY, "more than " + MAX_NPUS + " NPUs, or links between switches, in all");
        }
    }

    private Fabric dragonfly(Dragonfly fly) {
        long maximum = (long) fly.routers() * fly.globals() + 1;
        if (fly.groups() > maximum) {
            refuse(
                    TOPOLOGY + ".groups",
                    "found " + fly.groups() + ", but " + fly.routers() + " routers of " + fly.globals()
                            + " global links reach at most " + maximum + " groups");
        }
        double routers = (double) fly.groups() * fly.routers();
        double inGroups = routers * fly.routers() / 2;
        maximum(routers * fly.npus(), inGroups + (double) fly.groups() * fly.groups() / 2);
        List<Tier> tiers = tiers(fly.bandwidth(), fly.latency(), fly.gigabyte());
        return Fabrics.dragonfly(fly.groups(), fly.routers(), fly.npus(), fly.globals(), tiers);
    }

    private List<Tier> tiers(List<Double> bandwidth, List<Double> latency, Gigabyte gigabyte) {
        length(TOPOLOGY + ".bandwidth", bandwidth.size(), TIERS, "one for each of the " + TIERS + " tiers");
        length(TOPOLOGY + ".latency", latency.size(), TIERS, "one for each of the " + TIERS + " tiers");
        fail();
        List<Tier> tiers = new ArrayList<>();
        for (int i = 0; i < TIERS; i++) {
            double rate = gigabyte == Gigabyte.DECIMAL ? bandwidth.get(i) : bandwidth.get(i) * (1L << 30) / 1e9;
            plausible(rate, latency.get(i));
            tiers.add(new Tier(rate, latency.get(i)));
        }
        fail();
        return tiers;
    }

    /** Rejects implausible values; the reference accepts them. */
    private void plausible(double gigabytesPerSecond, double latencyNs) {
        String wrong = compat == AstraCompat.NONE ? NetworkDimension.implausible(gigabytesPerSecond, latencyNs) : "";
        if (!wrong.isEmpty()) {
            refuse(TOPOLOGY, wrong);
        }
    }

    private void length(String key, int length, int wanted, String expected) {
        if (length != wanted) {
            refuse(key, "found " + length + " entries, expected " + expected);
        }
    }

    private void refuse(String where, String what) {
        problems.add(Problem.config(where, what));
    }

    private void fail() {
        StageException.refuse(problems);
    }
}
