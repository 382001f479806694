package dev.stagesim.contract;

import java.util.List;
import java.util.Optional;

@Member("comparison.json 1 | What a comparison found; a difference is sim - real, a percentage is of real.")
public record ComparisonDocument(
        @Member("How quantiles are interpolated.") String quantileMethod,
        @Member("Level of the intervals.") double intervalLevel,
        @Member("Seed of the resampling behind the intervals.") long bootstrapSeed,
        @Member("The side that is compared with.") Side real,
        @Member("The side that is judged.") Side sim,
        @Member("Which requests were compared.") Alignment alignment,
        @Member("Whether the limits hold.") Verdict verdict,
        @Member("Metrics known on both sides.") List<Metric> metrics,
        @Member("Aggregates of real that were only published.") List<Published> published,
        @Member("Rates of both sides.") List<Rate> throughput,
        @Member("What may explain the differences.") List<Finding> diagnosis,
        @Member(value = "A second measurement; absent when there is none.", isLeftOut = true) Optional<Noise> noise,
        @Member(
                        value =
                                "Medians, and what clocks, sockets and threads of a live measurement add; absent for others.",
                        isLeftOut = true)
                Optional<List<ClockNoise>> clockNoise) {
    static final String METRIC = "ttft, tpot, token_gap, e2e or norm_latency.";
    static final String DEFINITION = "Letter of the definition; empty where there is only one.";
    static final String STATISTIC = "mean, p50, ..., p99.9 or max.";
    static final String PERCENT = "Difference in percent of real.";

    public record Side(
            @Member("What the report calls it.") String label,
            @Member("Id of the run.") String runId,
            @Member("Stage that made the run.") String runType,
            @Member(value = "Digest of the run.", kind = "sha256") String sha256,
            @Member("Full name of the model; null when unknown.") Optional<String> model,
            @Member("Full name of the accelerator; null when unknown.") Optional<String> hardware,
            @Member("Number of its requests.") long requests,
            @Member("Whether it has times of single tokens.") boolean tokenTimes) {}

    /** Numbers of requests by what became of them. */
    public record Alignment(
            @Member("Requests compared.") long compared,
            @Member("Requests left out as warm-up.") long warmUpExcluded,
            @Member("Requests that their client gave up, as planned.") long cancelled,
            @Member("Requests that failed on the real side.") long failedReal,
            @Member("Requests that failed on the sim side.") long failedSim,
            @Member("Requests whose sim side was cut to the real side's length.") long requestsCut,
            @Member("Tokens that were cut.") long simTokensCut) {}

    /** The limits together. */
    public record Verdict(
            @Member("Whether all checks hold.") boolean holds,
            @Member("user when the user set limits, else usual.") String limits,
            @Member("The checks.") List<Check> checks) {
        public record Check(
                @Member("What is checked.") String name,
                @Member("Greatest difference that holds.") double limitPercent,
                @Member("The difference.") Optional<Double> differencePercent,
                @Member("Whether it holds.") boolean holds) {}
    }

    /** A metric whose values are known on both sides. */
    public record Metric(
            @Member(METRIC) String metric,
            @Member(DEFINITION) String definition,
            @Member("Values on the real side.") long nReal,
            @Member("Values on the sim side.") long nSim,
            @Member("Statistics of both sides.") List<Metric.Row> statistics,
            @Member("Greatest gap between the distribution functions.") double kolmogorovSmirnov,
            @Member("Area between the distribution functions.") double wasserstein1Ns,
            @Member("The same in percent of the real mean.") Optional<Double> wasserstein1Percent,
            @Member("Resamples behind the intervals; 0 for none.") long bootstrapResamples,
            @Member(value = "Errors request by request; absent when values have no partners.", isLeftOut = true)
                    Optional<Paired> paired) {
        /** A statistic; the ends of intervals. */
        public record Row(
                @Member(STATISTIC) String statistic,
                @Member("Real side.") Optional<Double> realNs,
                @Member("Sim side.") Optional<Double> simNs,
                @Member("sim - real.") Optional<Double> differenceNs,
                @Member(PERCENT) Optional<Double> differencePercent,
                @Member("False when fewer than ten values are expected beyond the percentile.") boolean reliable,
                @Member(value = "Interval of the real side; null for none.", kind = "interval")
                        Optional<List<Optional<Double>>> realIntervalNs,
                @Member(value = "Interval of the sim side; null for none.", kind = "interval")
                        Optional<List<Optional<Double>>> simIntervalNs,
                @Member(value = "Interval of the difference; null for none.", kind = "interval")
                        Optional<List<Optional<Double>>> differenceIntervalPercent) {}

        /** Errors of requests on one side by those on the other. */
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
                @Member("Mean difference.") double blandAltmanBiasNs,
                @Member("Lower limit of agreement.") double blandAltmanLowNs,
                @Member("Upper limit of agreement.") double blandAltmanHighNs) {}
    }

    /** A published figure beside the simulated one. */
    public record Published(
            @Member(METRIC) String metric,
            @Member(DEFINITION) String definition,
            @Member(STATISTIC) String statistic,
            @Member("Published figure.") double realNs,
            @Member("Sim side.") double simNs,
            @Member(PERCENT) Optional<Double> differencePercent,
            @Member("Values behind the published figure; null when not stated.") Optional<Long> nReal,
            @Member("Values on the sim side.") long nSim) {}

    /** A rate of both sides. */
    public record Rate(
            @Member("What is counted.") String quantity,
            @Member("Unit of the rate.") String unit,
            @Member("Real side.") Optional<Double> real,
            @Member("Sim side.") Optional<Double> sim,
            @Member(PERCENT) Optional<Double> differencePercent) {}

    /** A possible explanation. */
    public record Finding(
            @Member("Short name.") String id,
            @Member("How serious it is.") String kind,
            @Member("What it is, in one sentence.") String title,
            @Member("Figures that speak for it.") List<String> evidence,
            @Member("What to do.") String advice) {}

    /** A second measurement of the real side. */
    public record Noise(
            @Member("The second measurement.") Side second,
            @Member("Medians and tails of the three runs.") List<Noise.Row> statistics) {
        /** A statistic of the three. */
        public record Row(
                @Member("ttft, tpot, e2e or norm_latency.") String metric,
                @Member("p50 or p95.") String statistic,
                @Member("Real side.") Optional<Double> realNs,
                @Member("Sim side.") Optional<Double> simNs,
                @Member("Second measurement.") Optional<Double> againNs,
                @Member("sim - real in percent of real.") Optional<Double> differencePercent,
                @Member("again - real in percent of real.") Optional<Double> noisePercent) {}
    }

    /** A median beside what the client itself may be off by. */
    public record ClockNoise(
            @Member("ttft, tpot or e2e.") String metric,
            @Member("Median of the real side.") Optional<Double> realNs,
            @Member("Median of the sim side.") Optional<Double> simNs,
            @Member("What 95 % of the events were late by at most.") Optional<Double> noiseNs,
            @Member("Whether the difference is no greater.") boolean within) {}
}
