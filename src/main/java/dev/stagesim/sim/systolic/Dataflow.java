package dev.stagesim.sim.systolic;

/** Which operand stays in the array while the others stream through it. */
public enum Dataflow {
    /** Output stationary. */
    OS,
    /** Weight stationary. */
    WS,
    /** Input stationary. */
    IS
}
