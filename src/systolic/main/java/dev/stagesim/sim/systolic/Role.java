package dev.stagesim.sim.systolic;

/** Operands of a layer. */
enum Role {
    IMAGE,
    FILTER,
    OUTPUT
}
