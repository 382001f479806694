package dev.stagesim.model.trace;

import java.util.Optional;

/** What a node of schema 0.0.1 does, in the order of the numbers in a file. */
public enum LegacyNodeType {
    INVALID_NODE,
    MEM_LOAD_NODE,
    MEM_STORE_NODE,
    COMP_NODE,
    COMM_SEND_NODE,
    COMM_RECV_NODE,
    COMM_COLL_NODE;

    private static final LegacyNodeType[] ALL = values();

    /** Number in a trace file. */
    public int number() {
        return ordinal();
    }

    /** The type with this number, if the schema names one. */
    public static Optional<LegacyNodeType> of(int number) {
        return number >= 0 && number < ALL.length ? Optional.of(ALL[number]) : Optional.empty();
    }
}
