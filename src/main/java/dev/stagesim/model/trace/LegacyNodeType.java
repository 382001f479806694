package dev.stagesim.model.trace;

/** What a node of schema 0.0.1 does, in the order of the numbers in a file. */
public enum LegacyNodeType {
    INVALID_NODE,
    MEM_LOAD_NODE,
    MEM_STORE_NODE,
    COMP_NODE,
    COMM_SEND_NODE,
    COMM_RECV_NODE,
    COMM_COLL_NODE;

    /** Number in a trace file. */
    public int number() {
        return ordinal();
    }
}
