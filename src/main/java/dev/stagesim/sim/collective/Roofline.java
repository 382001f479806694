package dev.stagesim.sim.collective;

/**
 * How long a computation takes by its operations and bytes.
 *
 * @param peak in op/s
 */
public record Roofline(double peak) {}
