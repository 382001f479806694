package dev.stagesim.settings;

import dev.stagesim.model.Key;
import dev.stagesim.model.Variant;
import java.nio.file.Path;
import java.util.Optional;

/** When requests arrive: the section {@code arrival}. */
public sealed interface ArrivalSettings
        permits ArrivalSettings.AtOnce,
                ArrivalSettings.Fixed,
                ArrivalSettings.Poisson,
                ArrivalSettings.Gamma,
                ArrivalSettings.Trace {
    /** All at once, at time 0. */
    @Variant(value = "static", doc = "All requests at time 0.")
    record AtOnce() implements ArrivalSettings {}

    /** At even distances; the first at {@code start}. */
    @Variant(value = "fixed", doc = "Requests at even distances.")
    record Fixed(
            @Key(doc = "Time from one request to the next.", unit = "s", def = "1.0", min = "0") double interval,
            @Key(doc = "Time of the first request.", unit = "s", def = "0.0", min = "0") double start)
            implements ArrivalSettings {}

    /** Independent of each other: exponential gaps. */
    @Variant(value = "poisson", doc = "Independent requests: exponential gaps.")
    record Poisson(@Key(doc = "Mean rate.", unit = "requests/s", def = "1.0", min = "0", above = true) double qps)
            implements ArrivalSettings {}

    /** Burstier or more even than independent requests: gamma-distributed gaps. */
    @Variant(value = "gamma", doc = "Bursty (cv above 1) or even (cv below 1) requests: gamma-distributed gaps.")
    record Gamma(
            @Key(doc = "Mean rate.", unit = "requests/s", def = "1.0", min = "0", above = true) double qps,
            @Key(doc = "Coefficient of variation of the gaps; 1 is Poisson.", def = "2.0", min = "0", above = true)
                    double cv)
            implements ArrivalSettings {}

    /** As recorded in a file. */
    @Variant(value = "trace", doc = "As recorded in a file; the first request used arrives at time 0.")
    record Trace(
            @Key(doc = "File with the times; null for workload.file.", def = "null") Optional<Path> file,
            @Key(doc = "Rows from this time on: date and time, or seconds; null for all.", def = "null")
                    Optional<String> start,
            @Key(doc = "Rows before this time: date and time, or seconds; null for all.", def = "null")
                    Optional<String> end,
            @Key(doc = "Factor on all times; 0.5 doubles the rate.", def = "1.0", min = "0", above = true)
                    double timeScale)
            implements ArrivalSettings {}
}
