package dev.stagesim.sim.capacity;

/** What tokens cost when machines are rented by the hour and power is paid apart, as the reference has it. */
public final class EnergyCost {
    /** USD per kWh that the reference takes. */
    public static final double REFERENCE_USD_PER_KWH = 0.12;

    private EnergyCost() {}

    public static double perThousandTokens(double hourlyUsd, double nodeWatts, double pue, double tokensPerSecond) {
        double energy = nodeWatts * pue / 1000.0 * REFERENCE_USD_PER_KWH;
        return (hourlyUsd + energy) / Math.max(1e-6, tokensPerSecond * 3.6);
    }
}
