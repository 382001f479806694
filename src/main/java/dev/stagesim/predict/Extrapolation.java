package dev.stagesim.predict;

/** What a predictor does beyond the greatest measured size. */
public enum Extrapolation {
    NONE,
    /** Goes on with the slope over the upper half of the measured range. */
    LINEAR
}
