package dev.stagesim.model.trace;

import java.util.Optional;

/** A collective operation, in the order of the numbers that a trace file gives them. */
public enum CollectiveType {
    ALL_REDUCE,
    REDUCE,
    ALL_GATHER,
    GATHER,
    SCATTER,
    BROADCAST,
    ALL_TO_ALL,
    REDUCE_SCATTER,
    REDUCE_SCATTER_BLOCK,
    BARRIER;

    private static final CollectiveType[] ALL = values();

    /** Number in a trace file. */
    public int number() {
        return ordinal();
    }

    /** The operation with this number, if the schema names one. */
    public static Optional<CollectiveType> of(long number) {
        return number >= 0 && number < ALL.length ? Optional.of(ALL[(int) number]) : Optional.empty();
    }
}
