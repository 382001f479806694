package dev.stagesim.settings;

import dev.stagesim.model.Key;

/** How sure figures are, and how that is carried on: the section {@code uncertainty}. */
public record SpreadSettings(
        @Key(
                        doc =
                                "Standard deviation of throughput by the semi-empirical model, relative; a calibration replaces"
                                        + " it.",
                        def = "0.3",
                        min = "0",
                        max = "2")
                double semiEmpirical,
        @Key(
                        doc = "Standard deviation of simulated throughput and latency, relative.",
                        def = "0.15",
                        min = "0",
                        max = "2")
                double simulated,
        @Key(doc = "Standard deviation of power, relative.", def = "0.1", min = "0", max = "2") double power,
        @Key(doc = "Draws of which the ranges are taken.", def = "2000", min = "100", max = "1000000") int draws,
        @Key(doc = "Share of the draws that a range holds.", def = "0.9", min = "0.1", max = "0.999") double level,
        @Key(doc = "Seed of the draws.", def = "42", min = "0") long seed) {}
