package dev.stagesim.sim.collective.procedure;

/** Collective operations that the simulator executes as a sequence of phases, one for each network dimension. */
public enum CollectiveKind {
    ALL_REDUCE,
    ALL_GATHER,
    REDUCE_SCATTER,
    ALL_TO_ALL
}
