package dev.stagesim.stage.astrasim;

import dev.stagesim.model.Count;
import dev.stagesim.model.KeyRecord;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.network.FabricSettings;
import dev.stagesim.network.FabricSettings.Dims;
import dev.stagesim.network.NetworkSettings;
import dev.stagesim.network.SystemSettings;
import dev.stagesim.network.SystemSettings.Keys;
import dev.stagesim.network.SystemSettings.Keys.CollectiveAlgorithms;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The number of nodes of a network that states none (0): as many as the workload fills. A workload that fits in one node has
 * a network without the last dimension.
 */
final class NodeCount {
    private static final String KEY = "network.topology.npus_count";

    private NodeCount() {}

    /** Returns the dimensions whose last number is open; empty if all numbers are given. */
    private static Optional<Dims> open(AstraSimSettings settings) {
        return !settings.network().isPacket()
                        && settings.network().topology() instanceof Dims dims
                        && dims.npusCount().size() == dims.blocks().size()
                        && dims.npusCount().lastIndexOf(0) > 0
                ? Optional.of(dims)
                : Optional.empty();
    }

    static boolean isOpen(AstraSimSettings settings) {
        return open(settings).isPresent();
    }

    /**
     * Returns the settings with two nodes if the number is open, for checks before the workload is known; with one node if
     * the system has no algorithms between nodes.
     */
    static AstraSimSettings unknown(AstraSimSettings settings) {
        return open(settings)
                .map(dims -> settings.system() instanceof Keys keys
                                && keys.algorithms().allReduceImplementation().size()
                                        < dims.blocks().size()
                        ? oneNode(settings, dims, inner(dims))
                        : with(settings, dims, 2))
                .orElse(settings);
    }

    /**
     * Returns the settings with the nodes that the workload needs, if the number is open.
     *
     * @throws StageException (input) if the workload does not fill its nodes
     */
    static AstraSimSettings fitted(AstraSimSettings settings, int npus) {
        Optional<Dims> open = open(settings);
        if (open.isEmpty()) {
            return settings;
        }
        Dims dims = open.get();
        int node = node(dims);
        if (npus > node && npus % node == 0) {
            return with(settings, dims, npus / node);
        }
        boolean isPart = npus > 1 && npus < node && dims.blocks().size() == 2;
        if (npus != node && !isPart) {
            throw StageException.input(Problem.config(
                            KEY, Count.of(npus, "NPU") + " of the workload do not fill nodes of " + node)
                    .hint("set a multiple of " + node + " NPUs" + (dims.blocks().size() == 2 ? ", or fewer" : "")
                            + ", or state all numbers: " + KEY + "='[" + node + ",4]'"));
        }
        return oneNode(settings, dims, npus == node ? inner(dims) : List.of(npus));
    }

    private static List<Integer> inner(Dims dims) {
        return dims.npusCount().subList(0, dims.npusCount().size() - 1);
    }

    private static int node(Dims dims) {
        return inner(dims).stream().reduce(1, Math::multiplyExact);
    }

    private static AstraSimSettings with(AstraSimSettings settings, Dims dims, int nodes) {
        List<Integer> counts = new ArrayList<>(inner(dims));
        counts.add(nodes);
        return changed(settings, KeyRecord.with(Dims.class, dims, Map.of("npusCount", counts)), settings.system());
    }

    private static AstraSimSettings oneNode(AstraSimSettings settings, Dims dims, List<Integer> counts) {
        int size = counts.size();
        Dims node = new Dims(
                dims.blocks().subList(0, size),
                counts,
                dims.bandwidth().subList(0, size),
                dims.latency().subList(0, size),
                dims.gigabyte());
        return changed(settings, node, settings.system() instanceof Keys keys ? within(keys, size) : settings.system());
    }

    private static Keys within(Keys keys, int size) {
        CollectiveAlgorithms all = keys.algorithms();
        return KeyRecord.with(
                Keys.class,
                keys,
                Map.of(
                        "allReduceImplementation",
                        first(all.allReduceImplementation(), size),
                        "allGatherImplementation",
                        first(all.allGatherImplementation(), size),
                        "reduceScatterImplementation",
                        first(all.reduceScatterImplementation(), size),
                        "allToAllImplementation",
                        first(all.allToAllImplementation(), size)));
    }

    private static List<String> first(List<String> names, int size) {
        return names.subList(0, Math.min(size, names.size()));
    }

    private static AstraSimSettings changed(AstraSimSettings settings, FabricSettings topology, SystemSettings system) {
        NetworkSettings network =
                KeyRecord.with(NetworkSettings.class, settings.network(), Map.of("topology", topology));
        return KeyRecord.with(AstraSimSettings.class, settings, Map.of("network", network, "system", system));
    }
}
