package dev.stagesim.feature.cluster.experts;

import dev.stagesim.model.StageException;

/** The section {@code cluster.pools.NAME.experts.load}. Each source of loads has its record in a file of its name. */
public sealed interface ExpertLoad permits ZipfLoad, RecordedLoad {
    /** Expert loads in time order. */
    interface Phases {
        /** Advances to the next load. Returns the share of tokens by layer and expert. */
        double[][] next();

        /** Returns the end time of the current load, or infinity if it does not end. */
        double until();
    }

    /** Creates the same phases for each run. */
    interface Source {
        Phases phases();
    }

    /**
     * Returns loads for a model with {@code layers} layers of {@code experts} experts.
     *
     * @throws StageException if the loads have another shape
     */
    Source of(int layers, int experts);
}
