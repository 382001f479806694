package dev.stagesim.stage.workload;

import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import dev.stagesim.config.bind.SettingsContract;
import dev.stagesim.io.chakra.EtReader;
import dev.stagesim.io.chakra.TraceRanks;
import dev.stagesim.io.json.Json;
import dev.stagesim.measure.EveryKey;
import dev.stagesim.model.KeyRecord;
import dev.stagesim.model.StageException;
import dev.stagesim.model.card.CardFiles;
import dev.stagesim.model.card.ModelCard;
import dev.stagesim.model.trace.EtNode;
import dev.stagesim.sim.trace.generate.MicroBatchOrder;
import dev.stagesim.sim.trace.text.TextSchema;
import dev.stagesim.stage.FakeContext;
import dev.stagesim.traces.ChakraGenerateWorkload;
import dev.stagesim.traces.ChakraGenerateWorkload.Parallelism;
import dev.stagesim.traces.ChakraGenerateWorkload.Training;
import dev.stagesim.traces.ChakraTextWorkload;
import dev.stagesim.workload.ArrivalSettings;
import dev.stagesim.workload.CompatMode;
import dev.stagesim.workload.SuiteSettings;
import dev.stagesim.workload.WorkloadSettings;
import dev.stagesim.workload.WorkloadStageSettings;
import java.io.IOException;
import java.nio.file.FileSystem;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The workload stage writes Chakra traces from text and from dimensions. */
final class ChakraStageTest {
    private static final Path HOME = Path.of("").toAbsolutePath();
    private static final Path RECORDED = Path.of("tests-data", "chakra");
    private static final Training NO_TRAINING =
            new Training(Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty());
    private static final Parallelism ALONE =
            new Parallelism(Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty());

    private final FileSystem files = Jimfs.newFileSystem(Configuration.unix());
    private CompatMode compat = CompatMode.NONE;

    private WorkloadStageSettings settings(WorkloadSettings workload) {
        return new WorkloadStageSettings(
                workload, new ArrivalSettings.Poisson(1), compat, new SuiteSettings(SuiteSettings.Values.TABLE));
    }

    private FakeContext run(WorkloadSettings workload) throws IOException {
        Path out = Files.createTempDirectory(Files.createDirectories(files.getPath("/runs")), "run");
        FakeContext context = new FakeContext(out, HOME);
        new WorkloadStage().check(settings(workload), HOME);
        new WorkloadStage().run(settings(workload), context);
        return context;
    }

    private static ChakraTextWorkload text(String name, int npus, int passes, Integer dims, TextSchema schema) {
        return KeyRecord.of(
                ChakraTextWorkload.class,
                Map.ofEntries(
                        entry("file", Optional.of(RECORDED.resolve(name).resolve("in/w.txt"))),
                        entry("numNpus", Optional.of(npus)),
                        entry("numPasses", Optional.of(passes)),
                        entry("numDims", Optional.ofNullable(dims)),
                        entry("schema", Optional.ofNullable(schema)),
                        entry("prefix", "w")));
    }

    private static ChakraGenerateWorkload pattern(String pattern, TextSchema schema, Integer dims, int npus) {
        return pattern(pattern, schema, dims, npus, false);
    }

    private static ChakraGenerateWorkload pattern(
            String pattern, TextSchema schema, Integer dims, int npus, boolean isShared) {
        return KeyRecord.of(
                ChakraGenerateWorkload.class,
                Map.ofEntries(
                        entry("pattern", pattern),
                        entry("numNpus", Optional.of(npus)),
                        entry("numDims", Optional.ofNullable(dims)),
                        entry("schema", Optional.ofNullable(schema)),
                        entry("sharedFiles", isShared),
                        entry("parallelism", ALONE),
                        entry("training", NO_TRAINING)));
    }

    /** Asserts that the run has every recorded file, byte for byte. */
    private static void assertRecorded(String name, Path out) throws IOException {
        List<Path> recorded;
        try (Stream<Path> all = Files.list(RECORDED.resolve(name).resolve("out"))) {
            recorded = all.toList();
        }
        assertThat(recorded).isNotEmpty().allSatisfy(file -> assertThat(
                        out.resolve(file.getFileName().toString()))
                .hasBinaryContent(Files.readAllBytes(file)));
    }

    @Test
    void convertsTextAsTheReferenceDoes() throws IOException {
        FakeContext made = run(text("text/data_L2_n2_p1", 2, 1, null, null));
        assertRecorded("text/data_L2_n2_p1", made.out());
        assertThat(made.headlines).containsEntry("npus", 2.0);
        assertThat(made.out().resolve("summary.md")).content().contains("Execution traces of w.txt");

        compat = CompatMode.CHAKRA;
        assertRecorded(
                "text/model_L5_n3_p3",
                run(text("text/model_L5_n3_p3", 3, 3, null, null)).out());
        assertRecorded(
                "text_numdims/hybrid_data_model_d2",
                run(text("text_numdims/hybrid_data_model_d2", 2, 2, 2, null)).out());
        assertRecorded(
                "legacy_v001/v001_hybrid_model_data",
                run(text("legacy_v001/v001_hybrid_model_data", 2, 2, 2, TextSchema.V0_0_1))
                        .out());
    }

    @Test
    void convertsGraphs() throws IOException {
        ChakraTextWorkload graph = KeyRecord.of(
                ChakraTextWorkload.class,
                Map.ofEntries(
                        entry("file", Optional.of(RECORDED.resolve("legacy_v001/ff_diamond_f1000/in/g.graph"))),
                        entry("input", ChakraTextWorkload.Input.FLEXFLOW),
                        entry("schema", Optional.of(TextSchema.V0_0_1)),
                        entry("npuFrequency", Optional.of(1000)),
                        entry("prefix", "w")));
        assertRecorded("legacy_v001/ff_diamond_f1000", run(graph).out());
    }

    @Test
    void dividesCyclesByTheClock() throws IOException {
        ChakraTextWorkload cycles = KeyRecord.of(
                ChakraTextWorkload.class,
                Map.ofEntries(
                        entry(
                                "file",
                                Optional.of(Files.writeString(
                                        files.getPath("/w.txt"),
                                        "DATA\n1\na 1 1001 NONE 0 1 NONE 0 1000 ALLREDUCE 8 0\n"))),
                        entry("numNpus", Optional.of(1)),
                        entry("npuFrequency", Optional.of(1000)),
                        entry("prefix", "w")));
        assertThat(nodes(run(cycles).out().resolve("w.0.et")))
                .extracting(EtNode::durationMicros)
                .containsExactly(2L, 1L, 0L);
    }

    private static List<EtNode> nodes(Path trace) throws IOException {
        List<EtNode> nodes = new ArrayList<>();
        try (EtReader reader = EtReader.open(trace)) {
            for (EtNode node = reader.next(); node != null; node = reader.next()) {
                nodes.add(node);
            }
        }
        return nodes;
    }

    @Test
    void writesTheReferencesPatterns() throws IOException {
        compat = CompatMode.CHAKRA;
        assertRecorded(
                "generator_numdims/nd_n2_d3",
                run(pattern("reference", null, 3, 2)).out());
        assertRecorded(
                "generator_cpp_v001/cpp_n2_d1",
                run(pattern("reference", TextSchema.V0_0_1, 1, 2)).out());
    }

    @Test
    void writesEqualFilesForEqualTraces() throws IOException {
        Path out = run(pattern("moe_all_to_all", null, null, 3)).out();
        assertThat(out.resolve("moe_all_to_all.2.et")).hasSameBinaryContentAs(out.resolve("moe_all_to_all.0.et"));
        assertThat(nodes(out.resolve("moe_all_to_all.1.et"))).hasSize(12);
    }

    @Test
    void sharesOneFileForEqualTracesIfAllowed() throws IOException {
        for (String name : List.of("moe_all_to_all", "tree_pipeline")) {
            Path each = run(pattern(name, null, null, 200)).out();
            FakeContext made = run(pattern(name, null, null, 200, true));
            TraceRanks ranks = TraceRanks.of(made.out(), name + ".").orElseThrow();
            assertThat(ranks).hasSize(200);
            for (int npu = 0; npu < 200; npu++) {
                assertThat(ranks.get(npu)).hasSameBinaryContentAs(each.resolve(name + "." + npu + ".et"));
            }
            assertThat(made.headlines).containsEntry("npus", 200.0);
            assertThat(made.out().resolve("summary.md")).hasSameTextualContentAs(each.resolve("summary.md"));
        }
        Path uniform = run(pattern("moe_all_to_all", null, null, 200, true)).out();
        assertThat(uniform.resolve("trace_ranks.csv")).content().endsWith("\n0,199,moe_all_to_all.0.et\n");
        assertThat(uniform.resolve("moe_all_to_all.1.et")).doesNotExist();
    }

    private static ChakraGenerateWorkload transformer(ModelCard model, int tp, Optional<Integer> npus) {
        return KeyRecord.of(
                ChakraGenerateWorkload.class,
                Map.ofEntries(
                        entry("pattern", "transformer"),
                        entry("numNpus", npus),
                        entry("microBatches", Optional.of(2)),
                        entry("prefix", Optional.of("step")),
                        entry("model", Optional.of(model)),
                        entry("hardware", Optional.of(CardFiles.hardware("h100"))),
                        entry(
                                "parallelism",
                                new Parallelism(Optional.of(tp), Optional.of(2), Optional.of(1), Optional.empty())),
                        entry("training", NO_TRAINING)));
    }

    @Test
    void writesGroupsOfATransformer() throws IOException {
        Path out = run(transformer(CardFiles.model("llama3_2_1b"), 2, Optional.empty()))
                .out();
        assertThat(Json.read(out.resolve("comm_groups.json")).members().keySet())
                .containsExactly("1", "2", "3", "4");
        assertThat(nodes(out.resolve("step.3.et"))).hasSizeGreaterThan(100);
        assertThat(out.resolve("step.4.et")).doesNotExist();
    }

    /** The estimate is an upper bound, and at most three times the nodes of the traces. */
    @ParameterizedTest
    @ValueSource(strings = {"llama3_2_1b", "mixtral_8x7b"})
    void estimatesTheNodesOfATransformer(String model) throws IOException {
        FakeContext made = run(transformer(CardFiles.model(model), 1, Optional.empty()));
        double nodes = made.headlines.get("nodes");
        assertThat(made.expected).singleElement().satisfies(estimate -> {
            assertThat(estimate.counted()).isEqualTo("nodes");
            assertThat(estimate.events()).isBetween(nodes, 3 * nodes);
        });
    }

    @Test
    void warnsOfCardFeaturesThatAreNotModelled() throws IOException {
        String[] overrides = {"model.sliding_window=64", "model.weights=fp8"};
        assertThat(run(transformer(CardFiles.model("llama3_2_1b", overrides), 2, Optional.empty())).warnings)
                .hasSize(2)
                .anyMatch(text -> text.contains("sliding_window"))
                .anyMatch(text -> text.contains("storage"));
    }

    @Test
    void rejectsKeysWithoutEffect() {
        assertThatThrownBy(() -> run(transformer(CardFiles.model("llama3_8b"), 3, Optional.of(8))))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("workload.num_npus: tp x pp x dp are 6 processors");
        assertThatThrownBy(() -> run(transformer(CardFiles.model("llama3_8b"), 3, Optional.empty())))
                .hasMessageContaining("workload.parallelism.tp: does not divide the model's 32 heads");
        assertThatThrownBy(() -> run(pattern("ALL_REDUCES", null, null, 2)))
                .hasMessageContaining("unknown pattern 'ALL_REDUCES'")
                .hasMessageContaining("did you mean  ALL_REDUCE");
        assertThatThrownBy(() -> run(pattern("ring_pipeline", null, 2, 2)))
                .hasMessageContaining("workload.num_dims: has no effect on the pattern ring_pipeline");
        assertThatThrownBy(() -> run(pattern("reference", null, null, 2, true)))
                .hasMessageContaining("workload.shared_files: has no effect");
        assertThatThrownBy(() -> run(pattern("ALL_REDUCE", TextSchema.V0_0_1, null, 2, true)))
                .hasMessageContaining("workload.shared_files: schema v0_0_1");
        assertThatThrownBy(() -> run(pattern("ALL_REDUCE", null, null, 1_000_001)))
                .hasMessageContaining(
                        "workload.num_npus: 1000001 processors with separate files, expected at most 1000000")
                .hasMessageContaining("workload.shared_files=true");
        assertThatThrownBy(() -> run(pattern("ALL_REDUCE", TextSchema.V0_0_1, null, 1_000_001)))
                .hasMessageContaining("expected at most 1000000")
                .hasMessageContaining("fewer processors");
        compat = CompatMode.CHAKRA;
        assertThatThrownBy(() -> run(pattern("ALL_REDUCE", null, null, 2, true)))
                .hasMessageContaining(
                        "workload.shared_files: the reference of compat=chakra writes a file per processor");
        assertThatThrownBy(() -> run(pattern("ring_pipeline", null, null, 2)))
                .hasMessageContaining("compat: the reference has no pattern ring_pipeline");
        compat = CompatMode.ASTRA;
        assertThatThrownBy(() -> run(text("text/data_L2_n2_p1", 2, 1, null, null)))
                .hasMessageContaining("compat: has no effect on workload.kind=chakra_text");
        assertThatThrownBy(() -> run(pattern("ALL_REDUCE", null, null, 2)))
                .hasMessageContaining("compat: has no effect on these traces");
    }

    @Test
    void bindsEveryKey() {
        SettingsContract.assertEveryKeyNonDefault(new WorkloadStageSettings(
                KeyRecord.of(
                        ChakraGenerateWorkload.class,
                        Map.ofEntries(
                                entry("dir", Optional.of(Path.of("d"))),
                                entry("pattern", "transformer"),
                                entry("numNpus", Optional.of(4)),
                                entry("runtime", Optional.of(1L)),
                                entry("tensorSize", Optional.of(2L)),
                                entry("commSize", Optional.of(3L)),
                                entry("numDims", Optional.of(4)),
                                entry("layers", Optional.of(5)),
                                entry("microBatches", Optional.of(6)),
                                entry("schema", Optional.of(TextSchema.V0_0_1)),
                                entry("prefix", Optional.of("p")),
                                entry("sharedFiles", true),
                                entry("model", Optional.of(EveryKey.model())),
                                entry("hardware", Optional.of(EveryKey.hardware())),
                                entry(
                                        "parallelism",
                                        new Parallelism(
                                                Optional.of(1), Optional.of(2), Optional.of(3), Optional.of(4))),
                                entry(
                                        "training",
                                        new Training(
                                                Optional.of(1),
                                                Optional.of(2),
                                                Optional.of(MicroBatchOrder.GPIPE),
                                                Optional.of(true),
                                                Optional.of(0.25))))),
                new ArrivalSettings.Fixed(2, 3),
                CompatMode.CHAKRA,
                new SuiteSettings(SuiteSettings.Values.PROGRAM)));
        SettingsContract.assertEveryKeyNonDefault(new WorkloadStageSettings(
                KeyRecord.of(
                        ChakraTextWorkload.class,
                        Map.ofEntries(
                                entry("dir", Optional.of(Path.of("d"))),
                                entry("file", Optional.of(Path.of("f"))),
                                entry("input", ChakraTextWorkload.Input.FLEXFLOW),
                                entry("numNpus", Optional.of(1)),
                                entry("numPasses", Optional.of(2)),
                                entry("numDims", Optional.of(3)),
                                entry("schema", Optional.of(TextSchema.V0_0_4)),
                                entry("npuFrequency", Optional.of(4)),
                                entry("skipNone", true),
                                entry("prefix", "p"))),
                new ArrivalSettings.Fixed(2, 3),
                CompatMode.CHAKRA,
                new SuiteSettings(SuiteSettings.Values.PROGRAM)));
    }
}
