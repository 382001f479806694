package dev.stagesim.comparison;

import dev.stagesim.contract.Member;
import dev.stagesim.model.Unwrapped;
import java.util.List;
import java.util.Optional;

/** The artifact {@code comparison.json}: the result of the stage {@code compare}. */
@Member("comparison.json 2 | Result of a comparison; a difference is sim - real, a percentage is relative to real.")
public record ComparisonDocument(
        @Unwrapped StatisticsMethod method,
        @Member("Reference side.") Side real,
        @Member("Compared side.") Side sim,
        @Member("Selection of the compared requests.") Alignment alignment,
        @Member("Result of the limits.") Verdict verdict,
        @Member("Metrics available on both sides.") List<Metric> metrics,
        @Member("Published aggregates of the real side.") List<Published> published,
        @Member("Rates of both sides.") List<Rate> throughput,
        @Member("Possible explanations of the differences.") List<Finding> diagnosis,
        @Member(value = "Second measurement; absent if there is none.", isLeftOut = true) Optional<Noise> noise,
        @Member(
                        value =
                                "Medians of a live measurement and the noise of its clocks, sockets and threads; absent otherwise.",
                        isLeftOut = true)
                Optional<List<ClockNoise>> clockNoise) {
    /** Method of the statistics. */
    public record StatisticsMethod(
            @Member("Interpolation of quantiles.") String quantileMethod,
            @Member("Confidence level of the intervals.") double intervalLevel,
            @Member("Seed of the resampling for the intervals.") long bootstrapSeed) {}

    static final String METRIC = "ttft, tpot, token_gap, e2e or norm_latency.";
    static final String DEFINITION = "Letter of the definition; empty if there is only one.";
    static final String STATISTIC = "mean, p50, ..., p99.9 or max.";
    static final String PERCENT = "Difference in percent of real.";

    public record Side(
            @Member("Name in the report.") String label,
            @Member("Id of the run.") String runId,
            @Member("Stage of the run.") String runType,
            @Member(value = "Digest of the run.", kind = "sha256") String sha256,
            @Member("Full name of the model; null if unknown.") Optional<String> model,
            @Member("Full name of the accelerator; null if unknown.") Optional<String> hardware,
            @Member("Number of requests.") long requests,
            @Member("Whether times of single tokens are available.") boolean tokenTimes) {}

    /** Numbers of requests by outcome. */
    public record Alignment(
            @Member("Requests compared.") long compared,
            @Member("Requests left out as warm-up.") long warmUpExcluded,
            @Member("Requests that the client cancelled as planned.") long cancelled,
            @Member("Requests that failed on the real side.") long failedReal,
            @Member("Requests that failed on the sim side.") long failedSim,
            @Member("Requests with a sim side truncated to the real side's length.") long requestsCut,
            @Member("Truncated tokens.") long simTokensCut) {}

    /** Result of all limits. */
    public record Verdict(
            @Member("Whether all checks passed.") boolean holds,
            @Member("user if the user set limits, otherwise default.") String limits,
            @Member("The checks.") List<Check> checks) {
        public record Check(
                @Member("Checked quantity.") String name,
                @Member("Maximum difference.") double limitPercent,
                @Member("The difference.") Optional<Double> differencePercent,
                @Member("Whether the check passed.") boolean holds) {}
    }

    /** A metric whose values are known on both sides. */
    public record Metric(
            @Member(METRIC) String metric,
            @Member(DEFINITION) String definition,
            @Member("Values on the real side.") long nReal,
            @Member("Values on the sim side.") long nSim,
            @Member("Statistics of both sides.") List<Metric.Row> statistics,
            @Member("Maximum difference between the distribution functions.") double kolmogorovSmirnov,
            @Member("Area between the distribution functions.") double wasserstein1Ns,
            @Member("wasserstein1_ns in percent of the real mean.") Optional<Double> wasserstein1Percent,
            @Member("Number of resamples for the intervals; 0 without intervals.") long bootstrapResamples,
            @Member(value = "Errors of paired requests; absent if values cannot be paired.", isLeftOut = true)
                    Optional<Paired> paired) {
        /** A statistic with its intervals. */
        public record Row(
                @Member(STATISTIC) String statistic,
                @Member("Real side.") Optional<Double> realNs,
                @Member("Sim side.") Optional<Double> simNs,
                @Member("sim - real.") Optional<Double> differenceNs,
                @Member(PERCENT) Optional<Double> differencePercent,
                @Member("False if fewer than ten values are expected beyond the percentile.") boolean reliable,
                @Member(value = "Interval of the real side, or null.", kind = "interval")
                        Optional<List<Optional<Double>>> realIntervalNs,
                @Member(value = "Interval of the sim side, or null.", kind = "interval")
                        Optional<List<Optional<Double>>> simIntervalNs,
                @Member(value = "Interval of the difference, or null.", kind = "interval")
                        Optional<List<Optional<Double>>> differenceIntervalPercent) {}

        /** Errors between paired requests of the two sides. */
        public record Paired(
                @Member("Pairs.") long n,
                @Member("Mean absolute percentage error.") Optional<Double> mapePercent,
                @Member("Median absolute percentage error.") Optional<Double> medianApePercent,
                @Member("Symmetric mean absolute percentage error.") Optional<Double> smapePercent,
                @Member("Mean percentage error.") Optional<Double> biasPercent,
                @Member("Mean absolute error.") double maeNs,
                @Member("Root of the mean squared error.") double rmseNs,
                @Member("Pearson's correlation.") Optional<Double> pearson,
                @Member("Spearman's rank correlation.") Optional<Double> spearman,
                @Member("Kendall's rank correlation.") Optional<Double> kendall,
                @Unwrapped LimitsOfAgreement agreement) {
            /** Limits of agreement by Bland and Altman. */
            public record LimitsOfAgreement(
                    @Member("Mean difference.") double blandAltmanBiasNs,
                    @Member("Lower limit of agreement.") double blandAltmanLowNs,
                    @Member("Upper limit of agreement.") double blandAltmanHighNs) {}
        }
    }

    /** A published value and the simulated one. */
    public record Published(
            @Member(METRIC) String metric,
            @Member(DEFINITION) String definition,
            @Member(STATISTIC) String statistic,
            @Member("Published value.") double realNs,
            @Member("Sim side.") double simNs,
            @Member(PERCENT) Optional<Double> differencePercent,
            @Member("Number of values of the published statistic; null if not stated.") Optional<Long> nReal,
            @Member("Values on the sim side.") long nSim) {}

    /** A rate of both sides. */
    public record Rate(
            @Member("Counted unit.") String quantity,
            @Member("Unit of the rate.") String unit,
            @Member("Real side.") Optional<Double> real,
            @Member("Sim side.") Optional<Double> sim,
            @Member(PERCENT) Optional<Double> differencePercent) {}

    /** A possible explanation. */
    public record Finding(
            @Member("Short name.") String id,
            @Member("Severity.") String kind,
            @Member("Description in one sentence.") String title,
            @Member("Supporting values.") List<String> evidence,
            @Member("Recommended action.") String advice) {}

    /** A second measurement of the real side. */
    public record Noise(
            @Member("The second measurement.") Side second,
            @Member("Medians and tails of the three runs.") List<Noise.Row> statistics) {
        /** A statistic of the three runs. */
        public record Row(
                @Member("ttft, tpot, e2e or norm_latency.") String metric,
                @Member("p50 or p95.") String statistic,
                @Member("Real side.") Optional<Double> realNs,
                @Member("Sim side.") Optional<Double> simNs,
                @Member("Second measurement.") Optional<Double> againNs,
                @Member("sim - real in percent of real.") Optional<Double> differencePercent,
                @Member("Second measurement minus real, in percent of real.") Optional<Double> noisePercent) {}
    }

    /** A median and the timing error of the client. */
    public record ClockNoise(
            @Member("ttft, tpot or e2e.") String metric,
            @Member("Median of the real side.") Optional<Double> realNs,
            @Member("Median of the sim side.") Optional<Double> simNs,
            @Member("95th percentile of the lateness of events.") Optional<Double> noiseNs,
            @Member("Whether the difference is at most noise_ns.") boolean within) {}
}
