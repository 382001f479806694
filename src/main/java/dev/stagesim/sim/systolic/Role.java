package dev.stagesim.sim.systolic;

/** The operands of a layer. */
enum Role {
    IMAGE,
    FILTER,
    OUTPUT
}
