package dev.stagesim.sim.network;

/** Shape of one dimension of an analytical network. */
public enum Topology {
    /** Every NPU is joined to its two neighbours, with wrap-around. */
    RING,
    /** Every NPU is joined to every other. */
    FULLY_CONNECTED,
    /** Every NPU is joined to one switch. */
    SWITCH,
    /** Every NPU is joined to its two neighbours, without wrap-around; not in the reference. */
    MESH
}
