package dev.stagesim.sim.capacity;

/** The cost of tokens on nodes that are rented by the hour, with a separate price for power, as in the reference. */
public final class EnergyCost {
    /** Electricity price of the reference, in USD per kWh. */
    static final double REFERENCE_USD_PER_KWH = 0.12;

    private EnergyCost() {}

    public static double perThousandTokens(double hourlyUsd, double nodeWatts, double pue, double tokensPerSecond) {
        double energy = nodeWatts * pue / 1000.0 * REFERENCE_USD_PER_KWH;
        return (hourlyUsd + energy) / Math.max(1e-6, tokensPerSecond * 3.6);
    }
}
