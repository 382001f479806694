package dev.stagesim.model;

/** Behaviour of a predictor beyond the maximum measured size. */
public enum Extrapolation {
    NONE, // Computed times extend the tables; an error without a kernel model of the device.
    LINEAR // Continue with the slope of the upper half of the measured range.
}
