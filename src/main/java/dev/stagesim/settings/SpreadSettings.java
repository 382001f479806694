package dev.stagesim.settings;

import dev.stagesim.model.Key;

/** How sure figures are, and how that is carried on: the section {@code uncertainty}. */
public record SpreadSettings(
        @Key("Standard deviation of throughput by the semi-empirical model, relative; a calibration replaces it."
                        + " | 0.3 | 0..2")
                double semiEmpirical,
        @Key("Standard deviation of simulated throughput and latency, relative. | 0.15 | 0..2") double simulated,
        @Key("Standard deviation of power, relative. | 0.1 | 0..2") double power,
        @Key("Draws of which the ranges are taken. | 2000 | 100..1000000") int draws,
        @Key("Share of the draws that a range holds. | 0.9 | 0.1..0.999") double level,
        @Key("Seed of the draws. | 42 | 0..9223372036854775807") long seed) {}
