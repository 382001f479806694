package dev.stagesim.sim.collective.spec;

/**
 * Roofline model of computations.
 *
 * @param peak in op/s
 */
public record Roofline(double peak) {}
