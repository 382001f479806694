package dev.stagesim.stage.vidursim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.stagesim.contract.Tables;
import dev.stagesim.model.card.BatchOperators;
import dev.stagesim.serving.config.SimulationSettings;
import dev.stagesim.serving.tables.SimulationTables;
import dev.stagesim.sim.serving.spec.GlobalPolicy;
import dev.stagesim.stage.FakeContext;
import dev.stagesim.workload.CompatMode;
import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class MetricsTablesTest {
    private SimRuns runs;

    @BeforeEach
    void make() throws IOException {
        runs = new SimRuns();
    }

    @AfterEach
    void close() throws IOException {
        runs.files.close();
    }

    private static SimulationSettings.Metrics metrics(Optional<Long> first, Optional<Long> last) {
        return new SimulationSettings.Metrics(first, last, true, true, Optional.empty());
    }

    @Test
    void writesSmallTablesByDefault() throws IOException {
        FakeContext context = runs.run();
        assertThat(SimRuns.rows(context, SimulationTables.UTILIZATION)).hasSize(3);
        List<List<String>> tokens = SimRuns.rows(context, SimulationTables.TOKEN_TIME_CDF);
        assertThat(tokens).hasSize(101);
        assertThat(tokens.get(100).get(0)).isEqualTo("1.0");
        assertThat(Double.parseDouble(tokens.get(50).get(1))).isBetween(1e-3, 1e-2);
        assertThat(SimRuns.rows(context, SimulationTables.BATCH_TIME_CDF)).hasSize(101);
        assertThat(context.out().resolve("operation_metrics.csv")).doesNotExist();
        assertThat(context.out().resolve("completion_series.csv")).doesNotExist();
    }

    @Test
    void sumsOperatorTimesToTheBatchTime() throws IOException {
        runs.metrics = metrics(Optional.empty(), Optional.empty());
        FakeContext context = runs.run();
        List<List<String>> operations = SimRuns.rows(context, SimulationTables.OPERATIONS);
        List<List<String>> batches = SimRuns.rows(context, Tables.BATCH_METRICS);
        assertThat(operations).hasSameSizeAs(batches);
        for (int i = 0; i < batches.size(); i++) {
            double layer = operations.get(i).stream()
                    .skip(1)
                    .filter(cell -> !cell.isEmpty())
                    .mapToDouble(Double::parseDouble)
                    .sum();
            double batchMs = Long.parseLong(batches.get(i).get(4)) / 1e6;
            assertThat(28 * layer).isCloseTo(batchMs, within(2e-6)); // Qwen3-0.6B has 28 layers.
        }
        assertThat(SimRuns.rows(context, SimulationTables.HOST_OPERATIONS)).hasSameSizeAs(batches);
    }

    @Test
    void doublesAddAndNumbersFilesFromOneInReferenceMode() throws IOException {
        runs.metrics = metrics(Optional.empty(), Optional.empty());
        runs.requests(20, 96, 12); // A multiple of 8, because the reference rounds up to one.
        FakeContext none = runs.run();
        runs.compat = CompatMode.VIDUR;
        runs.cluster = SimRuns.cluster(2, 1, 1, GlobalPolicy.ROUND_ROBIN, Optional.empty());
        FakeContext vidur = runs.run();
        int add = 1 + BatchOperators.MODEL.indexOf("add");
        double once = Double.parseDouble(
                SimRuns.rows(none, SimulationTables.OPERATIONS).get(0).get(add));
        double logged = Double.parseDouble(
                SimRuns.rows(vidur, SimulationTables.OPERATIONS).get(0).get(add));
        assertThat(logged).isCloseTo(2 * once, within(1e-12));
        assertThat(SimRuns.rows(vidur, SimulationTables.UTILIZATION))
                .extracting(row -> row.get(6))
                .containsExactly(
                        "replica_2_memory_usage",
                        "replica_2_stage_1_busy_time_percent",
                        "replica_2_stage_1_mfu",
                        "replica_1_memory_usage",
                        "replica_1_stage_1_busy_time_percent",
                        "replica_1_stage_1_mfu");
    }

    @Test
    void countsEveryRequestAndTokenInSeries() throws IOException {
        runs.metrics = metrics(Optional.empty(), Optional.empty());
        List<List<String>> rows = SimRuns.rows(runs.run(), SimulationTables.COMPLETIONS);
        assertThat(last(rows, "request_arrival")).isEqualTo(20);
        assertThat(last(rows, "request_completion")).isEqualTo(20);
        assertThat(last(rows, "prefill_completion")).isEqualTo(20 * 100);
        assertThat(last(rows, "decode_completion")).isEqualTo(20 * 11);
        assertThat(rows).hasSize(20 + 20 + 20 + 20 * 11);
        double[] times =
                rows.stream().mapToDouble(row -> Double.parseDouble(row.get(1))).toArray();
        assertThat(times).isSorted();
    }

    private static long last(List<List<String>> rows, String series) {
        return rows.stream()
                .filter(row -> row.get(0).equals(series))
                .mapToLong(row -> Long.parseLong(row.get(2)))
                .max()
                .orElse(0);
    }

    @Test
    void thinsSeriesOnRequest() throws IOException {
        runs.metrics = new SimulationSettings.Metrics(Optional.empty(), Optional.empty(), false, true, Optional.of(10));
        List<List<String>> rows = SimRuns.rows(runs.run(), SimulationTables.COMPLETIONS);
        assertThat(rows).hasSize(10 + 10 + 10 + 10);
    }

    @Test
    void ignoresBatchesOutsideTheWindow() throws IOException {
        FakeContext whole = runs.run();
        List<List<String>> all = SimRuns.rows(whole, Tables.BATCH_METRICS);
        runs.metrics = metrics(Optional.of(4L), Optional.of(14L));
        FakeContext context = runs.run();
        List<List<String>> batches = SimRuns.rows(context, Tables.BATCH_METRICS);
        assertThat(batches).hasSize(11).isEqualTo(all.subList(4, 15));
        List<String> kept = SimRuns.rows(context, Tables.REQUEST_METRICS).stream()
                .map(row -> row.get(0))
                .toList();
        assertThat(kept).isNotEmpty().hasSizeLessThan(20);
        assertThat(SimRuns.rows(context, Tables.TOKEN_METRICS))
                .extracting(row -> row.get(0))
                .hasSize(12 * kept.size())
                .isSubsetOf(kept);
        assertThat(context.warnings).anyMatch(w -> w.contains((20 - kept.size()) + " requests completed in batches"));
        assertThat(last(SimRuns.rows(context, SimulationTables.COMPLETIONS), "request_completion"))
                .isEqualTo(kept.size());
    }

    @Test
    void keepsTimesWhenTheWindowCoversAllTokens() throws IOException {
        FakeContext whole = runs.run();
        runs.metrics = new SimulationSettings.Metrics(
                Optional.of(0L), Optional.of(1_000_000L), false, false, Optional.empty());
        FakeContext window = runs.run();
        for (String name : List.of("request_metrics.csv", "token_metrics.csv", "utilization.csv", "summary.md")) {
            assertThat(Files.readString(window.out().resolve(name)))
                    .isEqualTo(Files.readString(whole.out().resolve(name)));
        }
    }
}
