package dev.stagesim.sim.systolic.spec;

/** Selects the operand that stays in the array while the remaining operands stream through it. */
public enum Dataflow {
    /** Output stationary: each element accumulates one output pixel. */
    OS,
    /** Weight stationary: each element keeps one weight. */
    WS,
    /** Input stationary: each element keeps one input word. */
    IS
}
