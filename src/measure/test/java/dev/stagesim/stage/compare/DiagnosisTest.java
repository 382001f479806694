package dev.stagesim.stage.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import dev.stagesim.comparison.ComparedRun;
import dev.stagesim.comparison.ComparedRunReader;
import dev.stagesim.comparison.Facts;
import dev.stagesim.measure.CompareSettings;
import dev.stagesim.stage.RunInput;
import java.io.IOException;
import java.nio.file.FileSystem;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class DiagnosisTest {
    private final FileSystem disk = Jimfs.newFileSystem(Configuration.unix());
    private static final CompareSettings DEFAULTS = CompareSettingsFixture.defaults();

    private List<Finding> findings(RunFixture real, RunFixture sim) throws IOException {
        return findings(real.write(disk.getPath("/real"), true), sim.write(disk.getPath("/sim"), true));
    }

    private static List<Finding> findings(Path real, Path sim) throws IOException {
        ComparedRun a = ComparedRunReader.read(new RunInput(real, "r", "real_bench", "0"), "real");
        ComparedRun b = ComparedRunReader.read(new RunInput(sim, "s", "vidur_sim", "0"), "simulated");
        return Comparison.of(a, b, Optional.empty(), DEFAULTS).findings();
    }

    private static List<String> ids(List<Finding> findings) {
        return findings.stream().map(Finding::id).toList();
    }

    /** Returns thirty requests. Gaps between tokens differ by request unless {@code spread} is 0. */
    private static RunFixture run(long spacingUs, long ttftUs, double factor, long spread) {
        RunFixture run = new RunFixture();
        for (int i = 0; i < 30; i++) {
            run.request(i * spacingUs, 10, 6, 6, ttftUs, Math.round((100 + spread * (i % 10)) * factor));
        }
        return run;
    }

    /** Writes a source with only aggregates of thirty requests of six tokens. */
    private List<Finding> aggregates(double outputPerSecond, double requestsPerSecond, long count) throws IOException {
        return aggregates(outputPerSecond, requestsPerSecond, count, "");
    }

    private List<Finding> aggregates(double outputPerSecond, double requestsPerSecond, long count, String more)
            throws IOException {
        Path real = Files.createDirectories(
                disk.getPath("/aggregates" + outputPerSecond + requestsPerSecond + count + more.length()));
        Files.writeString(real.resolve("run_meta.json"), "{}");
        Files.writeString(
                real.resolve("measurement.json"),
                "{" + more + "\"rates\": {\"output_tokens_per_s\": " + outputPerSecond + ", \"requests_per_s\": "
                        + requestsPerSecond
                        + "}, \"settings\": {\"num_requests\": " + count + "}, \"published\": [{\"metric\": \"ttft\","
                        + " \"definition\": \"\", \"statistic\": \"p50\", \"value_ns\": 800000}]}");
        return findings(real, run(10_000, 800, 1, 20).write(disk.getPath("/sim"), true));
    }

    @Test
    void detectsAggregatesOfOtherRequests() throws IOException {
        assertThat(aggregates(600, 100, 30)).isEmpty();
        List<Finding> longer = aggregates(800, 100, 30);
        assertThat(ids(longer)).containsExactly("other_requests");
        assertThat(longer.get(0).kind()).isEqualTo(Finding.Kind.LIKELY);
        assertThat(longer.get(0).title()).isEqualTo("These are not the same requests");
        assertThat(longer.get(0).evidence()).containsExactly("Output tokens per request: 8 real, 6 simulated.");
        assertThat(aggregates(600, 100, 20).get(0).evidence()).containsExactly("Requests: 20 real, 30 simulated.");
        Finding slower = aggregates(180, 30, 30).get(0);
        assertThat(slower.kind()).as("one side may not keep up").isEqualTo(Finding.Kind.POSSIBLE);
        assertThat(slower.evidence()).hasSize(1).allMatch(line -> line.startsWith("Requests per second: 30 real, 1"));
    }

    /** Aggregates of several clients do not show whether the outputs varied, which changes when requests enter. */
    @Test
    void namesEqualOutputsOfAClosedLoop() throws IOException {
        assertThat(ids(aggregates(600, 100, 30, "\"workload\": {\"closed_loop\": 8}, ")))
                .containsExactly("equal_outputs");
        assertThat(aggregates(600, 100, 30, "\"workload\": {\"closed_loop\": 1}, "))
                .isEmpty();
    }

    @Test
    void attributesSteadySlowStepsToTheHost() throws IOException {
        List<Finding> found = findings(run(10_000, 800, 5, 0), run(10_000, 100, 1, 0));
        assertThat(ids(found)).containsExactly("host_bound");
        assertThat(found.get(0).kind()).isEqualTo(Finding.Kind.LIKELY);
        assertThat(found.get(0).advice())
                .contains("./stage compare profile.host.kind=linear profile.host.schedule.base_us=400 ");
    }

    @Test
    void reportsNoHostBoundRunWithConcurrentRequests() throws IOException {
        assertThat(ids(findings(run(100, 800, 5, 0), run(100, 100, 1, 0)))).doesNotContain("host_bound");
    }

    @Test
    void findsOperatorTimesWhenStepsDifferByAConstantFactor() throws IOException {
        List<Finding> found = findings(run(10_000, 800, 1, 20), run(10_000, 800, 1.3, 20));
        assertThat(ids(found)).containsExactly("constant_factor");
        assertThat(found.get(0).evidence().get(0)).contains("1.30×");
    }

    @Test
    void attributesWrongTtftToQueueing() throws IOException {
        List<Finding> found = findings(run(10_000, 800, 1, 20), run(10_000, 400, 1, 20));
        assertThat(ids(found)).containsExactly("queueing");
    }

    @Test
    void distinguishesKvBlocksFromOtherSettings() throws IOException {
        RunFixture real = run(10_000, 800, 1, 20);
        RunFixture sim = run(10_000, 800, 1, 20)
                .meta("params", "{\"scheduler\": {\"num_blocks\": 3400, \"block_size\": 16, \"kind\": \"vllm\"}}");
        Path directory = real.write(disk.getPath("/real"), true);
        Files.writeString(
                directory.resolve("measurement.json"),
                "{\"settings\": {\"num_gpu_blocks\": 2588, \"block_size\": 16}, \"engine\": {\"scheduler\": \"Sarathi\"}}");
        List<Finding> found = findings(directory, sim.write(disk.getPath("/sim"), true));
        assertThat(ids(found)).containsExactly("kv_blocks", "settings");
        assertThat(found.get(0).evidence().get(0)).contains("2588 real, 3400 simulated");
        assertThat(found.get(1).evidence()).containsExactly("scheduler: Sarathi real, vllm simulated.");
    }

    @Test
    void namesTheEngineThatWasMeasuredByItsFamily() throws IOException {
        Path real = run(10_000, 800, 1, 20).write(disk.getPath("/real"), true);
        Files.writeString(real.resolve("measurement.json"), "{\"engine\": {\"name\": \"TensorRT-LLM\"}}");
        assertThat(findings(real, simulationOf("vLLM V1, 0.8 to 0.24")))
                .filteredOn(finding -> finding.id().equals("other_engine"))
                .extracting(Finding::advice)
                .containsExactly("Simulate the measured engine: engine=trtllm.");
        assertThat(ids(findings(real, simulationOf("TensorRT-LLM 0.19 and later, PyTorch"))))
                .doesNotContain("other_engine");
    }

    private Path simulationOf(String versions) throws IOException {
        Path sim = run(10_000, 800, 1, 20)
                .meta(
                        "params",
                        "{\"scheduler\": {\"kind\": \"vllm_v1\"}, \"engine\": {\"step\": {\"versions\": \"" + versions
                                + "\"}}}")
                .write(disk.getPath("/sim"), true);
        Files.writeString(sim.resolve("engine.json"), "{\"name\": \"stagesim\"}");
        return sim;
    }

    @Test
    void prefersTheEngineLogToTheMeasurementAndTheSettings() throws IOException {
        RunFixture run = run(10_000, 800, 1, 20)
                .meta("params", "{\"dtype\": \"fp8\", \"scheduler\": {\"chunk_size\": 64, \"num_blocks\": 9}}");
        Path directory = run.write(disk.getPath("/run"), true);
        Files.writeString(
                directory.resolve("measurement.json"),
                "{\"settings\": {\"chunk_size\": 512, \"tp\": [2]}, \"dtype\": null,"
                        + " \"engine\": {\"name\": \"old\", \"num_blocks\": 8}}");
        Files.writeString(directory.resolve("engine.json"), "{\"name\": \"new\", \"version\": 1.5}");
        assertThat(ComparedRunReader.read(new RunInput(directory, "r", "real_bench", "0"), "real")
                        .facts()
                        .settings())
                .containsOnly(
                        entry(Facts.Setting.KV_BLOCKS, "8"),
                        entry(Facts.Setting.CHUNK_SIZE, "512"),
                        entry(Facts.Setting.DATA_TYPE, "fp8"),
                        entry(Facts.Setting.ENGINE, "new"),
                        entry(Facts.Setting.ENGINE_VERSION, "1.5"));
    }

    @Test
    void acceptsShiftedClocks() throws IOException {
        RunFixture shifted = new RunFixture();
        RunFixture late = new RunFixture();
        for (int i = 0; i < 30; i++) {
            shifted.request(5_000_000 + i * 10_000L, 10, 6, 6, 800, 100 + 20 * (i % 10));
            late.request(i * 10_000L + (i == 7 ? 3_000 : 0), 10, 6, 6, 800, 100 + 20 * (i % 10));
        }
        assertThat(ids(findings(run(10_000, 800, 1, 20), shifted))).isEmpty();
        List<Finding> found = findings(run(10_000, 800, 1, 20), late);
        assertThat(ids(found)).containsExactly("arrivals");
        assertThat(found.get(0).evidence().get(0)).contains("3.000\u00a0ms").contains("request 7");
    }

    @Test
    void reportsChunksOfSeveralTokensAsADifferentDefinition() throws IOException {
        Path real = run(10_000, 800, 1, 20).write(disk.getPath("/real"), true);
        List<String> lines = Files.readAllLines(real.resolve("token_metrics.csv"));
        List<String> chunked = new java.util.ArrayList<>(List.of(lines.get(0) + ",tokens_in_chunk"));
        lines.subList(1, lines.size()).forEach(line -> chunked.add(line + ","));
        Files.write(real.resolve("token_metrics.csv"), chunked);
        Path sim = run(10_000, 800, 1, 20).write(disk.getPath("/sim"), true);
        assertThat(ids(findings(real, sim))).containsExactly("definitions");
    }

    @Test
    void suggestsWarmUpWhenTheFirstRequestIsSlow() throws IOException {
        RunFixture real = new RunFixture();
        for (int i = 0; i < 30; i++) {
            real.request(i * 10_000L, 10, 6, 6, i == 0 ? 4000 : 800, 100 + 20 * (i % 10));
        }
        List<Finding> found = findings(real, run(10_000, 800, 1, 20));
        assertThat(ids(found)).containsExactly("cold_start");
        assertThat(found.get(0).advice()).contains("compare.exclude_warmup=1");
    }
}
