package dev.stagesim.sim.collective;

/** The collectives that are made of phases. */
public enum CollectiveKind {
    ALL_REDUCE,
    ALL_GATHER,
    REDUCE_SCATTER,
    ALL_TO_ALL
}
