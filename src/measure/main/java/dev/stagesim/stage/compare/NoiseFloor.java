package dev.stagesim.stage.compare;

import dev.stagesim.comparison.ComparedRun;
import dev.stagesim.comparison.Metric;
import dev.stagesim.comparison.TokenGaps;
import dev.stagesim.measure.CompareSettings;
import dev.stagesim.model.StageException;
import dev.stagesim.report.DataTable;
import dev.stagesim.report.Numbers;
import dev.stagesim.report.TimeScale;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Difference between two measurements of the same requests. A smaller simulation error is not significant.
 *
 * @param second the second measurement
 * @param rows medians and tails of all three runs
 */
record NoiseFloor(ComparedRun second, List<Row> rows) {
    private static final List<String> STATISTICS = List.of("p50", "p95");

    /** One statistic of a metric in ns: measured, simulated, and measured again. */
    record Row(Metric metric, Statistic statistic, double real, double sim, double again) {
        double errorPercent() {
            return 100 * (sim - real) / real;
        }

        double noisePercent() {
            return 100 * (again - real) / real;
        }
    }

    /**
     * Compares a second measurement with the first.
     *
     * @param metrics the simulation compared with the first measurement
     * @throws StageException (input) if the two measurements have different requests
     */
    static NoiseFloor of(ComparedRun real, ComparedRun second, List<MetricResult> metrics, CompareSettings settings) {
        var problems = Comparability.problems(real, second, settings);
        StageException.refuse(problems);
        Alignment alignment = Alignment.of(real, second, settings, gaps(real, second, settings));
        List<MetricResult> repeated = Measures.of(alignment, Optional.empty(), Optional.empty(), settings);
        List<Row> rows = new ArrayList<>();
        for (MetricResult again : repeated) {
            metrics.stream()
                    .filter(m -> m.metric() == again.metric())
                    .findFirst()
                    .ifPresent(m -> STATISTICS.forEach(name -> rows.add(row(m, again, name))));
        }
        return new NoiseFloor(second, rows);
    }

    private static Optional<TokenGaps> gaps(ComparedRun real, ComparedRun second, CompareSettings settings) {
        return second.tokens().map(source -> source.read(Alignment.wanted(real, second, settings)));
    }

    private static Row row(MetricResult compared, MetricResult again, String name) {
        MetricResult.Row row = compared.row(name);
        return new Row(
                compared.metric(),
                row.statistic(),
                row.real(),
                row.sim(),
                again.row(name).sim());
    }

    /**
     * Finding: the two measurements differ by at least as much as the simulation differs from one, so the error is not
     * significant.
     */
    Optional<Finding> finding() {
        List<String> evidence = rows.stream()
                .filter(row -> Math.abs(row.noisePercent()) >= Math.abs(row.errorPercent()))
                .map(row ->
                        row.metric().shortName() + " " + row.statistic().name() + ": the second measurement differs by "
                                + Numbers.percent(row.noisePercent()) + ", the simulation by "
                                + Numbers.percent(row.errorPercent()) + ".")
                .toList();
        return Finding.of(
                "noise",
                Finding.Kind.NOTE,
                "Noise exceeds the error",
                evidence,
                "Measure again on an idle machine, or with more requests, before you interpret these" + " errors.");
    }

    /** Returns the simulation errors with the noise. */
    DataTable table(String real, String sim) {
        DataTable table = new DataTable("Error and noise")
                .columns("metric", "statistic")
                .number(real)
                .number(sim)
                .number("error")
                .number(real + " again")
                .number("noise", "difference between the two measurements");
        for (Row row : rows) {
            TimeScale scale = TimeScale.fit(row.real());
            table.row(
                    row.metric().shortName(),
                    row.statistic().title(),
                    scale.withUnit(row.real()),
                    scale.withUnit(row.sim()),
                    Numbers.percent(row.errorPercent()),
                    scale.withUnit(row.again()),
                    Numbers.percent(row.noisePercent()));
        }
        return table;
    }
}
