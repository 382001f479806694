package dev.stagesim.model.trace;

import java.util.Optional;

/** Collective operations, in the order of their numbers in a trace file. */
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

    /** Returns the operation with this number; empty if the schema does not define it. */
    public static Optional<CollectiveType> of(long number) {
        return number >= 0 && number < ALL.length ? Optional.of(ALL[(int) number]) : Optional.empty();
    }
}
