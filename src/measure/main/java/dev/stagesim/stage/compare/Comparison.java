package dev.stagesim.stage.compare;

import dev.stagesim.comparison.ComparedRun;
import dev.stagesim.comparison.Facts.Figure;
import dev.stagesim.comparison.Metric;
import dev.stagesim.comparison.TokenGaps;
import dev.stagesim.io.measured.RequestRow;
import dev.stagesim.measure.CompareSettings;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.report.DataTable;
import dev.stagesim.report.Numbers;
import dev.stagesim.report.TimeScale;
import dev.stagesim.stats.Quantiles;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/** The result of comparing two runs, from which all artifacts are written. */
record Comparison(
        ComparedRun real,
        ComparedRun sim,
        CompareSettings settings,
        Alignment alignment,
        List<MetricResult> metrics,
        List<PublishedRow> published,
        List<Throughput> throughput,
        Verdict verdict,
        List<Finding> findings,
        Optional<NoiseFloor> noise,
        Optional<ClockNoise> clockNoise) {

    /**
     * Compares two runs. It is an input error if they are not comparable.
     *
     * @param again a second measurement of {@code real}, from which the measurement noise is estimated
     */
    static Comparison of(ComparedRun real, ComparedRun sim, Optional<ComparedRun> again, CompareSettings settings) {
        List<Problem> problems = new ArrayList<>(Comparability.problems(real, sim, settings));
        if (again.isPresent() && (real.aggregatesOnly() || again.get().aggregatesOnly())) {
            problems.add(Problem.of("not comparable", "compare.noise", "one of the measurements has aggregates only"));
        }
        StageException.refuse(problems);
        return real.aggregatesOnly() ? aggregates(real, sim, settings) : requests(real, sim, again, settings);
    }

    /** Compares published aggregates with the simulated values, without pairing requests. */
    private static Comparison aggregates(ComparedRun real, ComparedRun sim, CompareSettings settings) {
        Map<Long, Long> all = new HashMap<>();
        sim.rows().forEach(row -> all.put(row.id(), Long.MAX_VALUE));
        Optional<TokenGaps> gaps = sim.gaps(all, outputTokensById(sim));
        List<PublishedRow> published = PublishedRow.of(real, sim, gaps);
        List<Throughput> throughput = Throughput.published(real, sim);
        Verdict verdict = Verdict.of(settings.tolerance(), List.of(), published, throughput);
        Alignment none = new Alignment(List.of(), List.of());
        return new Comparison(
                real,
                sim,
                settings,
                none,
                List.of(),
                published,
                throughput,
                verdict,
                WorkloadMismatch.of(real, sim, throughput).or(() -> WorkloadMismatch.equalOutputs(real, sim)).stream()
                        .toList(),
                Optional.empty(),
                Optional.empty());
    }

    private static Map<Long, Long> outputTokensById(ComparedRun side) {
        return side.rows().stream().collect(Collectors.toMap(RequestRow::id, RequestRow::actual));
    }

    private static Comparison requests(
            ComparedRun real, ComparedRun sim, Optional<ComparedRun> again, CompareSettings settings) {
        Map<Long, Long> wanted = Alignment.wanted(real, sim, settings);
        Map<Long, Long> all = new HashMap<>();
        wanted.keySet().forEach(id -> all.put(id, Long.MAX_VALUE));
        Optional<TokenGaps> realGaps = real.gaps(all, wanted);
        Optional<TokenGaps> simGaps = sim.gaps(wanted, wanted);
        Alignment alignment = Alignment.of(real, sim, settings, simGaps);
        List<MetricResult> metrics = Measures.of(alignment, realGaps, simGaps, settings);
        List<PublishedRow> published = PublishedRow.of(real, sim, simGaps);
        List<Throughput> throughput = Throughput.of(alignment.pairs());
        Verdict verdict = Verdict.of(settings.tolerance(), metrics, published, throughput);
        Optional<NoiseFloor> noise = again.map(second -> NoiseFloor.of(real, second, metrics, settings));
        Optional<ClockNoise> clock = ClockNoise.of(real, sim, alignment, metrics);
        List<Finding> found =
                new Diagnosis(real, sim, alignment, metrics, new GapPair(realGaps, simGaps), noise, clock).findings();
        return new Comparison(
                real, sim, settings, alignment, metrics, published, throughput, verdict, found, noise, clock);
    }

    /** Token gaps of both runs, if available. */
    record GapPair(Optional<TokenGaps> real, Optional<TokenGaps> sim) {}

    Optional<MetricResult> metric(Metric metric) {
        return metrics.stream().filter(m -> m.metric() == metric).findFirst();
    }

    /** True if the measured run has published aggregates and no requests. */
    boolean aggregatesOnly() {
        return real.aggregatesOnly();
    }

    /** Returns the published median of a metric, compared with the simulation. */
    Optional<PublishedRow> publishedMedian(Metric metric) {
        return published.stream()
                .filter(row -> row.metric() == metric && row.statistic().name().equals("p50"))
                .findFirst();
    }

    /** The rate of output tokens, the main throughput metric. */
    Optional<Throughput> outputTokens() {
        return throughput.stream()
                .filter(rate -> rate.quantity().equals(Throughput.OUTPUT_TOKENS))
                .findFirst();
    }

    /** The main statistic of the metric. */
    Optional<MetricResult.Row> median(Metric metric) {
        return metric(metric).map(m -> m.row("p50"));
    }

    /**
     * Measurement noise of a live run: send delays, wake-up delays and round trips without computation, as recorded by
     * the client. Smaller errors are not significant.
     *
     * @param rows medians of the metrics with their noise
     */
    record ClockNoise(List<Row> rows) {
        /**
         * Error and noise of a median, in ns.
         *
         * @param noise delay that 95 % of the events do not exceed
         */
        record Row(Metric metric, double real, double sim, double noise) {
            double error() {
                return sim - real;
            }

            double noisePercent() {
                return 100 * noise / real;
            }

            boolean isWithinNoise() {
                return Math.abs(error()) <= noise;
            }
        }

        /** Returns the noise of the measured run, or empty if it is not a live measurement. */
        static Optional<ClockNoise> of(
                ComparedRun real, ComparedRun sim, Alignment alignment, List<MetricResult> metrics) {
            Optional<Double> wake = real.number(Figure.WAKE_LATE_NS);
            Optional<Double> delay = real.number(Figure.SEND_DELAY_NS);
            if (wake.isEmpty() || delay.isEmpty()) {
                return Optional.empty();
            }
            double server = sim.number(Figure.SERVED_LATE_NS).orElse(0.0);
            // if no round trip was measured, twice the wake-up delay is used instead
            double roundTrip = real.number(Figure.ROUND_TRIP_NS).orElse(2 * wake.get());
            double latency = delay.get() + roundTrip + wake.get() + server;
            double[] gaps = alignment.pairs().stream()
                    .mapToDouble(Alignment.Pair::tokens)
                    .filter(tokens -> tokens > 1)
                    .map(tokens -> tokens - 1)
                    .toArray();
            List<Row> rows = new ArrayList<>();
            for (MetricResult m : metrics) {
                MetricResult.Row median = m.row("p50");
                if (m.metric() == Metric.TTFT || m.metric() == Metric.E2E) {
                    rows.add(new Row(m.metric(), median.real(), median.sim(), latency));
                } else if (m.metric() == Metric.TPOT && gaps.length > 0) {
                    double noise = (wake.get() + server + roundTrip) / Quantiles.of(gaps, 0.5);
                    rows.add(new Row(m.metric(), median.real(), median.sim(), noise));
                }
            }
            return rows.isEmpty() ? Optional.empty() : Optional.of(new ClockNoise(List.copyOf(rows)));
        }

        /** Finding: clocks, sockets and threads may cause an error of this size. */
        Optional<Finding> finding() {
            List<String> evidence = rows.stream()
                    .filter(Row::isWithinNoise)
                    .map(row -> row.metric().shortName() + " P50: the error is "
                            + Numbers.percent(100 * row.error() / row.real()) + ", the noise of clocks and sockets "
                            + Numbers.percent(row.noisePercent()) + ".")
                    .toList();
            return Finding.of(
                    "clock_noise",
                    Finding.Kind.NOTE,
                    "Clock noise exceeds the error",
                    evidence,
                    "Measure again on an idle machine: these errors do not exceed the measurement error of"
                            + " the client.");
        }

        /** Returns the errors of the medians with the noise. */
        DataTable table(String real, String sim) {
            DataTable table = new DataTable("Error of the median and clock noise")
                    .text("metric")
                    .number(real)
                    .number(sim)
                    .number("error")
                    .number("noise", "sum of send delay, wake-up delay and round trip, P95")
                    .text("verdict");
            for (Row row : rows) {
                TimeScale scale = TimeScale.fit(row.real());
                TimeScale small = TimeScale.fit(Math.max(1, row.noise()));
                table.row(
                        row.metric().shortName(),
                        scale.withUnit(row.real()),
                        scale.withUnit(row.sim()),
                        small.withUnit(row.error()) + " (" + Numbers.percent(100 * row.error() / row.real()) + ")",
                        small.withUnit(row.noise()),
                        row.isWithinNoise() ? "within the noise" : "beyond the noise");
            }
            return table;
        }
    }
}
