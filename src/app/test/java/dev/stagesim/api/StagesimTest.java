package dev.stagesim.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import dev.stagesim.contract.TableFormat;
import dev.stagesim.io.csv.TableFile;
import dev.stagesim.io.json.Json;
import dev.stagesim.model.StageException;
import java.nio.file.FileSystem;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class StagesimTest {
    private static final Path HOME =
            Path.of(System.getProperty("stagesim.home", "")).toAbsolutePath();
    private static final String[] SMALL = {
        "model=llama3_8b", "hardware=h100", "engine=vllm_v1", "workload.num_requests=50", "arrival.qps=5"
    };

    private final FileSystem memory = Jimfs.newFileSystem(Configuration.unix());
    private final Path work = memory.getPath("/work");
    private final Stagesim stagesim = Stagesim.open(HOME, work);

    @AfterEach
    void close() throws Exception {
        memory.close();
    }

    private static String[] small(String... more) {
        return with(SMALL, more);
    }

    private static String[] with(String[] some, String... more) {
        return Stream.concat(Arrays.stream(some), Arrays.stream(more)).toArray(String[]::new);
    }

    @Test
    void reusesARunInAnyFileSystem() {
        Run run = stagesim.run("vidur_sim", SMALL);
        assertThat(run.dir()).isEqualTo(work.resolve("tmp/vidur_sim").resolve(run.id()));
        assertThat(run.stage()).isEqualTo("vidur_sim");
        assertThat(run.isReused()).isFalse();
        assertThat(run.failedChecks()).isEmpty();
        assertThat(run.warnings()).isEqualTo(stagesim.read(run.dir()).warnings());
        assertThat(run.files()).contains("request_metrics.csv").allSatisfy(file -> assertThat(
                        Files.isRegularFile(run.dir().resolve(file)))
                .isTrue());
        Run again = stagesim.run("vidur_sim", SMALL);
        assertThat(again.isReused()).isTrue();
        assertThat(again.dir()).isEqualTo(run.dir());
        assertThat(again.figures()).isEqualTo(run.figures()).containsKey("ttft_p99_ms");
    }

    @Test
    void returnsTheMetricsOfTheRun() {
        assertThat(stagesim.figures("vidur_sim", SMALL))
                .containsAllEntriesOf(stagesim.run("vidur_sim", SMALL).figures());
        assertThatThrownBy(() -> stagesim.figures("workload"))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("supports only whole runs");
    }

    @Test
    void listsTheFilesOfTheDirectory(@TempDir Path other) throws Exception {
        Files.writeString(
                other.resolve("one.jsonl"),
                "{\"timestamp\": 0, \"input_length\": 100, \"output_length\": 10, \"hash_ids\": [1]}\n");
        Run run = Stagesim.open(HOME, other).run("workload", "workload=mooncake", "workload.file=one.jsonl");
        assertThat(run.dir()).startsWith(other);
        assertThat(run.table("trace_lengths.csv").numbers("num_prefill_tokens")).containsExactly(100);
    }

    @Test
    void rejectsAChangedRun() throws Exception {
        Run run = stagesim.run("workload", "workload.num_requests=5");
        Path relative = work.relativize(run.dir());
        assertThat(stagesim.read(relative).figures()).isEqualTo(run.figures());
        Files.writeString(run.dir().resolve(run.files().get(0)), "1");
        assertThatThrownBy(() -> stagesim.read(relative))
                .hasMessageContaining("was changed after the run was finished");
        assertThatThrownBy(() -> run.table("summary.md")).hasMessageContaining("no such table");
    }

    @Test
    void returnsTablesAsColumns() {
        Run run = stagesim.run("vidur_sim", SMALL);
        Table requests = run.table("request_metrics.csv");
        assertThat(requests.size()).isEqualTo(50);
        assertThat(requests.columns()).contains("request_id", "ttft_ns");
        double[] first = requests.numbers("ttft_ns");
        assertThat(first).hasSize(50);
        double[] sorted = first.clone();
        Arrays.sort(sorted);
        assertThat(run.figures().get("ttft_p50_ms")).isBetween(sorted[23] / 1e6, sorted[26] / 1e6);
        assertThat(requests.texts("ttft_ns").stream().mapToDouble(Double::parseDouble))
                .containsExactly(Arrays.stream(first).boxed().toArray(Double[]::new));
        assertThatThrownBy(() -> requests.numbers("ttft"))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("column 'ttft' is missing");
        assertThatThrownBy(() -> run.table("request_metric.csv"))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("request_metrics.csv");
    }

    @Test
    void reportsErrorsLikeTheCommandLine() {
        assertThatThrownBy(() -> stagesim.check("vidur_sim", "arrival.qps=-1"))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("arrival.qps");
        assertThatThrownBy(() -> stagesim.run("vidursim")).hasMessageContaining("vidur_sim");
        assertThatThrownBy(() -> stagesim.read(work.resolve("tmp/none"))).isInstanceOf(StageException.class);
        assertThatThrownBy(() -> Stagesim.open(HOME.resolve("specs"), work)).hasMessageContaining("has no configs/");
        assertThat(work.resolve("tmp")).doesNotExist();
    }

    @Test
    void composesAndResolvesTheConfiguration() {
        String config = stagesim.config("vidur_sim", small("arrival.qps=7"));
        assertThat(Json.parse(config, "config").get("arrival").get("qps").asDouble())
                .isEqualTo(7);
        assertThat(config).doesNotContain("${");
        assertThat(stagesim.stages()).contains("vidur_sim", "compare", "cluster_sim");
    }

    @Test
    void executesEachRunOnceWithSeveralThreads() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(4);
        try {
            List<Callable<Run>> requested = IntStream.range(0, 8)
                    .<Callable<Run>>mapToObj(i -> () -> stagesim.run("vidur_sim", small("arrival.qps=" + (5 + i % 2))))
                    .toList();
            List<Run> runs =
                    threads.invokeAll(requested).stream().map(StagesimTest::got).toList();
            assertThat(runs.stream().map(Run::id).distinct()).hasSize(2);
            assertThat(runs.stream().filter(run -> !run.isReused())).hasSize(2);
            for (int i = 2; i < 8; i++) {
                assertThat(runs.get(i).figures()).isEqualTo(runs.get(i - 2).figures());
            }
        } finally {
            threads.shutdown();
        }
    }

    private static Run got(Future<Run> future) {
        try {
            return future.get();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    @Test
    @Tag("acceptance")
    void comparesClustersWithClustersAndServers() {
        String[] requests = {"model=llama3_8b", "hardware=h100", "workload.num_requests=100", "arrival.qps=5"};
        Run four = stagesim.run("cluster_sim", with(requests, "cluster=round_robin_4"));
        Run apart = stagesim.run("cluster_sim", with(requests, "cluster=pd_2_2"));
        Run one = stagesim.run("vidur_sim", with(requests, "engine=vllm_v1"));
        for (Run other : List.of(apart, one)) {
            Run compared = stagesim.run("compare", "real.dir=" + four.dir(), "sim.dir=" + other.dir());
            for (String figure : List.of("ttft_p50_ms", "tpot_p50_ms")) {
                String name = figure.replace("_ms", "");
                assertThat(compared.figures().get(name + "_real_ms"))
                        .isCloseTo(four.figures().get(figure), within(1e-6));
                assertThat(compared.figures().get(name + "_sim_ms"))
                        .isCloseTo(other.figures().get(figure), within(1e-6));
            }
        }
    }

    @Test
    @Tag("acceptance")
    void returnsEqualTablesFromCsvAndParquet() throws Exception {
        Run text = stagesim.run("vidur_sim", small("output.detail=full"));
        for (String format : List.of("parquet", "parquet_gzip")) {
            Run packed = stagesim.run("vidur_sim", small("output.detail=full", "output.format=" + format));
            assertThat(packed.id()).isNotEqualTo(text.id());
            assertThat(packed.figures()).isEqualTo(text.figures());
            assertThat(packed.files()).noneMatch(file -> file.endsWith(".csv")).hasSameSizeAs(text.files());
            for (String file : text.files()) {
                if (file.endsWith(".csv")) {
                    try (var in = TableFile.raw(TableFile.find(packed.dir().resolve(file)))) {
                        assertThat(in)
                                .as(file)
                                .hasBinaryContent(Files.readAllBytes(text.dir().resolve(file)));
                    }
                }
            }
            assertThat(rows(packed)).isEqualTo(rows(text)).isNotEmpty();
            assertThat(packed.table("token_metrics.csv").numbers("token_time_ns"))
                    .containsExactly(text.table("token_metrics.csv").numbers("token_time_ns"));
            assertThat(packed.table("request_metrics.parquet").size()).isEqualTo(50);
            assertThat(Files.readString(packed.dir().resolve("report.html")))
                    .contains("utilization.parquet")
                    .doesNotContain("utilization.csv");
            assertThat(stagesim.read(packed.dir()).id()).isEqualTo(packed.id());
            assertThat(stagesim.run("vidur_sim", small("output.detail=full", "output.format=" + format))
                            .isReused())
                    .isTrue();
            assertThat(stagesim.run("compare", "real.dir=" + packed.dir(), "sim.dir=" + text.dir())
                            .figures())
                    .containsEntry("ttft_p50_error_percent", 0.0)
                    .containsEntry("tpot_p50_error_percent", 0.0);
        }
    }

    /** Returns the number of rows of each table by name. */
    private static Map<String, Long> rows(Run run) throws Exception {
        Map<String, Long> rows = new TreeMap<>();
        Matcher outputs = Pattern.compile("\"path\": \"([^\"]+)\"[^}]*\"rows\": (\\d+)")
                .matcher(Files.readString(run.dir().resolve("run_meta.json")));
        while (outputs.find()) {
            rows.put(TableFormat.name(outputs.group(1)), Long.valueOf(outputs.group(2)));
        }
        return rows;
    }

    @Test
    void readsWorkloadsInBothFormats() {
        Run text = stagesim.run("workload", "arrival.qps=5", "workload.num_requests=50");
        Run packed = stagesim.run("workload", "arrival.qps=5", "workload.num_requests=50", "output.format=parquet");
        assertThat(packed.files()).contains("trace_lengths.parquet", "trace_intervals.parquet");
        String[] service = {"model=llama3_8b", "hardware=h100", "engine=vllm_v1"};
        assertThat(stagesim.run("vidur_sim", with(service, "workload.dir=" + packed.dir()))
                        .figures())
                .isEqualTo(stagesim.run("vidur_sim", with(service, "workload.dir=" + text.dir()))
                        .figures());
    }

    @Test
    void rejectsFormatsThatAreUnknownOrHaveNoEffect() {
        assertThatThrownBy(() -> stagesim.run("vidur_sim", small("output.format=parqet")))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("output.format=parqet")
                .hasMessageContaining("did you mean  parquet")
                .hasMessageContaining("csv, parquet, parquet_gzip");
        assertThatThrownBy(() -> stagesim.figures("vidur_sim", small("output.format=parquet")))
                .hasMessageContaining("output.format: has no effect");
        assertThatThrownBy(() ->
                        stagesim.run("vidur_profile", "model=llama3_8b", "hardware=h100", "output.format=parquet"))
                .hasMessageContaining("output.format: has no effect: vidur_profile writes only the tables of a bundle");
    }

    @Test
    void comparesRuns() {
        Run slow = stagesim.run("vidur_sim", SMALL);
        Run fast = stagesim.run(
                "vidur_sim",
                Stream.of(SMALL)
                        .map(override -> override.replace("hardware=h100", "hardware=h200"))
                        .toArray(String[]::new));
        Run compared =
                stagesim.run("compare", "real.dir=" + slow.dir(), "sim.dir=" + fast.dir(), "compare.any_hardware=true");
        assertThat(compared.figures()).isNotEmpty();
        assertThat(fast.figures().get("tpot_p50_ms")).isLessThan(slow.figures().get("tpot_p50_ms"));
    }
}
