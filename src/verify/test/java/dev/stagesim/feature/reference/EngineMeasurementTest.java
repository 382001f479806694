package dev.stagesim.feature.reference;

import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import dev.stagesim.bench.MeasuredTables;
import dev.stagesim.contract.JsonArtifact;
import dev.stagesim.contract.TableSchema;
import dev.stagesim.contract.Tables;
import dev.stagesim.io.csv.TableReader;
import dev.stagesim.io.json.ArtifactSchemas;
import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonSchemaCheck;
import dev.stagesim.io.json.LocatedJson;
import dev.stagesim.io.measured.MeasurementDocument;
import dev.stagesim.measure.Defaults;
import dev.stagesim.measure.RealSettings;
import dev.stagesim.model.card.ModelCard;
import dev.stagesim.model.hardware.HardwareCard;
import dev.stagesim.serving.ClusterSettings;
import dev.stagesim.serving.config.EngineSettings;
import dev.stagesim.sim.serving.spec.GlobalPolicy;
import dev.stagesim.stage.FakeContext;
import dev.stagesim.stage.realbench.RealBenchSettings;
import dev.stagesim.stage.realbench.RealBenchStage;
import dev.stagesim.workload.SuiteSettings;
import java.io.IOException;
import java.nio.file.FileSystem;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Artifacts of a run of the reference engine. */
class EngineMeasurementTest {
    private static final int REQUESTS = 5;
    private final FileSystem disk = Jimfs.newFileSystem(Configuration.unix());
    private final Path out = disk.getPath("/out");
    private final FakeContext context = new FakeContext(out, disk.getPath("/home"));
    private final RealBenchStage stage = new RealBenchStage();

    private static RealBenchSettings settings(ClusterSettings cluster, int maxMillions, Optional<Path> file) {
        ModelCard model = Defaults.model();
        HardwareCard hardware = Defaults.hardware();
        return Defaults.of(
                RealBenchSettings.class,
                Map.ofEntries(
                        entry("model", model),
                        entry("scheduler", Defaults.sarathi()),
                        entry("hardware", hardware),
                        entry(
                                "real",
                                new RealSettings(
                                        "reference",
                                        Optional.empty(),
                                        file,
                                        Optional.empty(),
                                        Optional.empty(),
                                        0.001,
                                        false,
                                        Optional.empty())),
                        entry("suite", new SuiteSettings(SuiteSettings.Values.TABLE)),
                        entry(
                                "engine",
                                new EngineSettings(
                                        1, maxMillions, EngineSettings.Clock.MONOTONIC, 0, Defaults.noEngine())),
                        entry("cluster", cluster)));
    }

    private void workload() throws IOException {
        Files.createDirectories(out);
        Path directory = Files.createDirectories(disk.getPath("/workload"));
        List<String> lengths = new ArrayList<>(List.of("request_id,prompt_id,num_prefill_tokens,num_decode_tokens"));
        List<String> times = new ArrayList<>(List.of("request_id,inter_arrival_ns,arrival_time_ns"));
        for (int i = 0; i < REQUESTS; i++) {
            lengths.add(i + ",p" + i + "," + (5 + 3 * i) + "," + (2 + i));
            times.add(i + "," + (i == 0 ? 0 : 2_000_000) + "," + 2_000_000L * i);
        }
        Files.write(directory.resolve("trace_lengths.csv"), lengths);
        Files.write(directory.resolve("trace_intervals.csv"), times);
        context.with("workload", directory, "workload");
    }

    private int rows(TableSchema schema) throws IOException {
        int rows = 0;
        try (TableReader table = TableReader.open(out.resolve(schema.name()), schema)) {
            while (table.next()) {
                rows++;
            }
        }
        return rows;
    }

    @Test
    void writesAllMeasurementFiles() throws IOException {
        workload();
        stage.run(settings(Defaults.cluster(), 50, Optional.empty()), context);
        assertThat(rows(Tables.REQUEST_METRICS)).isEqualTo(REQUESTS);
        assertThat(rows(Tables.TOKEN_METRICS)).isEqualTo(2 + 3 + 4 + 5 + 6);
        assertThat(rows(Tables.TRACE_LENGTHS)).isEqualTo(REQUESTS);
        assertThat(rows(Tables.TRACE_INTERVALS)).isEqualTo(REQUESTS);
        assertThat(rows(MeasuredTables.OPERATOR_METRICS)).isEqualTo(16);
        LocatedJson json = Json.read(out.resolve("measurement.json"));
        assertThat(new JsonSchemaCheck(Json.pretty(ArtifactSchemas.schema(JsonArtifact.of(MeasurementDocument.class))))
                        .problems(json))
                .isEmpty();
        assertThat(json.get("format").asString()).isEqualTo("reference");
        assertThat(json.get("settings").get("chunk_size").asInt()).isEqualTo(512);
        assertThat(json.get("settings").get("block_size").asInt()).isEqualTo(16);
        assertThat(context.headlines).containsKeys("ttft_p50_ms", "engine_steps", "engine_processor_share");
        assertThat(context.warnings).contains("the engine was not warmed up (engine.warm_up=0)");
        assertThat(Files.readString(out.resolve("summary.md"))).contains("5 requests, 0 failed; token times measured");
    }

    @Test
    void dependsOnMachineAndReadsOnlyItsSections() {
        RealBenchSettings settings = settings(Defaults.cluster(), 50, Optional.empty());
        assertThat(stage.measures(settings)).isTrue();
        assertThat(stage.ignoredSections(settings)).containsExactly("endpoint");
    }

    @Test
    void reportsAllProblemsTogether() {
        ClusterSettings cluster =
                new ClusterSettings(2, 4, 1, 0.1, Optional.empty(), GlobalPolicy.ROUND_ROBIN, Optional.empty());
        RealBenchSettings settings = settings(cluster, 0, Optional.of(Path.of("result.json")));
        assertThatThrownBy(() -> stage.check(settings, Path.of("/home")))
                .hasMessageContaining("more than engine.max_parameters_m=0")
                .hasMessageContaining("model.num_heads=2")
                .hasMessageContaining("cluster.replicas: is 2")
                .hasMessageContaining("cluster.tensor_parallel_size: is 4")
                .hasMessageContaining("real.file: has no effect with real.source=reference");
    }

    @Test
    void rejectsRequestsLongerThanContext() throws IOException {
        workload();
        Files.write(
                disk.getPath("/workload/trace_lengths.csv"),
                List.of("request_id,prompt_id,num_prefill_tokens,num_decode_tokens", "0,p,3000,2"));
        Files.write(
                disk.getPath("/workload/trace_intervals.csv"),
                List.of("request_id,inter_arrival_ns,arrival_time_ns", "0,0,0"));
        assertThatThrownBy(() -> stage.run(settings(Defaults.cluster(), 50, Optional.empty()), context))
                .hasMessageContaining("the model's context is 2048");
    }
}
