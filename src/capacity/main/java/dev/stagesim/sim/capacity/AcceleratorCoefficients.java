package dev.stagesim.sim.capacity;

/**
 * Coefficients of the semi-empirical model of one kind of accelerator; {@code specs/fabric.md} contains the formulas.
 *
 * @param card coefficients of its card
 * @param tokensPerAccel tokens per second of one accelerator at full utilisation
 * @param p50Coefficient median latency of a token in ms, times the rate of one accelerator
 * @param idlePower share of a node's power drawn when idle
 * @param busyPower share of a node's power drawn in proportion to utilisation
 */
public record AcceleratorCoefficients(
        AcceleratorCard card, double tokensPerAccel, double p50Coefficient, double idlePower, double busyPower) {}
