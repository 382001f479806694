package dev.stagesim.stage.astrasim;

import dev.stagesim.io.packet.TopologyFiles;
import dev.stagesim.model.Count;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.network.PacketTopologySettings;
import dev.stagesim.network.PacketTopologySettings.Dragonfly;
import dev.stagesim.network.PacketTopologySettings.FatTree;
import dev.stagesim.network.PacketTopologySettings.LeafSpine;
import dev.stagesim.network.PacketTopologySettings.Rail;
import dev.stagesim.network.PacketTopologySettings.Star;
import dev.stagesim.network.PacketTopologySettings.Torus;
import dev.stagesim.sim.network.packet.topology.PacketTopologies;
import dev.stagesim.sim.network.packet.topology.PacketTopologies.Tier;
import dev.stagesim.sim.network.packet.topology.PacketTopology;
import dev.stagesim.stage.ShippedFiles;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Creates topologies from their settings. */
final class PacketTopologyPlan {
    private static final String SECTION = "network.packet.topology";
    private static final double GIGA = 1e9;
    private static final int MAX_CABLES = 1_000_000;

    private final Path home;
    private final List<Problem> problems = new ArrayList<>();

    PacketTopologyPlan(Path home) {
        this.home = home;
    }

    /**
     * Creates a topology.
     *
     * @throws StageException (input) with all problems
     */
    PacketTopology make(PacketTopologySettings settings) throws IOException {
        double cables = cables(settings);
        if (cables > MAX_CABLES) {
            throw StageException.input(Problem.config(
                    SECTION,
                    String.format(Locale.ROOT, "makes %,.0f cables, expected at most %,d", cables, MAX_CABLES)));
        }
        if (settings instanceof Star star) {
            return PacketTopologies.star(star.hosts(), star.cards(), new Tier(bits(star.rate()), star.delay()));
        }
        if (settings instanceof LeafSpine leaf) {
            List<Tier> tiers = tiers(leaf.rate(), leaf.delay(), 2);
            return PacketTopologies.leafSpine(
                    leaf.hosts(), leaf.perLeaf(), leaf.spines(), leaf.cards(), tiers.get(0), tiers.get(1));
        }
        if (settings instanceof FatTree tree) {
            return fatTree(tree);
        }
        if (settings instanceof Rail rail) {
            List<Tier> tiers = tiers(rail.rate(), rail.delay(), 3);
            return PacketTopologies.rails(
                    rail.hosts(), rail.perNode(), rail.spines(), tiers.get(0), tiers.get(1), tiers.get(2));
        }
        if (settings instanceof Dragonfly fly) {
            return dragonfly(fly);
        }
        if (settings instanceof Torus torus) {
            List<Tier> tiers = tiers(torus.rate(), torus.delay(), 2);
            return PacketTopologies.torus(torus.sizes(), torus.perSwitch(), torus.cards(), tiers.get(0), tiers.get(1));
        }
        return TopologyFiles.read(ShippedFiles.file(((PacketTopologySettings.File) settings).file(), home));
    }

    /** Upper bound of the number of cables of a generator. */
    private static double cables(PacketTopologySettings settings) {
        if (settings instanceof Star star) {
            return (double) star.hosts() * star.cards();
        }
        if (settings instanceof LeafSpine leaf) {
            double leaves = Math.ceil((double) leaf.hosts() / leaf.perLeaf());
            return leaf.cards() * (leaf.hosts() + leaves * leaf.spines());
        }
        if (settings instanceof FatTree tree) {
            double up = Math.floor((double) tree.ports() / (tree.oversubscription() + 1.0));
            double edges = Math.ceil(tree.hosts() / (tree.ports() - up));
            double pods = Math.ceil(edges / (tree.ports() / 2.0));
            return tree.cards() * (tree.hosts() + edges * up + (pods > 1 ? pods * up * tree.ports() / 2 : 0));
        }
        if (settings instanceof Rail rail) {
            return 2.0 * rail.hosts() + (double) rail.perNode() * rail.spines();
        }
        if (settings instanceof Dragonfly fly) {
            double routers = (double) fly.groups() * fly.routers();
            double joins = routers * (fly.routers() - 1) / 2 + (double) fly.groups() * (fly.groups() - 1) / 2;
            return fly.cards() * (routers * fly.perRouter() + joins);
        }
        if (settings instanceof Torus torus) {
            double switches = torus.sizes().stream().mapToDouble(size -> size).reduce(1, (a, b) -> a * b);
            return torus.cards() * switches * (torus.perSwitch() + torus.sizes().size());
        }
        return 0;
    }

    /** The file that the settings name, if any. */
    Optional<Path> file(PacketTopologySettings settings) {
        return settings instanceof PacketTopologySettings.File file
                ? Optional.of(ShippedFiles.file(file.file(), home))
                : Optional.empty();
    }

    private PacketTopology fatTree(FatTree tree) {
        int up = tree.oversubscription() + 1;
        if (tree.ports() % 2 != 0 || tree.ports() % up != 0) {
            refuse(
                    "ports",
                    "found " + tree.ports() + ", expected an even number that " + up
                            + " (oversubscription + 1) divides");
        } else if (tree.hosts() > PacketTopologies.fatTreeCapacity(tree.ports(), tree.oversubscription())) {
            refuse(
                    "hosts",
                    "found " + tree.hosts() + ", but " + tree.ports() + " ports carry at most "
                            + PacketTopologies.fatTreeCapacity(tree.ports(), tree.oversubscription()) + " hosts");
        }
        List<Tier> tiers = tiers(tree.rate(), tree.delay(), 3);
        return PacketTopologies.fatTree(
                tree.hosts(),
                tree.ports(),
                tree.oversubscription(),
                tree.cards(),
                tiers.get(0),
                tiers.get(1),
                tiers.get(2));
    }

    private PacketTopology dragonfly(Dragonfly fly) {
        long maximum = (long) fly.routers() * fly.globals() + 1;
        if (fly.groups() > maximum) {
            refuse(
                    "groups",
                    "found " + fly.groups() + ", but " + fly.routers() + " routers of " + fly.globals()
                            + " global cables reach at most " + maximum + " groups");
        }
        List<Tier> tiers = tiers(fly.rate(), fly.delay(), 3);
        return PacketTopologies.dragonfly(
                fly.groups(),
                fly.routers(),
                fly.perRouter(),
                fly.globals(),
                fly.cards(),
                tiers.get(0),
                tiers.get(1),
                tiers.get(2));
    }

    private List<Tier> tiers(List<Double> rates, List<Long> delays, int count) {
        if (rates.size() != count) {
            refuse("rate", "found " + rates.size() + " entries, expected one for each of the " + count + " tiers");
        }
        if (delays.size() != count) {
            refuse("delay", "found " + delays.size() + " entries, expected one for each of the " + count + " tiers");
        }
        StageException.refuse(problems);
        List<Tier> tiers = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            tiers.add(new Tier(bits(rates.get(i)), delays.get(i)));
        }
        return tiers;
    }

    private void refuse(String key, String what) {
        problems.add(Problem.config(SECTION + "." + key, what));
    }

    static long bits(double gigabits) {
        return Math.round(gigabits * GIGA);
    }

    /** A short description of a topology. */
    static String words(PacketTopologySettings settings, PacketTopology topology) {
        String kind = settings.getClass().getSimpleName().replaceAll("(?<=[a-z])(?=[A-Z])", " ");
        return kind.toLowerCase(Locale.ROOT) + " of " + count(topology);
    }

    /** Count of one kind of element of a topology. */
    static String count(PacketTopology topology) {
        int switches = topology.switches().size();
        return Count.of(topology.hosts(), "host") + ", " + switches + (switches == 1 ? " switch" : " switches")
                + " and " + Count.of(topology.cables().size(), "cable");
    }
}
