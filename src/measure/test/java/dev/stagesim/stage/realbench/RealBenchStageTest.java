package dev.stagesim.stage.realbench;

import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import dev.stagesim.contract.JsonArtifact;
import dev.stagesim.contract.Tables;
import dev.stagesim.io.csv.TableReader;
import dev.stagesim.io.json.ArtifactSchemas;
import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonSchemaCheck;
import dev.stagesim.io.json.LocatedJson;
import dev.stagesim.io.measured.MeasurementDocument;
import dev.stagesim.io.measured.serving.RecordedFormat;
import dev.stagesim.measure.Defaults;
import dev.stagesim.measure.RealSettings;
import dev.stagesim.model.KeyRecord;
import dev.stagesim.model.StageException;
import dev.stagesim.model.TraceFormat;
import dev.stagesim.model.card.CardFiles;
import dev.stagesim.serving.ServingWorkload;
import dev.stagesim.serving.workload.LabelSettings;
import dev.stagesim.serving.workload.LengthSettings;
import dev.stagesim.serving.workload.RowSettings;
import dev.stagesim.serving.workload.SharingSettings;
import dev.stagesim.stage.FakeContext;
import dev.stagesim.workload.ArrivalSettings;
import dev.stagesim.workload.SuiteSettings;
import java.io.IOException;
import java.nio.file.FileSystem;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class RealBenchStageTest {
    private static final Path HOME = Path.of(System.getProperty("stagesim.home", "."));
    private static final int[] PROMPTS = {9, 9, 14, 13, 13, 11, 7, 10};
    private final FileSystem disk = Jimfs.newFileSystem(Configuration.unix());
    private final RealBenchStage stage = new RealBenchStage();
    private Path home = disk.getPath("/home");
    private Path out = disk.getPath("/out");

    @BeforeEach
    void install() throws IOException {
        Files.createDirectories(out);
        Path recordings = Path.of("configs/recordings");
        try (Stream<Path> files = Files.walk(HOME.resolve(recordings))) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                Path target = home.resolve(HOME.relativize(file).toString());
                Files.createDirectories(target.getParent());
                Files.copy(file, target);
            }
        }
    }

    private RealBenchSettings settings(String model, String hardware, RealSettings real) {
        return settings(model, hardware, real, Optional.empty());
    }

    private RealBenchSettings settings(String model, String hardware, RealSettings real, Optional<Path> workload) {
        return Defaults.of(
                RealBenchSettings.class,
                Map.ofEntries(
                        entry("model", CardFiles.model(model)),
                        entry("hardware", CardFiles.hardware(hardware)),
                        entry("workload", workload(workload)),
                        entry("arrival", new ArrivalSettings.AtOnce()),
                        entry("real", real),
                        entry("suite", new SuiteSettings(SuiteSettings.Values.TABLE))));
    }

    private static ServingWorkload workload(Optional<Path> dir) {
        return KeyRecord.of(
                ServingWorkload.class,
                Map.ofEntries(
                        entry("dir", dir),
                        entry("lengths", new LengthSettings.Fixed(1, 1)),
                        entry("format", TraceFormat.values()[0]),
                        entry("rows", RowSettings.ALL),
                        entry("sharing", new SharingSettings.None()),
                        entry("labels", LabelSettings.NONE)));
    }

    private static RealSettings real(String source, Optional<Path> file) {
        return new RealSettings(
                source, Optional.empty(), file, Optional.empty(), Optional.empty(), 0.001, false, Optional.empty());
    }

    private FakeContext context(int[] prompts, long spacingNs) throws IOException {
        Path directory = Files.createDirectories(disk.getPath("/workload"));
        List<String> lengths = new ArrayList<>(List.of("request_id,prompt_id,num_prefill_tokens,num_decode_tokens"));
        List<String> times = new ArrayList<>(List.of("request_id,inter_arrival_ns,arrival_time_ns"));
        for (int i = 0; i < prompts.length; i++) {
            lengths.add(i + ",p" + i + "," + prompts[i] + ",64");
            times.add(i + "," + (i == 0 ? 0 : spacingNs) + "," + i * spacingNs);
        }
        Files.write(directory.resolve("trace_lengths.csv"), lengths);
        Files.write(directory.resolve("trace_intervals.csv"), times);
        return new FakeContext(out, home).with("workload", directory, "workload");
    }

    @Test
    void readsTheShippedRecording() throws IOException {
        FakeContext context = context(PROMPTS, 2_000_000_000L);
        stage.run(settings("qwen3", "a100", real("auto", Optional.empty())), context);
        assertThat(context.headlines)
                .containsEntry("ttft_p50_ms", 17.2839625)
                .containsEntry("failed", 0.0)
                .hasEntrySatisfying("tpot_p50_ms", v -> assertThat(v).isCloseTo(13.8, within(0.1)));
        assertThat(out.resolve("token_metrics.csv"))
                .as("rows are never invented")
                .doesNotExist();
        LocatedJson json = Json.read(out.resolve("measurement.json"));
        assertThat(new JsonSchemaCheck(Json.pretty(ArtifactSchemas.schema(JsonArtifact.of(MeasurementDocument.class))))
                        .problems(json))
                .isEmpty();
        assertThat(json.get("token_times").asBool()).isFalse();
        assertThat(json.get("published").items()).hasSize(6);
        assertThat(json.get("weight_read_floor_ns").asDouble()).isCloseTo(584_600, within(100.0));
        assertThat(json.get("attribution").get("source").asString()).contains("gpu-simulate-test");
        assertThat(Files.readString(out.resolve("summary.md"))).contains("17.28");
        assertThat(Files.readString(out.resolve("report.html")))
                .contains("<svg", "Time to first token over the run", "Caveats", "gpu-simulate-test");
    }

    @Test
    void acceptsAWorkloadWithAggregatesAndRejectsItWithATrace() throws IOException {
        Path file = Files.write(
                home.resolve("trtllm.json"), Files.readAllBytes(HOME.resolve("tests-data/measured/trtllm.json")));
        FakeContext context = context(PROMPTS, 2_000_000_000L);
        Optional<Path> workload = Optional.of(disk.getPath("/workload"));
        stage.run(settings("qwen3", "a100", real("auto", Optional.of(file)), workload), context);
        assertThat(context.warnings).anyMatch(w -> w.contains("cannot verify that they belong to workload.dir"));
        assertThat(Json.read(out.resolve("measurement.json")).get("published").items())
                .isNotEmpty();
        Path trace = Files.writeString(
                home.resolve("trace.json"),
                "{\"schemaVersion\":1,\"traceEvents\":"
                        + "[{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"gemm\",\"ts\":1,\"dur\":2}]}");
        RealBenchSettings idle = settings("qwen3", "a100", real("auto", Optional.of(trace)), workload);
        assertThatThrownBy(() -> stage.run(idle, context))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("workload.dir: has no effect");
    }

    /** A trace of kernels contains neither model nor hardware; a recording contains both. */
    @Test
    void writesOnlyStatedFactsToTheTitle() throws IOException {
        Path trace = Files.writeString(
                home.resolve("trace.json"),
                "{\"schemaVersion\":1,\"traceEvents\":"
                        + "[{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"gemm\",\"ts\":1,\"dur\":2}]}");
        for (String model : List.of("qwen3", "llama3_8b")) {
            stage.run(
                    settings(model, "h100", real("auto", Optional.of(trace)), Optional.empty()),
                    new FakeContext(out, home));
            assertThat(Files.readString(out.resolve("summary.md"))).startsWith("# Measured: trace.json\n");
            assertThat(Files.readString(out.resolve("report.html"))).contains("<title>Measured: trace.json</title>");
        }
        stage.run(settings("qwen3", "a100", real("auto", Optional.empty())), context(PROMPTS, 2_000_000_000L));
        assertThat(Files.readString(out.resolve("summary.md")))
                .startsWith("# Measured: Qwen/Qwen3-0.6B on A100-SXM-80GB\n");
    }

    @Test
    void acceptsItsRunAsAWorkload() throws IOException {
        stage.run(settings("qwen3", "a100", real("recorded", Optional.empty())), context(PROMPTS, 2_000_000_000L));
        try (TableReader rows = TableReader.open(out.resolve("trace_intervals.csv"), Tables.TRACE_INTERVALS)) {
            int count = 0;
            while (rows.next()) {
                assertThat(rows.longAt(rows.column("arrival_time_ns"))).isEqualTo(2_000_000_000L * count++);
            }
            assertThat(count).isEqualTo(8);
        }
        WorkloadCheck again = WorkloadCheck.read(
                new FakeContext(out, home).with("workload", out, "real_bench").input("workload"));
        assertThat(again.differences(RecordedFormat.requests(out), 0)).isEmpty();
    }

    @Test
    void listsRecordingsWhenNoneMatches() throws IOException {
        FakeContext context = context(PROMPTS, 2_000_000_000L);
        assertThatThrownBy(() -> stage.run(settings("qwen3", "h100", real("auto", Optional.empty())), context))
                .isInstanceOf(StageException.class)
                .satisfies(
                        e -> assertThat(((StageException) e).kind().exitCode()).isEqualTo(2))
                .hasMessageContaining("Qwen/Qwen3-0.6B on hardware H100")
                .hasMessageContaining("qwen3-0.6b-a100-sarathi")
                .hasMessageContaining("workload=spaced_chat");
    }

    @Test
    void rejectsAnotherWorkloadWithTheDifferences() throws IOException {
        int[] other = PROMPTS.clone();
        other[2] = 99;
        FakeContext context = context(other, 1_000_000_000L);
        assertThatThrownBy(() -> stage.run(settings("qwen3", "a100", real("auto", Optional.empty())), context))
                .hasMessageContaining("request 2: 99 prompt and 64 output tokens in the workload, 14 and 64 measured")
                .hasMessageContaining("request 1: arrives at 1 s in the workload, at 2 s measured")
                .hasMessageContaining("and 4 more like these")
                .hasMessageContaining("workload=spaced_chat");
        assertThat(out.resolve("request_metrics.csv")).doesNotExist();
    }

    @Test
    void usesTheWorkloadOfTheFile() throws IOException {
        Path file = disk.getPath("/bench.json");
        Files.copy(HOME.resolve("tests-data/real/vllm_detailed.json"), file);
        RealBenchSettings settings = settings("qwen3", "a100", real("auto", Optional.of(file)));
        assertThat(stage.upstreams(settings)).isEmpty();
        assertThat(stage.reads(settings, home)).containsExactly(file);
        FakeContext context = new FakeContext(out, home);
        stage.run(settings, context);
        assertThat(Files.readAllLines(out.resolve("request_metrics.csv")).get(4))
                .isEqualTo("3,200000000,,,,512,1,0,failed,,,");
        assertThat(Files.readAllLines(out.resolve("token_metrics.csv")))
                .contains(
                        "request_id,token_index,token_time_ns,token_latency_ns,tokens_in_chunk",
                        "0,0,50000000,50000000,1",
                        "2,1,218000000,13000000,");
        assertThat(context.warnings).hasSize(3).anyMatch(w -> w.startsWith("tpot p99.9 is left out"));
    }

    @Test
    void rejectsAnotherModelUnlessAllowed() throws IOException {
        Path file = disk.getPath("/bench.json");
        Files.copy(HOME.resolve("tests-data/real/vllm_detailed.json"), file);
        assertThatThrownBy(() -> stage.run(
                        settings("llama3_8b", "a100", real("vllm", Optional.of(file))), new FakeContext(out, home)))
                .hasMessageContaining("Qwen/Qwen3-0.6B was measured")
                .hasMessageContaining("set model=Qwen/Qwen3-0.6B, or real.any_model=true");
    }

    @Test
    void listsFormatsForUnknownContent() throws IOException {
        Path file = Files.writeString(disk.getPath("/x.json"), "{\"a\": 1}");
        assertThatThrownBy(() -> stage.run(
                        settings("qwen3", "a100", real("auto", Optional.of(file))), new FakeContext(out, home)))
                .hasMessageContaining("format is not supported")
                .hasMessageContaining("vllm bench serve");
        assertThatThrownBy(() -> stage.run(
                        settings("qwen3", "a100", real("auto", Optional.of(disk.getPath("/none")))),
                        new FakeContext(out, home)))
                .hasMessageContaining("there is no /none");
    }

    @Test
    void rejectsKeysWithoutEffect() throws IOException {
        RealSettings withDir = new RealSettings(
                "auto",
                Optional.of(out),
                Optional.empty(),
                Optional.of(1),
                Optional.empty(),
                0.001,
                false,
                Optional.empty());
        assertThatThrownBy(() -> stage.run(settings("qwen3", "a100", withDir), context(PROMPTS, 2_000_000_000L)))
                .hasMessageContaining("real.dir");
        RealSettings withEntry = new RealSettings(
                "auto",
                Optional.empty(),
                Optional.empty(),
                Optional.of(1),
                Optional.empty(),
                0.001,
                false,
                Optional.empty());
        assertThatThrownBy(() -> stage.run(settings("qwen3", "a100", withEntry), context(PROMPTS, 2_000_000_000L)))
                .hasMessageContaining("real.entry");
    }

    @Test
    void keepsRecordedTokens() throws IOException {
        Path recording = Files.createDirectories(disk.getPath("/mine"));
        Path shipped = home.resolve("configs/recordings/qwen3-0.6b-a100-sarathi");
        String json = Files.readString(shipped.resolve("recording.json"));
        // Aggregates of different requests.
        Files.writeString(
                recording.resolve("recording.json"),
                json.replaceFirst("(?s)\"published\": *\\[[^\\]]*]", "\"published\": []"));
        Files.write(
                recording.resolve("request_metrics.csv"),
                List.of(
                        "request_id,arrival_time_ns,first_token_time_ns,ttft_ns,completion_time_ns,num_prefill_tokens,"
                                + "num_decode_tokens,num_decode_tokens_actual,status",
                        "0,0,10,10,30,5,4,3,completed"));
        Files.write(
                recording.resolve("token_metrics.csv"),
                List.of(
                        "request_id,token_index,token_time_ns,token_latency_ns",
                        "0,0,10,10",
                        "0,1,20,10",
                        "0,2,30,10"));
        stage.run(settings("qwen3", "a100", real("auto", Optional.of(recording))), new FakeContext(out, home));
        assertThat(Files.readString(out.resolve("token_metrics.csv")))
                .isEqualTo(Files.readString(recording.resolve("token_metrics.csv")));
    }

    @Test
    void writesTheSameBytesTwice() throws IOException {
        stage.run(settings("qwen3", "a100", real("auto", Optional.empty())), context(PROMPTS, 2_000_000_000L));
        String first = Files.readString(out.resolve("measurement.json"));
        stage.run(settings("qwen3", "a100", real("auto", Optional.empty())), context(PROMPTS, 2_000_000_000L));
        assertThat(Files.readString(out.resolve("measurement.json"))).isEqualTo(first);
    }
}
