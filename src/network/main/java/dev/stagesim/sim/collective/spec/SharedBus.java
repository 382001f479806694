package dev.stagesim.sim.collective.spec;

/**
 * LogGP parameters of the bus between an NPU and its network endpoint.
 *
 * @param latency L in ns
 * @param overhead o in ns
 * @param gap g in ns
 * @param gapPerByte G in ns per byte
 * @param reductionDelay ns per 100 reduced bytes
 */
public record SharedBus(long latency, long overhead, long gap, double gapPerByte, int reductionDelay) {}
