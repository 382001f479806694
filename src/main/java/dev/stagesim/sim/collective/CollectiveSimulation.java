package dev.stagesim.sim.collective;

import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
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
     * @throws StageException of kind input when a node cannot be executed as it stands, or the machine is such that no
     *     collective could run on it
     */
    public static SimulationResult run(
            SimulationSpec spec, List<RankTrace> traces, Network network, SimulationObserver observer) {
        List<Problem> problems = SpecCheck.problems(spec);
        if (traces.size() != spec.npus() || network.npus() < spec.npus()) {
            throw new IllegalArgumentException("there are " + spec.npus() + " NPUs, " + traces.size()
                    + " traces, and a network for " + network.npus());
        }
        if (!problems.isEmpty()) {
            throw StageException.input(problems);
        }
        return new Engine(spec, traces, network, observer).run();
    }
}
