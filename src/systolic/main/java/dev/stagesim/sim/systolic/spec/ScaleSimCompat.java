package dev.stagesim.sim.systolic.spec;

/** Version of SCALE-Sim to reproduce. */
public enum ScaleSimCompat {
    /** The product's own model, with the reference's miscounts corrected. */
    NONE,
    /** Exactly the results of version 2. */
    V2,
    /** Exactly the results of version 3. */
    V3
}
