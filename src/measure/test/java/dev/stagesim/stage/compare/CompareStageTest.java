package dev.stagesim.stage.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import dev.stagesim.comparison.CompareTables;
import dev.stagesim.comparison.ComparisonDocument;
import dev.stagesim.contract.JsonArtifact;
import dev.stagesim.contract.TableSchema;
import dev.stagesim.io.csv.TableReader;
import dev.stagesim.io.json.ArtifactSchemas;
import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonSchemaCheck;
import dev.stagesim.io.json.LocatedJson;
import dev.stagesim.measure.CompareSettings;
import dev.stagesim.model.StageException;
import dev.stagesim.stage.FakeContext;
import dev.stagesim.stage.RunInput;
import java.io.IOException;
import java.nio.file.FileSystem;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class CompareStageTest {
    private final FileSystem disk = Jimfs.newFileSystem(Configuration.unix());
    private final Path out = disk.getPath("/out");
    private final FakeContext context = new FakeContext(out, disk.getPath("/home"));

    private FakeContext run(RunFixture real, boolean realTokens, RunFixture sim, boolean simTokens, CompareSettings how)
            throws IOException {
        Files.createDirectories(out);
        context.with("real", real.write(disk.getPath("/real"), realTokens), "real_bench");
        context.with("sim", sim.write(disk.getPath("/sim"), simTokens), "vidur_sim");
        CompareStage.compare(how, Optional.empty(), context);
        return context;
    }

    /** Returns ten requests at intervals of one second. All latencies are multiplied by {@code factor}. */
    private static RunFixture even(double factor) {
        RunFixture run = new RunFixture().meta("model", "\"m\"");
        for (int i = 0; i < 10; i++) {
            run.request(i * 1_000_000L, 10 + i, 5, 5, Math.round(1000 * factor), Math.round((100 + 10 * i) * factor));
        }
        return run;
    }

    @Test
    void writesEveryArtifactInItsSchema() throws IOException {
        run(even(1), true, even(1.5), true, CompareSettingsFixture.defaults());
        for (TableSchema schema : CompareTables.ofRequests()) {
            try (TableReader rows = TableReader.open(out.resolve(schema.name()), schema)) {
                assertThat(rows.next()).as(schema.name()).isTrue();
                while (rows.next()) {
                    assertThat(rows.stringAt(0)).isNotEmpty();
                }
            }
        }
        assertThat(out.resolve("report.html")).exists();
        assertThat(out.resolve("summary.md")).exists();
        try (Stream<Path> figures = Files.list(out.resolve("figs"))) {
            assertThat(figures).hasSize(18).allMatch(f -> f.toString().endsWith(".svg"));
        }
    }

    @Test
    void reportsAnErrorOfHalfInAllMetrics() throws IOException {
        run(even(1), true, even(1.5), true, CompareSettingsFixture.defaults());
        assertThat(context.headlines)
                .containsEntry("ttft_p50_real_ms", 1.0)
                .containsEntry("ttft_p50_sim_ms", 1.5)
                .containsEntry("ttft_p50_error_percent", 50.0)
                .containsEntry("tpot_p50_real_ms", 0.145)
                .hasEntrySatisfying("tpot_p50_error_percent", v -> assertThat(v).isCloseTo(50, within(1e-9)));
        LocatedJson json = Json.read(out.resolve("comparison.json"));
        assertThat(new JsonSchemaCheck(Json.pretty(ArtifactSchemas.schema(JsonArtifact.of(ComparisonDocument.class))))
                        .problems(json))
                .isEmpty();
        assertThat(json.get("quantile_method").asString()).isEqualTo("linear_r7");
        assertThat(json.get("metrics").items())
                .extracting(m -> m.get("metric").asString())
                .containsExactly("ttft", "tpot", "token_gap", "e2e", "norm_latency");
        LocatedJson tpot = json.get("metrics").items().get(1);
        assertThat(tpot.get("paired").get("spearman").asDouble()).isEqualTo(1);
        assertThat(tpot.get("paired").get("mape_percent").asDouble()).isCloseTo(50, within(1e-9));
        assertThat(tpot.get("wasserstein1_percent").asDouble()).isCloseTo(50, within(1e-9));
        assertThat(json.get("metrics").items().get(0).get("kolmogorov_smirnov").asDouble())
                .isEqualTo(1);
        assertThat(json.get("metrics").items().get(2).get("n_real").asLong()).isEqualTo(40);
    }

    @Test
    void usesASecondMeasurementAsNoiseFloor() throws IOException {
        Path again = even(1.1).write(disk.getPath("/again"), true);
        Files.createDirectories(out);
        context.with("real", even(1).write(disk.getPath("/real"), true), "real_bench");
        context.with("sim", even(1.5).write(disk.getPath("/sim"), true), "vidur_sim");
        RunInput second = context.with("noise", again, "real_bench").input("noise");
        CompareStage.compare(CompareSettingsFixture.defaults(), Optional.of(second), context);
        assertThat(context.headlines)
                .containsEntry("ttft_p95_error_percent", 50.0)
                .hasEntrySatisfying("tpot_p50_noise_percent", v -> assertThat(v).isCloseTo(10, within(1e-6)));
        LocatedJson json = Json.read(out.resolve("comparison.json"));
        assertThat(new JsonSchemaCheck(Json.pretty(ArtifactSchemas.schema(JsonArtifact.of(ComparisonDocument.class))))
                        .problems(json))
                .isEmpty();
        assertThat(json.get("noise").get("second").get("run_id").asString()).isEqualTo("real_bench-noise");
        assertThat(json.get("noise").get("statistics").items()).hasSize(8);
        assertThat(Files.readString(out.resolve("summary.md")))
                .contains("## Noise floor", "compare.noise.dir=tmp/real_bench/real_bench-noise");
        assertThat(Files.readString(out.resolve("report.html"))).contains("Error and noise");
    }

    @Test
    void rejectsASecondMeasurementOfOtherRequests() throws IOException {
        RunFixture other = new RunFixture().meta("model", "\"m\"").request(0, 3, 5, 5, 1000, 100);
        Files.createDirectories(out);
        context.with("real", even(1).write(disk.getPath("/real"), true), "real_bench");
        context.with("sim", even(1).write(disk.getPath("/sim"), true), "vidur_sim");
        RunInput second = context.with("noise", other.write(disk.getPath("/again"), true), "real_bench")
                .input("noise");
        assertThatThrownBy(() -> CompareStage.compare(CompareSettingsFixture.defaults(), Optional.of(second), context))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("the real side has 10 requests, the real again side 1");
    }

    @Test
    void findsNoErrorWhenARunIsComparedWithItself() throws IOException {
        run(even(1), true, even(1), true, CompareSettingsFixture.defaults());
        LocatedJson json = Json.read(out.resolve("comparison.json"));
        assertThat(json.get("verdict").get("holds").asBool()).isTrue();
        assertThat(json.get("verdict").get("limits").asString()).isEqualTo("default");
        assertThat(json.get("metrics").items())
                .allSatisfy(m -> assertThat(m.get("wasserstein1_ns").asDouble()).isZero());
        assertThat(json.get("diagnosis").items())
                .extracting(f -> f.get("id").asString())
                .containsExactly("small_sample");
    }

    @Test
    void failsAfterWritingTheReportWhenAToleranceIsExceeded() throws IOException {
        CompareSettings strict =
                CompareSettingsFixture.limits(CompareSettingsFixture.tolerance(Optional.of(20.0), Optional.of(60.0)));
        run(even(1), true, even(1.5), true, strict);
        assertThat(context.failedChecks).singleElement().satisfies(problem -> {
            assertThat(problem.where()).isEqualTo("compare.tolerance.ttft_p50_percent");
            assertThat(problem.what()).isEqualTo("TTFT P50 is off by 50.0 %, the limit is 20 % in either direction");
        });
        assertThat(out.resolve("report.html")).exists();
        assertThat(Files.readString(out.resolve("summary.md"))).contains("Outside your tolerances");
    }

    @Test
    void passesWithoutTolerances() throws IOException {
        run(even(1), true, even(9), true, CompareSettingsFixture.defaults());
        assertThat(context.failedChecks).isEmpty();
        assertThat(Json.read(out.resolve("comparison.json"))
                        .get("verdict")
                        .get("holds")
                        .asBool())
                .isFalse();
    }

    @Test
    void rejectsALimitOnAMissingMetric() {
        CompareSettings limit =
                CompareSettingsFixture.limits(CompareSettingsFixture.tolerance(Optional.empty(), Optional.of(5.0)));
        assertThatThrownBy(() -> run(even(1), false, even(1), true, limit))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("compare.tolerance.token_gap_p50_percent");
    }

    @Test
    void truncatesSimulatedTokensToReceivedOnes() throws IOException {
        RunFixture real = new RunFixture().request(0, 8, 10, 4, 1000, 100).request(5000, 8, 10, 10, 1000, 100);
        RunFixture sim = new RunFixture().request(0, 8, 10, 10, 1000, 100).request(5000, 8, 10, 10, 1000, 100);
        run(real, false, sim, true, CompareSettingsFixture.defaults());
        assertThat(Files.readAllLines(out.resolve("tables/alignment.csv")))
                .containsExactly(
                        "request_id,outcome,tokens_compared,sim_tokens_cut", "0,compared,4,6", "1,compared,10,0");
        assertThat(context.headlines).containsEntry("e2e_p50_error_percent", 0.0);
    }

    @Test
    void rejectsTruncationWithoutTokenTimes() {
        RunFixture real = new RunFixture().request(0, 8, 10, 4, 1000, 100);
        RunFixture sim = new RunFixture().request(0, 8, 10, 10, 1000, 100);
        assertThatThrownBy(() -> run(real, true, sim, false, CompareSettingsFixture.defaults()))
                .hasMessageContaining("token_metrics.csv");
    }

    private FakeContext runWithSummary(RunFixture real, RunFixture sim, CompareSettings how) throws IOException {
        Files.createDirectories(out);
        context.with("real", real.write(disk.getPath("/real"), true), "vidur_sim");
        context.with("sim", sim.writeSummary(disk.getPath("/sim")), "vidur_sim");
        CompareStage.compare(how, Optional.empty(), context);
        return context;
    }

    @Test
    void comparesTokenGapsOfASummaryAsADistribution() throws IOException {
        runWithSummary(even(1), even(1.5), CompareSettingsFixture.defaults());
        LocatedJson gaps =
                Json.read(out.resolve("comparison.json")).get("metrics").items().get(2);
        assertThat(gaps.get("metric").asString()).isEqualTo("token_gap");
        assertThat(gaps.get("n_real").asLong()).isEqualTo(40);
        assertThat(gaps.get("n_sim").asLong()).isEqualTo(40);
        assertThat(gaps.get("wasserstein1_percent").asDouble()).isCloseTo(50, within(0.1));
        assertThat(context.headlines)
                .hasEntrySatisfying("tpot_p50_error_percent", v -> assertThat(v).isCloseTo(50, within(1e-9)));
        assertThat(context.warnings).singleElement().asString().contains("token_times.csv", "resolution of 0.05 %");
        assertThat(Files.readString(out.resolve("summary.md"))).contains("as one distribution on the candidate side");
    }

    @Test
    void skipsTokenGapsOfASummaryWhenRequestsAreOmitted() throws IOException {
        CompareSettings how = new CompareSettings(
                1,
                false,
                false,
                CompareSettingsFixture.NONE,
                new CompareSettings.Bootstrap(200, 42),
                200,
                CompareSettingsFixture.NO_NOISE,
                CompareSettingsFixture.NO_FIT);
        runWithSummary(even(1), even(1.5), how);
        assertThat(Json.read(out.resolve("comparison.json")).get("metrics").items())
                .extracting(m -> m.get("metric").asString())
                .containsExactly("ttft", "tpot", "e2e", "norm_latency");
        assertThat(context.warnings).singleElement().asString().contains("token_times.csv", "output.detail=full");
    }

    @Test
    void rejectsTruncationOfASummary() {
        RunFixture real = new RunFixture().request(0, 8, 10, 4, 1000, 100);
        RunFixture sim = new RunFixture().request(0, 8, 10, 10, 1000, 100);
        assertThatThrownBy(() -> runWithSummary(real, sim, CompareSettingsFixture.defaults()))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("token_metrics.csv");
    }

    @Test
    void rejectsTruncationWithMissingTokenRows() throws IOException {
        RunFixture real = new RunFixture().request(0, 8, 10, 4, 1000, 100).request(5000, 8, 10, 4, 1000, 100);
        assertThatThrownBy(() -> run(real, true, uncut().tokensUpTo(1, 3), true, CompareSettingsFixture.defaults()))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("artifact error")
                .hasMessageContaining("/sim/token_metrics.csv")
                .hasMessageContaining("request 1 has 2 of 3");
        assertThatThrownBy(() -> run(real, true, uncut().tokensUpTo(0, 0), true, CompareSettingsFixture.defaults()))
                .hasMessageContaining("request 0 has 0 of 3");
        run(real, true, uncut().tokensUpTo(0, 4), true, CompareSettingsFixture.defaults());
        assertThat(context.headlines).containsEntry("tpot_p50_error_percent", 0.0);
    }

    private static RunFixture uncut() {
        return new RunFixture().request(0, 8, 10, 10, 1000, 100).request(5000, 8, 10, 10, 1000, 100);
    }

    @Test
    void countsFailedRequestsInTheWarmUp() throws IOException {
        RunFixture real =
                new RunFixture().failed(0, 8).request(5000, 8, 4, 4, 1000, 100).request(9000, 8, 4, 4, 1, 1);
        RunFixture sim = new RunFixture()
                .request(0, 8, 1, 1, 1000, 100)
                .request(5000, 8, 4, 4, 1000, 100)
                .request(9000, 8, 4, 4, 1, 1);
        CompareSettings how = new CompareSettings(
                1,
                true,
                false,
                CompareSettingsFixture.NONE,
                new CompareSettings.Bootstrap(200, 42),
                200,
                CompareSettingsFixture.NO_NOISE,
                CompareSettingsFixture.NO_FIT);
        run(real, true, sim, true, how);
        assertThat(Files.readAllLines(out.resolve("tables/alignment.csv")))
                .contains("0,failed_real,0,0", "1,compared,4,0", "2,compared,4,0");
    }

    @Test
    void omitsTheWarmUpOnRequest() throws IOException {
        run(even(1), true, even(1), true, CompareSettingsFixture.warmUp(3));
        assertThat(Files.readAllLines(out.resolve("tables/alignment.csv"))).contains("2,warm_up,0,0", "3,compared,5,0");
        assertThat(Files.readAllLines(out.resolve("tables/requests.csv"))).hasSize(8);
        assertThatThrownBy(() -> run(even(1), true, even(1), true, CompareSettingsFixture.warmUp(10)))
                .hasMessageContaining("exclude_warmup");
    }

    @Test
    void rejectsFailedRequestsWithoutADecision() throws IOException {
        RunFixture real = even(1).failed(11_000_000, 4);
        RunFixture sim = even(1).request(11_000_000, 4, 1, 1, 1000, 0);
        assertThatThrownBy(() -> run(real, true, sim, true, CompareSettingsFixture.defaults()))
                .hasMessageContaining("1 request did not complete on the real side")
                .hasMessageContaining("compare.exclude_failed=true");
        run(real, true, sim, true, CompareSettingsFixture.withoutFailed());
        assertThat(Files.readAllLines(out.resolve("tables/alignment.csv"))).contains("10,failed_real,0,0");
    }

    @Test
    void rejectsRunsOfOtherRequestsModelsAndHardware() {
        RunFixture real = new RunFixture()
                .meta("model", "\"a\"")
                .meta("hardware", "\"x\"")
                .request(0, 8, 4, 4, 1000, 100);
        RunFixture sim = new RunFixture()
                .meta("model", "\"b\"")
                .meta("hardware", "\"y\"")
                .request(0, 9, 4, 3, 1000, 100);
        assertThatThrownBy(() -> run(real, true, sim, true, CompareSettingsFixture.defaults()))
                .isInstanceOf(StageException.class)
                .satisfies(e -> assertThat(((StageException) e).problems()).hasSize(4))
                .hasMessageContaining("the real side ran a, the simulated side b")
                .hasMessageContaining("compare.any_hardware=true")
                .hasMessageContaining("prompt lengths differ for 1 of 1 requests (0: 8 and 9)")
                .hasMessageContaining("fewer output tokens were simulated than measured")
                .hasMessageContaining("workload.dir=");
        assertThatThrownBy(() -> run(even(1), true, real, true, CompareSettingsFixture.defaults()))
                .hasMessageContaining("10 requests")
                .hasMessageContaining("the simulated side 1");
    }

    @Test
    void reportsTheShippedRecordingAsHostBound() throws IOException {
        FakeContext result =
                run(Recording.copy(), false, RunFixture.fastSimulation(), true, CompareSettingsFixture.defaults());
        LocatedJson json = Json.read(out.resolve("comparison.json"));
        LocatedJson first = json.get("diagnosis").items().get(0);
        assertThat(first.get("id").asString()).isEqualTo("host_bound");
        assertThat(String.join(" ", first.get("evidence").asStrings()))
                .contains("batch size 1")
                .contains("13.82\u00a0ms (TPOT P50), simulated 1.82\u00a0ms: 7.6× as long")
                .contains("coefficient of variation 0.8\u00a0%");
        assertThat(json.get("diagnosis").items())
                .extracting(f -> f.get("id").asString())
                .contains("cold_start", "small_sample");
        assertThat(result.warnings).anyMatch(w -> w.contains("no token times"));
    }

    @Test
    void writesTheSameBytesTwice() throws IOException {
        run(even(1), true, even(1.1), true, CompareSettingsFixture.defaults());
        Map<String, String> first = contents();
        run(even(1), true, even(1.1), true, CompareSettingsFixture.defaults());
        assertThat(contents()).isEqualTo(first).hasSizeGreaterThan(20);
    }

    @Test
    void escapesHostileNamesInThePage() throws IOException {
        String bad = "\"<script>alert(1)</script>\"";
        run(
                even(1).meta("hardware", bad),
                true,
                even(1).meta("hardware", bad),
                true,
                CompareSettingsFixture.defaults());
        assertThat(Files.readString(out.resolve("report.html")))
                .doesNotContain("<script>alert")
                .contains("&lt;script&gt;");
    }

    private Map<String, String> contents() throws IOException {
        Map<String, String> all = new TreeMap<>();
        try (Stream<Path> files = Files.walk(out)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                all.put(file.toString(), Files.readString(file));
            }
        }
        return all;
    }

    /** The requests of the shipped recording as a run. */
    private static final class Recording {
        private static final long[][] ROWS = {
            {0, 23058, 880144, 9},
            {2000000, 2016598, 2885433, 9},
            {4000000, 4016649, 4896383, 14},
            {6000000, 6017364, 6890314, 13},
            {8000000, 8017935, 8885079, 13},
            {10000000, 10018742, 10891757, 11},
            {12000000, 12016567, 12883875, 7},
            {14000000, 14017203, 14892709, 10}
        };

        static RunFixture copy() {
            RunFixture run =
                    new RunFixture().meta("model", "\"Qwen/Qwen3-0.6B\"").meta("hardware", "\"A100-SXM-80GB\"");
            for (long[] r : ROWS) {
                run.request(r[0], (int) r[3], 64, 64, r[1] - r[0], (r[2] - r[1]) / 63);
            }
            return run;
        }
    }
}
