package dev.stagesim.sim.mnk;

/** The passes of a training step, in the order of the workload's columns. */
public enum Pass {
    FORWARD,
    INPUT_GRADIENT,
    WEIGHT_GRADIENT
}
