package dev.stagesim.stage.vidursim;

import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;
import static org.assertj.core.api.Assertions.within;

import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import dev.stagesim.contract.Tables;
import dev.stagesim.io.csv.TableReader;
import dev.stagesim.io.csv.TableWriter;
import dev.stagesim.io.json.Json;
import dev.stagesim.measure.Defaults;
import dev.stagesim.model.Extrapolation;
import dev.stagesim.model.KeyRecord;
import dev.stagesim.model.StageException;
import dev.stagesim.model.card.CardFiles;
import dev.stagesim.predict.Operator;
import dev.stagesim.predict.PredictionTable;
import dev.stagesim.serving.ClusterSettings;
import dev.stagesim.serving.ServingWorkload;
import dev.stagesim.serving.config.PredictorSettings;
import dev.stagesim.serving.config.ProfileDefaults;
import dev.stagesim.serving.config.ProfilingInput;
import dev.stagesim.serving.config.SimulationSettings;
import dev.stagesim.serving.workload.LabelSettings;
import dev.stagesim.serving.workload.LengthSettings;
import dev.stagesim.serving.workload.RowSettings;
import dev.stagesim.serving.workload.SharingSettings;
import dev.stagesim.sim.serving.spec.GlobalPolicy;
import dev.stagesim.sim.serving.spec.SchedulerSettings;
import dev.stagesim.sim.serving.spec.SchedulerSpec;
import dev.stagesim.stage.Checks;
import dev.stagesim.stage.FakeContext;
import dev.stagesim.stage.vidurprofile.VidurProfileSettings;
import dev.stagesim.stage.vidurprofile.VidurProfileStage;
import dev.stagesim.workload.ArrivalSettings;
import dev.stagesim.workload.CompatMode;
import java.io.IOException;
import java.nio.file.FileSystem;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class VidurSimStageTest {
    private static final SchedulerSettings SARATHI = new SchedulerSpec.Sarathi(128, 16, 0.01, Optional.empty(), 512);
    private static final SchedulerSettings VLLM = new SchedulerSpec.Vllm(128, 16, 0.01, Optional.empty(), 4096);

    private static final SimulationSettings.Metrics METRICS =
            new SimulationSettings.Metrics(Optional.empty(), Optional.empty(), false, false, Optional.empty());

    private static final PredictorSettings.Range RANGE =
            new PredictorSettings.Range(64, Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty());

    private final FileSystem files = Jimfs.newFileSystem(Configuration.unix());
    private final Path workload = files.getPath("/workload");
    private final Path bundle = files.getPath("/bundle");

    @BeforeEach
    void makeInputs() throws IOException {
        Files.createDirectories(workload);
        Files.createDirectories(bundle);
        writeWorkload(20, 100, 12);
        FakeContext profiling = new FakeContext(bundle, files.getPath("/"));
        VidurProfileSettings profile = new VidurProfileSettings(
                CardFiles.model("qwen3"),
                CardFiles.hardware("a100"),
                ProfileDefaults.roofline(1, 2),
                Defaults.engine());
        new VidurProfileStage().run(profile, profiling);
    }

    @AfterEach
    void close() throws IOException {
        files.close();
    }

    private void writeWorkload(int requests, int prompt, int output) throws IOException {
        try (TableWriter lengths = TableWriter.create(workload.resolve("trace_lengths.csv"), Tables.TRACE_LENGTHS);
                TableWriter intervals =
                        TableWriter.create(workload.resolve("trace_intervals.csv"), Tables.TRACE_INTERVALS)) {
            for (int i = 0; i < requests; i++) {
                lengths.put(10L + i).put("p" + i).put((long) prompt + i).put((long) output + i % 3);
                lengths.endRow();
                intervals.put(10L + i).put(i == 0 ? 0L : 1_234_567L).put(i * 1_234_567L);
                intervals.endRow();
            }
        }
    }

    private static SimulationSettings simulation(Optional<Double> limit, int traceEvents) {
        return new SimulationSettings(
                limit,
                Optional.empty(),
                new SimulationSettings.Overheads(
                        Optional.of(0.1), Optional.of(0.1), 0.02, 0, Optional.empty(), Optional.of(false)),
                Optional.empty(),
                Optional.empty(),
                traceEvents,
                METRICS,
                false,
                true);
    }

    private static VidurSimSettings settings(
            SchedulerSettings scheduler,
            int replicas,
            int tp,
            int pp,
            SimulationSettings simulation,
            CompatMode compat) {
        return Defaults.of(
                VidurSimSettings.class,
                Map.ofEntries(
                        entry("model", CardFiles.model("qwen3")),
                        entry("hardware", CardFiles.hardware("a100")),
                        Map.entry(
                                "workload",
                                KeyRecord.of(
                                        ServingWorkload.class,
                                        Map.ofEntries(
                                                entry("lengths", new LengthSettings.Fixed(100, 12)),
                                                entry("rows", RowSettings.ALL),
                                                entry("sharing", new SharingSettings.None()),
                                                entry("labels", LabelSettings.NONE)))),
                        entry("arrival", new ArrivalSettings.AtOnce()),
                        entry("profile", ProfileDefaults.roofline(1, 2)),
                        entry("profiling", new ProfilingInput(Optional.empty())),
                        Map.entry(
                                "predictor",
                                new PredictorSettings.Interpolation(
                                        RANGE,
                                        Extrapolation.NONE,
                                        Optional.empty(),
                                        PredictorSettings.Statistic.MEDIAN)),
                        entry("scheduler", scheduler),
                        Map.entry(
                                "cluster",
                                new ClusterSettings(
                                        replicas,
                                        tp,
                                        pp,
                                        0.1,
                                        Optional.empty(),
                                        GlobalPolicy.ROUND_ROBIN,
                                        Optional.empty())),
                        entry("simulation", simulation),
                        entry("compat", compat)));
    }

    private static VidurSimSettings with(PredictorSettings predictor, Optional<Path> root) {
        VidurSimSettings s = settings(SARATHI, 1, 1, 1, simulation(Optional.empty(), 0), CompatMode.NONE);
        return KeyRecord.with(
                VidurSimSettings.class, s, Map.of("profiling", new ProfilingInput(root), "predictor", predictor));
    }

    private FakeContext run(VidurSimSettings settings, String out) throws IOException {
        Path directory = files.getPath(out);
        Files.createDirectories(directory);
        FakeContext context = new FakeContext(directory, files.getPath("/"))
                .with("workload", workload, "workload")
                .with("profiling", bundle, "vidur_profile")
                .withCache(files.getPath("/cache"));
        Checks.check(new VidurSimStage(), settings, files.getPath("/"));
        new VidurSimStage().run(settings, context);
        return context;
    }

    @Test
    void writesConsistentTables() throws IOException {
        FakeContext context =
                run(settings(SARATHI, 1, 1, 1, simulation(Optional.empty(), 1000), CompatMode.NONE), "/out");
        long tokens = 0;
        try (TableReader requests =
                        TableReader.open(context.out().resolve("request_metrics.csv"), Tables.REQUEST_METRICS);
                TableReader rows = TableReader.open(context.out().resolve("token_metrics.csv"), Tables.TOKEN_METRICS)) {
            for (int i = 0; requests.next(); i++) {
                assertThat(requests.longAt(requests.column("request_id"))).isEqualTo(10 + i);
                assertThat(requests.longAt(requests.column("arrival_time_ns"))).isEqualTo(i * 1_234_567L);
                long count = requests.longAt(requests.column("num_decode_tokens_actual"));
                assertThat(count).isEqualTo(12 + i % 3);
                assertThat(requests.stringAt(requests.column("status"))).isEqualTo("completed");
                long last = 0;
                for (int token = 0; token < count; token++) {
                    assertThat(rows.next()).isTrue();
                    assertThat(rows.longAt(rows.column("request_id"))).isEqualTo(10 + i);
                    last = rows.longAt(rows.column("token_time_ns"));
                    if (token == 0) {
                        assertThat(last).isEqualTo(requests.longAt(requests.column("first_token_time_ns")));
                        assertThat(rows.longAt(rows.column("token_latency_ns")))
                                .isEqualTo(requests.longAt(requests.column("ttft_ns")));
                    }
                }
                assertThat(last).isEqualTo(requests.longAt(requests.column("completion_time_ns")));
                tokens += count;
            }
            assertThat(rows.next()).isFalse();
        }
        assertThat(tokens).isEqualTo(20 * 12 + 6 + 2 * 7 - 1);
        assertThat(context.headlines).containsKeys("ttft_p50_ms", "ttft_p99_ms", "tpot_p50_ms", "e2e_p50_ms");
        assertThat(context.headlines.get("restarts")).isZero();
        assertThat(Files.readString(context.out().resolve("summary.md"))).contains("20 of 20 requests completed");
    }

    @Test
    void writesBatchesThatAddUpAndAJsonTrace() throws IOException {
        FakeContext context =
                run(settings(VLLM, 2, 1, 2, simulation(Optional.empty(), 100_000), CompatMode.NONE), "/out");
        long tokens = 0;
        try (TableReader batches = TableReader.open(context.out().resolve("batch_metrics.csv"), Tables.BATCH_METRICS)) {
            while (batches.next()) {
                tokens += batches.longAt(batches.column("num_tokens"));
            }
        }
        // Every prompt token, and one decode step fewer than output tokens.
        long prompts = 20 * 100 + 190;
        long decodes = 20 * 11 + 19;
        assertThat(tokens).isEqualTo(prompts + decodes);
        assertThat(Json.read(context.out().resolve("trace.json"))
                        .get("traceEvents")
                        .items())
                .hasSizeGreaterThan(100)
                .allSatisfy(event -> assertThat(event.has("ph")).isTrue());
        assertThat(context.warnings).singleElement().asString().startsWith("too short for a verdict: ");
        assertThat(Files.readString(context.out().resolve("summary.md"))).contains("Load too short for a verdict");
    }

    @Test
    void writesTheSameBytesTwice() throws IOException {
        VidurSimSettings settings = settings(SARATHI, 2, 2, 1, simulation(Optional.empty(), 500), CompatMode.VIDUR);
        FakeContext first = run(settings, "/first");
        FakeContext second = run(settings, "/second");
        for (String name :
                List.of("request_metrics.csv", "token_metrics.csv", "batch_metrics.csv", "trace.json", "summary.md")) {
            assertThat(Files.readAllBytes(second.out().resolve(name)))
                    .isEqualTo(Files.readAllBytes(first.out().resolve(name)));
        }
    }

    @Test
    void runsEveryScheduler() throws IOException {
        List<SchedulerSettings> all = List.of(
                SARATHI,
                VLLM,
                new SchedulerSpec.Orca(8, 16, Optional.empty()),
                new SchedulerSpec.FasterTransformer(8, 16, Optional.empty()),
                new SchedulerSpec.LightLlm(128, 1, Optional.empty(), 4096, 10));
        for (SchedulerSettings scheduler : all) {
            FakeContext context = run(
                    settings(scheduler, 1, 1, 1, simulation(Optional.empty(), 0), CompatMode.NONE),
                    "/" + scheduler.getClass().getSimpleName());
            assertThat(context.headlines.get("throughput_requests_per_s")).isPositive();
            assertThat(context.out().resolve("trace.json")).doesNotExist();
        }
    }

    @Test
    void reusesAForestFromTheCache() throws IOException {
        PredictorSettings forest =
                new PredictorSettings.RandomForest(RANGE, List.of(3), List.of(9), List.of(2), 10, 42);
        FakeContext first = run(with(forest, Optional.empty()), "/first");
        List<Path> kept;
        try (Stream<Path> folders = Files.list(files.getPath("/cache/predictors"))) {
            kept = folders.toList();
        }
        assertThat(kept).hasSize(1);
        Path times = kept.get(0).resolve("times.bin");
        FakeContext second = run(with(forest, Optional.empty()), "/second");
        assertThat(second.headlines).isEqualTo(first.headlines);
        Files.write(times, new byte[] {1, 2, 3});
        assertThat(run(with(forest, Optional.empty()), "/third").headlines).isEqualTo(first.headlines);
        assertThat(Files.size(times)).as("damaged, so trained again").isGreaterThan(1000);
    }

    @Test
    void predictsTimesWithPolynomialsAndTables() throws IOException {
        List<Boolean> yes = List.of(true);
        PredictorSettings linear =
                new PredictorSettings.LinearRegression(RANGE, List.of(1, 2), yes, List.of(false), yes, 5);
        assertThat(run(with(linear, Optional.empty()), "/linear").headlines.get("throughput_requests_per_s"))
                .isPositive();
        PredictorSettings tables = new PredictorSettings.Tables(tables(), 64);
        VidurSimSettings settings = with(tables, Optional.empty());
        FakeContext context = run(settings, "/tables");
        assertThat(context.headlines.get("tpot_p50_ms"))
                .as("28 layers of 11 operators, 1 ms each; some batches have a prompt")
                .isCloseTo(28 * 11, within(28 * 3.0));
        VidurSimStage stage = new VidurSimStage();
        assertThat(stage.reads(settings, files.getPath("/"))).containsExactly(files.getPath("/tables-in"));
        assertThat(stage.upstreams(settings)).hasSize(1);
        assertThat(stage.upstreams(with(linear, Optional.empty()))).hasSize(2);
        assertThatThrownBy(() -> run(with(tables, Optional.of(bundle)), "/both"))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("profiling.root: has no effect");
    }

    @Test
    void reportsAllMissingTablesAndHoles() throws IOException {
        PredictorSettings tables = new PredictorSettings.Tables(tables(), 64);
        VidurSimSettings settings = with(tables, Optional.empty());
        Path folder = files.getPath("/tables-in");
        Files.writeString(folder.resolve("attn_decode.csv"), "header\n1,128,0,0,1.0\n1,128,4096,4096,1.0\n");
        assertThatThrownBy(() -> run(settings, "/hole"))
                .isInstanceOf(StageException.class)
                .hasMessageContainingAll(
                        "attn_decode: no row of the tables has batch size 1", "predictor.kv_granularity");
        Files.delete(folder.resolve("attn_decode.csv"));
        Files.delete(folder.resolve("mlp_act.csv"));
        Files.delete(folder.resolve("all_reduce.csv"));
        assertThatThrownBy(() -> run(settings, "/missing"))
                .isInstanceOf(StageException.class)
                .hasMessageContainingAll("/tables-in: has no attn_decode.csv", "has no mlp_act.csv, which every step")
                .hasMessageNotContaining("all_reduce");
    }

    private Path tables() throws IOException {
        Path folder = Files.createDirectories(files.getPath("/tables-in"));
        for (Operator operator : Operator.values()) {
            boolean one = PredictionTable.isKeyedByOne(operator);
            boolean decode = operator == Operator.ATTN_DECODE;
            String row = one ? "1,4096,1.0" : decode ? "1,128,0,4096,1.0" : "0,4096,1,4096,1.0";
            Files.writeString(folder.resolve(operator.column() + ".csv"), "header\n" + row + "\n");
        }
        return folder;
    }

    @Test
    void leavesRequestsUnfinishedAtATimeLimit() throws IOException {
        FakeContext context =
                run(settings(SARATHI, 1, 1, 1, simulation(Optional.of(0.01), 10), CompatMode.NONE), "/out");
        assertThat(context.warnings).singleElement().asString().contains("marked unfinished");
        assertThat(context.output).anyMatch(w -> w.startsWith("too short for a verdict: "));
        assertThat(Files.readString(context.out().resolve("request_metrics.csv")))
                .contains(",unfinished,");
    }

    @Test
    void rejectsRequestsThatCannotBeServed() throws IOException {
        writeWorkload(3, 5000, 10);
        assertThatThrownBy(() -> run(settings(VLLM, 1, 1, 1, simulation(Optional.empty(), 0), CompatMode.NONE), "/out"))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("request 0 and 2 more")
                .hasMessageContaining("scheduler=sarathi");
    }

    @Test
    void extendsTablesToLongerRequests() throws IOException {
        writeWorkload(3, 5000, 10);
        FakeContext context = run(settings(SARATHI, 1, 1, 1, simulation(Optional.empty(), 0), CompatMode.NONE), "/out");
        assertThat(context.warnings).anyMatch(w -> w.contains("sequences of up to 5014 tokens (tables end at 4096;"));
    }

    @Test
    void rejectsTablesOfDifferentRequests() throws IOException {
        try (TableWriter intervals =
                TableWriter.create(workload.resolve("trace_intervals.csv"), Tables.TRACE_INTERVALS)) {
            intervals.put(11L).put(0L).put(0L);
            intervals.endRow();
        }
        assertThatThrownBy(
                        () -> run(settings(SARATHI, 1, 1, 1, simulation(Optional.empty(), 0), CompatMode.NONE), "/out"))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("request 11");
    }

    @Test
    void readsInputsOfUpstreamStagesUnlessGiven() {
        VidurSimSettings settings = settings(SARATHI, 1, 1, 1, simulation(Optional.empty(), 0), CompatMode.NONE);
        assertThat(new VidurSimStage().upstreams(settings))
                .extracting("role", "stage", "key", "dir")
                .containsExactly(
                        tuple("workload", "workload", "workload.dir", Optional.empty()),
                        tuple("profiling", "vidur_profile", "profiling.root", Optional.empty()));
        assertThat(settings.workload()).isInstanceOf(ServingWorkload.class);
    }
}
