package dev.stagesim.sim.network;

/** Shape of one dimension of an analytical network. */
public enum Topology {
    /** Every NPU is linked to its two neighbours, with wrap-around. */
    RING,
    /** Every NPU is linked to every other. */
    FULLY_CONNECTED,
    /** Every NPU is linked to one switch. */
    SWITCH,
    /** Every NPU is linked to its neighbours, without wrap-around; not in the reference. */
    MESH
}
