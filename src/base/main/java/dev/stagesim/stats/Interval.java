package dev.stagesim.stats;

/** A confidence interval with inclusive bounds. */
public record Interval(double low, double high) {}
