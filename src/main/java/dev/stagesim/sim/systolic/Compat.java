package dev.stagesim.sim.systolic;

/** Whose figures are wanted. */
public enum Compat {
    /** Ours: known miscounts of the reference corrected. */
    NONE,
    /** The reference's second version, figure for figure. */
    V2,
    /** The reference's third version, figure for figure. */
    V3
}
