package dev.stagesim.model;

/** Behaviour of a predictor beyond the maximum measured size. */
public enum Extrapolation {
    NONE, // Error.
    LINEAR // Continue with the slope of the upper half of the measured range.
}
