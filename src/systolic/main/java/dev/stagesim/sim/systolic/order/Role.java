package dev.stagesim.sim.systolic.order;

/** Operands of a layer. */
public enum Role {
    IMAGE,
    FILTER,
    OUTPUT
}
