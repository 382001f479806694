package dev.stagesim.sim.collective.procedure;

/** Collectives that consist of phases. */
public enum CollectiveKind {
    ALL_REDUCE,
    ALL_GATHER,
    REDUCE_SCATTER,
    ALL_TO_ALL
}
