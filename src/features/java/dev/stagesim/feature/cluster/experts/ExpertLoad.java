package dev.stagesim.feature.cluster.experts;

import dev.stagesim.model.StageException;

/** The section {@code cluster.pools.NAME.experts.load}: one record for each source of loads, in its own file. */
public sealed interface ExpertLoad permits ZipfLoad, RecordedLoad {
    /** Loads one after the other; each begins when the one before it ends. */
    interface Phases {
        /** Shares of what is chosen, by layer and expert, from now on. */
        double[][] next();

        /** When the load of the last call ends; infinite for never. */
        double until();
    }

    /** What makes the phases of a run, each time the same. */
    interface Source {
        Phases phases();
    }

    /**
     * Loads of so many layers of so many experts.
     *
     * @throws StageException when there are none of that shape
     */
    Source of(int layers, int experts);
}
