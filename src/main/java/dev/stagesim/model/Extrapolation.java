package dev.stagesim.model;

/** What a predictor does beyond the greatest measured size. */
public enum Extrapolation {
    NONE, // Asking is an error.
    LINEAR // The slope over the upper half of the measured range goes on.
}
