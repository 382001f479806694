package dev.stagesim.measure;

import dev.stagesim.model.FormerKeys;
import dev.stagesim.model.Key;
import dev.stagesim.model.Unwrapped;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Comparison of two runs: the section {@code compare}. */
public record CompareSettings(
        @Key("Number of first requests, by arrival, to exclude on both sides. | 0 | requests | 0..1000000000")
                int excludeWarmup,
        @Key("Exclude requests that failed on either side. | false") boolean excludeFailed,
        @Key("Allow runs on different hardware. | false") boolean anyHardware,
        @Key("Error limits; the comparison fails if an error exceeds its limit.") Tolerance tolerance,
        @Key("Confidence intervals.") Bootstrap bootstrap,
        @Key("Maximum number of requests in the table of the report; the CSV file has all. | 200 | requests | "
                        + "0..1000000000")
                int reportRequests,
        @Key("Second measurement, which determines the measurement noise.") Noise noise,
        @Key("Measured workloads of the profiling suite for the fit of efficiencies.") Fit fit) {
    /** Data for the fit of efficiencies per operator class; the family of the compared workload is excluded. */
    @FormerKeys("least_ns=min_layer_ns")
    public record Fit(
            @Key("Finished runs of real_bench with bench=tf, of any workloads and families. | []") List<Path> runs,
            @Key("Minimum measured time of a layer that the prediction error includes. | 20000 | ns | "
                            + "0..1000000000000000000")
                    long minLayerNs) {}

    /** The noise floor, from two measurements of the real side. */
    public record Noise(
            @Key("Whether to measure the real side a second time with the same requests; null for true if the "
                            + "built-in engine is the real side. | null")
                    Optional<Boolean> measure,
            @Key("Directory of a finished second measurement. | null") Optional<Path> dir) {}

    /** Maximum errors, in percent of the first side; null for no limit. */
    public record Tolerance(
            @Unwrapped TokenLimits tokens,
            @Unwrapped RequestLimits requests,
            @Key("Limit on output throughput. | null | % | 0..1000000") Optional<Double> throughputPercent,
            @Key("Limit on the median training step, if both sides are measured runs of the same suite workload. "
                            + "| null | % | 0..1000000")
                    Optional<Double> stepP50Percent,
            @Key("Direction of counted errors: either for predictions; worse for regressions, when the second "
                            + "side may be faster. | either")
                    Direction direction) {
        /** Limits on latencies of tokens. */
        public record TokenLimits(
                @Key("Limit on median TTFT. | null | % | 0..1000000") Optional<Double> ttftP50Percent,
                @Key("Limit on TTFT P90. | null | % | 0..1000000") Optional<Double> ttftP90Percent,
                @Key("Limit on TTFT P99. | null | % | 0..1000000") Optional<Double> ttftP99Percent,
                @Key("Limit on median TPOT. | null | % | 0..1000000") Optional<Double> tpotP50Percent,
                @Key("Limit on TPOT P90. | null | % | 0..1000000") Optional<Double> tpotP90Percent,
                @Key("Limit on TPOT P99. | null | % | 0..1000000") Optional<Double> tpotP99Percent,
                @Key("Limit on the median token gap. | null | % | 0..1000000") Optional<Double> tokenGapP50Percent,
                @Key("Limit on token gap P99. | null | % | 0..1000000") Optional<Double> tokenGapP99Percent) {}

        /** Limits on latencies of requests. */
        public record RequestLimits(
                @Key("Limit on median end-to-end latency. | null | % | 0..1000000") Optional<Double> e2eP50Percent,
                @Key("Limit on end-to-end latency P90. | null | % | 0..1000000") Optional<Double> e2eP90Percent,
                @Key("Limit on end-to-end latency P99. | null | % | 0..1000000") Optional<Double> e2eP99Percent,
                @Key("Limit on median normalised latency. | null | % | 0..1000000")
                        Optional<Double> normLatencyP50Percent,
                @Key("Limit on normalised latency P95. | null | % | 0..1000000")
                        Optional<Double> normLatencyP95Percent) {}

        /** The direction of the errors that count. */
        public enum Direction {
            EITHER, // Both directions.
            WORSE // Longer times and lower rates of the second side only.
        }

        /** Returns the limits that are set, by {@code <metric>_<statistic>}, in the order of the keys. */
        public Map<String, Double> limits() {
            Map<String, Double> limits = new java.util.LinkedHashMap<>();
            tokens.ttftP50Percent().ifPresent(v -> limits.put("ttft_p50", v));
            tokens.ttftP90Percent().ifPresent(v -> limits.put("ttft_p90", v));
            tokens.ttftP99Percent().ifPresent(v -> limits.put("ttft_p99", v));
            tokens.tpotP50Percent().ifPresent(v -> limits.put("tpot_p50", v));
            tokens.tpotP90Percent().ifPresent(v -> limits.put("tpot_p90", v));
            tokens.tpotP99Percent().ifPresent(v -> limits.put("tpot_p99", v));
            tokens.tokenGapP50Percent().ifPresent(v -> limits.put("token_gap_p50", v));
            tokens.tokenGapP99Percent().ifPresent(v -> limits.put("token_gap_p99", v));
            requests.e2eP50Percent().ifPresent(v -> limits.put("e2e_p50", v));
            requests.e2eP90Percent().ifPresent(v -> limits.put("e2e_p90", v));
            requests.e2eP99Percent().ifPresent(v -> limits.put("e2e_p99", v));
            requests.normLatencyP50Percent().ifPresent(v -> limits.put("norm_latency_p50", v));
            requests.normLatencyP95Percent().ifPresent(v -> limits.put("norm_latency_p95", v));
            throughputPercent.ifPresent(v -> limits.put("throughput", v));
            stepP50Percent.ifPresent(v -> limits.put("step_p50", v));
            return limits;
        }
    }

    /** Bootstrap of confidence intervals. */
    public record Bootstrap(
            @Key("Resamples. Samples above 20,000 values use fewer, which the report states. | 1000 | 100..100000")
                    int resamples,
            @Key("Seed of the resampling. | 42 | 0..9223372036854775807") long seed) {}
}
