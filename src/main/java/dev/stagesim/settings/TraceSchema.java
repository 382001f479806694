package dev.stagesim.settings;

/** Schemas of execution traces. */
public enum TraceSchema {
    /** Files {@code .et}; sizes are signed numbers. */
    V1_0_0,
    /** Files {@code .et}; sizes are unsigned numbers. */
    V0_0_4,
    /** Files {@code .eg}, for tagged 2.x releases of ASTRA-sim. */
    V0_0_1
}
