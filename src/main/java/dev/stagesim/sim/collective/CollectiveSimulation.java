package dev.stagesim.sim.collective;

import dev.stagesim.sim.network.Network;
import java.util.List;

/** Runs the work of all NPUs on a network. */
public final class CollectiveSimulation {
    private CollectiveSimulation() {}

    /**
     * Simulates until nothing is left to do.
     *
     * @param spec what all NPUs have in common
     * @param traces work of each rank; ranks with the same work should share one object
     * @param network a fresh network of as many NPUs
     * @param observer told what happens while it does
     * @throws dev.stagesim.model.StageException of kind input when a node cannot be executed as it stands, or a
     *     collective cannot run on the machine
     */
    public static SimulationResult run(
            SimulationSpec spec, List<RankTrace> traces, Network network, SimulationObserver observer) {
        throw new UnsupportedOperationException("under construction");
    }
}
