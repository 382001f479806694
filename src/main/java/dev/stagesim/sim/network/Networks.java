package dev.stagesim.sim.network;

import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;

/** Makes a network of a spec. */
public final class Networks {
    private static final String CATEGORY = "network error";

    private Networks() {}

    /**
     * A network of its own for one run.
     *
     * @throws StageException of kind input when the backend cannot model the network
     */
    public static Network of(NetworkSpec spec) {
        if (spec.contention() == NetworkSpec.Contention.UNAWARE) {
            return new CongestionUnawareNetwork(spec);
        }
        if (spec.dimensions().size() > 1) {
            throw StageException.input(Problem.of(
                    CATEGORY,
                    "topology",
                    "the congestion-aware backend has one dimension, and this network has "
                            + spec.dimensions().size()));
        }
        return new CongestionAwareNetwork(spec);
    }

    /** A network of links for one run. */
    public static Network of(Fabric fabric, NetworkSpec.Contention contention) {
        return contention == NetworkSpec.Contention.AWARE
                ? new RoutedAwareNetwork(fabric)
                : new RoutedUnawareNetwork(fabric);
    }
}
