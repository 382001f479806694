package dev.stagesim.capacity;

import dev.stagesim.model.Key;

/** Uncertainty of predictions and its propagation: the section {@code uncertainty}. */
public record SpreadSettings(
        @Key("Relative standard deviation of the throughput of the semi-empirical model; a calibration "
                        + "replaces it. | 0.3 | 0..2")
                double semiEmpirical,
        @Key("Relative standard deviation of simulated throughput and latency. | 0.15 | 0..2") double simulated,
        @Key("Relative standard deviation of power. | 0.1 | 0..2") double power,
        @Key("Monte Carlo draws. | 2000 | 100..1000000") int draws,
        @Key("Share of the draws within the reported range. | 0.9 | 0.1..0.999") double level,
        @Key("Seed of the draws. | 42 | 0..9223372036854775807") long seed) {}
