package dev.stagesim.model.trace;

/** Node types of schema 0.0.1, in the order of their numbers in a file. */
public enum LegacyNodeType {
    INVALID_NODE,
    MEM_LOAD_NODE,
    MEM_STORE_NODE,
    COMP_NODE,
    COMM_SEND_NODE,
    COMM_RECV_NODE,
    COMM_COLL_NODE;

    /** Number in a trace file. */
    int number() {
        return ordinal();
    }
}
