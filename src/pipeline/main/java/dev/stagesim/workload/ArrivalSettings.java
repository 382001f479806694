package dev.stagesim.workload;

import dev.stagesim.model.Key;
import dev.stagesim.model.OnlyIf;
import dev.stagesim.model.Variant;
import java.nio.file.Path;
import java.util.Optional;

/** Arrival process of requests: the section {@code arrival}. */
public sealed interface ArrivalSettings
        permits ArrivalSettings.AtOnce,
                ArrivalSettings.Fixed,
                ArrivalSettings.Poisson,
                ArrivalSettings.Gamma,
                ArrivalSettings.Trace,
                ArrivalSettings.Closed {
    /** Key of processes with a random rate. */
    String EXACT =
            "True to scale the drawn times so that the last request arrives after requests / qps seconds, as in vllm"
                    + " bench serve. | false";

    /**
     * The rate of random arrivals.
     *
     * @param qps mean rate in requests per second
     * @param cv coefficient of variation of the inter-arrival times
     * @param isExact true if the drawn times are scaled to the mean rate
     */
    record Rate(double qps, double cv, boolean isExact) {}

    /** Returns the rate of random arrivals; empty for other arrivals. */
    default Optional<Rate> rate() {
        return Optional.empty();
    }

    @Variant("static | All requests at time 0.")
    record AtOnce() implements ArrivalSettings {}

    @Variant("fixed | Requests at a fixed interval.")
    record Fixed(
            @Key("Time from one request to the next. | 1.0 | s | 0..1000000000") double interval,
            @Key("Time of the first request. | 0.0 | s | 0..1000000000") double start)
            implements ArrivalSettings {}

    @Variant("poisson | Independent requests: exponential inter-arrival times.")
    record Poisson(
            @Key("Mean rate. | 1.0 | requests/s | 0.000001..1000000000") double qps, @Key(EXACT) boolean exactRate)
            implements ArrivalSettings {
        public Poisson(double qps) {
            this(qps, false);
        }

        @Override
        public Optional<Rate> rate() {
            return Optional.of(new Rate(qps, 1, exactRate));
        }
    }

    @Variant("gamma | Gamma-distributed inter-arrival times: bursty with cv above 1, even with cv below 1.")
    record Gamma(
            @Key("Mean rate. | 1.0 | requests/s | 0.000001..1000000000") double qps,
            @Key("Coefficient of variation of the inter-arrival times; 1 is Poisson. | 2.0 | 0.000001..1000") double cv,
            @Key(EXACT) boolean exactRate)
            implements ArrivalSettings {
        public Gamma(double qps, double cv) {
            this(qps, cv, false);
        }

        @Override
        public Optional<Rate> rate() {
            return Optional.of(new Rate(qps, cv, exactRate));
        }
    }

    @Variant("closed_loop | A limit on the requests in flight: a request enters when an earlier one has completed.")
    record Closed(
            @Key("Maximum number of requests in flight. | 64 | 1..10000000") int concurrency,
            @Key("Mean rate of arrivals, which wait while the limit is reached; null for requests that enter as soon"
                            + " as possible. | null | requests/s | 0.000001..1000000000")
                    Optional<Double> qps,
            @Key("Coefficient of variation of the inter-arrival times; 1 is Poisson. | 1.0 | 0.000001..1000")
                    @OnlyIf("qps != null | requests enter as soon as possible | set arrival.qps, or rate")
                    double cv,
            @Key(EXACT) @OnlyIf("qps != null | requests enter as soon as possible | set arrival.qps, or rate")
                    boolean exactRate,
            @Key("Time in which the limit rises linearly from 1. | 0.0 | s | 0..1000000000") double rampUpS,
            @Key("First requests, which metrics exclude. | 0 | 0..1000000000") int warmupRequests)
            implements ArrivalSettings {
        @Override
        public Optional<Rate> rate() {
            return qps.map(rate -> new Rate(rate, cv, exactRate));
        }
    }

    @Variant("trace | Recorded arrival times; the first used request arrives at time 0.")
    record Trace(
            @Key("File with the times; null for workload.file. | null") Optional<Path> file,
            @Key("Start of the time range, as date and time or in seconds; null for the first row. | null")
                    Optional<String> start,
            @Key("End of the time range (exclusive), as date and time or in seconds; null for the last row. | "
                            + "null")
                    Optional<String> end,
            @Key("Factor on all times; 0.5 doubles the rate. | 1.0 | 0.000001..1000000") double timeScale)
            implements ArrivalSettings {}
}
