package dev.stagesim.stage.vidursim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stagesim.contract.Tables;
import dev.stagesim.io.csv.TableReader;
import dev.stagesim.model.StageException;
import dev.stagesim.serving.config.OutputSettings;
import dev.stagesim.serving.config.OutputSettings.Detail;
import dev.stagesim.serving.tables.SimulationTables;
import dev.stagesim.serving.tables.TokenSpread;
import dev.stagesim.serving.workload.LabelSettings;
import dev.stagesim.sim.serving.spec.SchedulerSpec;
import dev.stagesim.stage.FakeContext;
import dev.stagesim.stats.LogHistogram;
import dev.stagesim.workload.CompatMode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The contract of each level of {@code output.detail}. Distributions equal the distributions of the omitted rows. */
class OutputDetailTest {
    private static final List<String> ALWAYS = List.of(
            "batch_execution_time_cdf.csv",
            "conditions.json",
            "decode_token_time_cdf.csv",
            "engine.json",
            "request_metrics.csv",
            "summary.md",
            "utilization.csv");

    private SimRuns runs;

    @BeforeEach
    void make() throws IOException {
        runs = new SimRuns();
    }

    @AfterEach
    void close() throws IOException {
        runs.files.close();
    }

    private static Set<String> files(FakeContext context) throws IOException {
        try (Stream<Path> all = Files.list(context.out())) {
            return all.map(path -> String.valueOf(path.getFileName()))
                    .collect(java.util.stream.Collectors.toCollection(TreeSet::new));
        }
    }

    private static Set<String> with(String... more) {
        Set<String> all = new TreeSet<>(ALWAYS);
        all.addAll(List.of(more));
        return all;
    }

    private FakeContext run(Detail detail) throws IOException {
        runs.output = new OutputSettings(detail, 1_000_000);
        return runs.run();
    }

    @Test
    void writesARowPerTokenAndBatchWithFullDetail() throws IOException {
        FakeContext context = run(Detail.FULL);
        assertThat(files(context)).isEqualTo(with("token_metrics.csv", "batch_metrics.csv"));
        assertThat(context.output).isEmpty();
    }

    @Test
    void writesDistributionsAndSeriesWithSummaryDetail() throws IOException {
        FakeContext context = run(Detail.SUMMARY);
        assertThat(files(context)).isEqualTo(with("token_times.csv", "load_series.csv"));
        assertThat(context.output).isEmpty();
    }

    @Test
    void selectsTheDetailByTheTokensOfTheWorkload() throws IOException {
        runs.output = new OutputSettings(Detail.AUTO, 20 * 12);
        FakeContext small = runs.run();
        assertThat(files(small)).isEqualTo(with("token_metrics.csv", "batch_metrics.csv"));
        assertThat(small.output).isEmpty();
        runs.output = new OutputSettings(Detail.AUTO, 20 * 12 - 1);
        FakeContext large = runs.run();
        assertThat(files(large)).isEqualTo(with("token_times.csv", "load_series.csv"));
        assertThat(large.output)
                .containsExactly(
                        "leaves out token_metrics.csv and batch_metrics.csv because the workload has 240 output"
                                + " tokens, more than output.full_up_to=239; token_times.csv has their distributions;"
                                + " output.detail=full writes every row");
        assertThat(large.expected.get(0).diskBytes())
                .isLessThan(small.expected.get(0).diskBytes());
    }

    @Test
    void writesRequestedTablesAtEveryLevel() throws IOException {
        runs.tokenMetrics = Optional.of(true);
        assertThat(files(run(Detail.SUMMARY))).isEqualTo(with("token_metrics.csv", "load_series.csv"));
        runs.tokenMetrics = Optional.empty();
        runs.batchMetrics = Optional.of(true);
        runs.output = new OutputSettings(Detail.AUTO, 0);
        FakeContext large = runs.run();
        assertThat(files(large)).isEqualTo(with("batch_metrics.csv", "token_times.csv", "load_series.csv"));
        assertThat(large.output)
                .singleElement()
                .asString()
                .startsWith("leaves out token_metrics.csv because the workload");
        runs.batchMetrics = Optional.of(false);
        assertThat(files(run(Detail.FULL))).isEqualTo(with("token_metrics.csv"));
        runs.metrics = new dev.stagesim.serving.config.SimulationSettings.Metrics(
                Optional.empty(), Optional.empty(), true, true, Optional.empty());
        assertThat(files(run(Detail.SUMMARY)))
                .contains("operation_metrics.csv", "cpu_operation_metrics.csv", "completion_series.csv");
    }

    @Test
    void rejectsKeysWithoutEffect() {
        runs.output = new OutputSettings(Detail.FULL, 7);
        assertThatThrownBy(runs::run)
                .isInstanceOf(StageException.class)
                .hasMessageContaining("output.full_up_to")
                .hasMessageContaining("has no effect");
        runs.output = new OutputSettings(Detail.FULL, 1_000_000);
        runs.tokenMetrics = Optional.of(false);
        runs.batchMetrics = Optional.of(true);
        assertThatThrownBy(runs::run)
                .isInstanceOf(StageException.class)
                .hasMessageContaining("output.detail")
                .hasMessageContaining("has no effect");
    }

    @Test
    void rejectsUnservedAdaptersBeforeDrawing() {
        runs.asked = new LabelSettings(4, 1, 0, List.of());
        assertThat(UnusedOptions.problems(runs.settings())).singleElement().satisfies(problem -> assertThat(
                        problem.render())
                .contains("workload.labels.adapters: is 4, but LoRA is disabled in the engine")
                .contains("scheduler.enable_lora=true"));
        runs.asked = new LabelSettings(4, 1, 1, List.of());
        assertThat(UnusedOptions.problems(runs.settings())).isEmpty();
    }

    private void distributionsAreThoseOfTheRows(boolean restarts) throws IOException {
        FakeContext full = run(Detail.FULL);
        if (restarts) {
            assertThat(full.headlines.get("restarts")).isPositive();
        }
        LogHistogram first = new LogHistogram();
        LogHistogram between = new LogHistogram();
        try (TableReader rows =
                TableReader.open(full.out().resolve(Tables.TOKEN_METRICS.name()), Tables.TOKEN_METRICS)) {
            while (rows.next()) {
                (rows.longAt(1) == 0 ? first : between).add(rows.longAt(3));
            }
        }
        Path plain = full.out().resolve("plain.csv");
        new TokenSpread(first, between).write(plain);
        Path counted = run(Detail.SUMMARY).out().resolve(SimulationTables.TOKEN_TIMES.name());
        assertThat(counted).hasSameTextualContentAs(plain);
        TokenSpread read = TokenSpread.read(counted, Files.newInputStream(counted));
        for (int thousandths : new int[] {1, 500, 900, 950, 990, 999, 1000}) {
            assertThat(read.between().quantile(thousandths)).isEqualTo(between.quantile(thousandths));
        }
        assertThat(read.between().count()).isEqualTo(between.count());
        assertThat(read.between().min()).isEqualTo(between.min());
        assertThat(read.between().max()).isEqualTo(between.max());
        assertThat(Math.abs(read.between().mean() - between.mean())).isLessThanOrEqualTo(between.mean() / 2048);
    }

    @Test
    void countsTheOmittedRows() throws IOException {
        runs.requests(200, 300, 40);
        distributionsAreThoseOfTheRows(false);
        runs.compat = CompatMode.VIDUR;
        distributionsAreThoseOfTheRows(false);
        runs.cluster =
                SimRuns.cluster(2, 1, 2, dev.stagesim.sim.serving.spec.GlobalPolicy.ROUND_ROBIN, Optional.empty());
        distributionsAreThoseOfTheRows(false);
    }

    @Test
    void countsTheOmittedRowsWhenRequestsAreRecomputed() throws IOException {
        runs.requests(60, 200, 120);
        runs.scheduler = new SchedulerSpec.Sarathi(128, 16, 0.01, Optional.of(300), 512);
        distributionsAreThoseOfTheRows(true);
        runs.compat = CompatMode.VIDUR;
        distributionsAreThoseOfTheRows(true);
        runs.compat = CompatMode.NONE;
        runs.scheduler = EngineRunTest.engine(Optional.of(64), Optional.of(300), 2, 0.7);
        distributionsAreThoseOfTheRows(true);
    }
}
