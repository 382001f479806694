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
    @Variant("static | All requests at time 0.")
    record AtOnce() implements ArrivalSettings {}

    @Variant("fixed | Requests at even distances.")
    record Fixed(
            @Key("Time from one request to the next. | 1.0 | s | 0..1000000000") double interval,
            @Key("Time of the first request. | 0.0 | s | 0..1000000000") double start)
            implements ArrivalSettings {}

    @Variant("poisson | Independent requests: exponential gaps.")
    record Poisson(@Key("Mean rate. | 1.0 | requests/s | 0.000001..1000000000") double qps)
            implements ArrivalSettings {}

    @Variant("gamma | Bursty (cv above 1) or even (cv below 1) requests: gamma-distributed gaps.")
    record Gamma(
            @Key("Mean rate. | 1.0 | requests/s | 0.000001..1000000000") double qps,
            @Key("Coefficient of variation of the gaps; 1 is Poisson. | 2.0 | 0.000001..1000") double cv)
            implements ArrivalSettings {}

    @Variant("trace | As recorded in a file; the first request used arrives at time 0.")
    record Trace(
            @Key("File with the times; null for workload.file. | null") Optional<Path> file,
            @Key("Rows from this time on: date and time, or seconds; null for all. | null") Optional<String> start,
            @Key("Rows before this time: date and time, or seconds; null for all. | null") Optional<String> end,
            @Key("Factor on all times; 0.5 doubles the rate. | 1.0 | 0.000001..1000000") double timeScale)
            implements ArrivalSettings {}
}
