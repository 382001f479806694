package dev.stagesim.model.trace;

/** Types of execution trace nodes, in the order of their numbers in a file. */
public enum NodeType {
    INVALID_NODE,
    METADATA_NODE,
    MEM_LOAD_NODE,
    MEM_STORE_NODE,
    COMP_NODE,
    COMM_SEND_NODE,
    COMM_RECV_NODE,
    COMM_COLL_NODE,
    /** A number that the schema does not define. */
    UNKNOWN_NODE;

    private static final NodeType[] ALL = values();

    /** Number in a trace file; {@link #UNKNOWN_NODE} has none. */
    public int number() {
        if (this == UNKNOWN_NODE) {
            throw new IllegalStateException("an unknown type has no number");
        }
        return ordinal();
    }

    /** Returns the type with this number, or {@link #UNKNOWN_NODE}. */
    public static NodeType of(int number) {
        return number >= 0 && number < UNKNOWN_NODE.ordinal() ? ALL[number] : UNKNOWN_NODE;
    }

    /** True if nodes of this type transfer data between processors. */
    public boolean isCommunication() {
        return this == COMM_SEND_NODE || this == COMM_RECV_NODE || this == COMM_COLL_NODE;
    }
}
