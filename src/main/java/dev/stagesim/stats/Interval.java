package dev.stagesim.stats;

/** A confidence interval, both ends included. */
public record Interval(double low, double high) {}
