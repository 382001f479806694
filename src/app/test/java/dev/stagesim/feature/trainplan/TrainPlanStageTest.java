package dev.stagesim.feature.trainplan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import dev.stagesim.config.bind.SettingsContract;
import dev.stagesim.feature.trainplan.TrainPlanSettings.BatchSettings;
import dev.stagesim.feature.trainplan.TrainPlanSettings.ClusterSettings;
import dev.stagesim.feature.trainplan.TrainPlanSettings.Objective;
import dev.stagesim.feature.trainplan.TrainPlanSettings.RunSettings;
import dev.stagesim.feature.trainplan.TrainPlanSettings.SearchSettings;
import dev.stagesim.feature.trainplan.TrainPlanSettings.SoftwareSettings;
import dev.stagesim.feature.trainplan.TrainPlanSettings.TrainingPrecision;
import dev.stagesim.io.chakra.TraceSet;
import dev.stagesim.io.csv.TableReader;
import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.LocatedJson;
import dev.stagesim.io.yaml.Yaml;
import dev.stagesim.measure.Defaults;
import dev.stagesim.measure.EveryKey;
import dev.stagesim.model.KeyRecord;
import dev.stagesim.model.StageException;
import dev.stagesim.model.card.CardFiles;
import dev.stagesim.model.card.ModelCard;
import dev.stagesim.model.hardware.HardwareCard;
import dev.stagesim.model.trace.EtNode;
import dev.stagesim.model.trace.NodeType;
import dev.stagesim.sim.training.Strategy.Recompute;
import dev.stagesim.sim.training.TrainingJob.Sharding;
import dev.stagesim.sim.training.schedule.PipelineSchedule;
import dev.stagesim.stage.FakeContext;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

final class TrainPlanStageTest {
    private final Path out = Jimfs.newFileSystem(Configuration.unix()).getPath("/out");
    private final FakeContext context = new FakeContext(out, Path.of("").toAbsolutePath());

    private static SearchSettings search(Map<String, ?> changes) {
        return KeyRecord.of(SearchSettings.class, changes);
    }

    private static SoftwareSettings software(Map<String, ?> changes) {
        return KeyRecord.of(SoftwareSettings.class, changes);
    }

    private static TrainPlanSettings changed(TrainPlanSettings plan, Map<String, ?> changes) {
        return KeyRecord.with(TrainPlanSettings.class, plan, changes);
    }

    private static TrainPlanSettings settings(String model, String hardware, int devices, SearchSettings search) {
        return settings(model, CardFiles.hardware(hardware), devices, search);
    }

    private static TrainPlanSettings settings(String model, HardwareCard hardware, int devices, SearchSettings search) {
        return settings(model, hardware, cluster(devices), search);
    }

    private static TrainPlanSettings settings(
            String model, HardwareCard hardware, ClusterSettings cluster, SearchSettings search) {
        return KeyRecord.of(
                TrainPlanSettings.class,
                Map.of(
                        "model",
                        CardFiles.model(model),
                        "hardware",
                        hardware,
                        "cluster",
                        cluster,
                        "batch",
                        new BatchSettings(128),
                        "search",
                        search));
    }

    private static ClusterSettings cluster(int devices) {
        return new ClusterSettings(devices, Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty());
    }

    @Test
    void hasTheDocumentedDefaults() {
        Map<String, Object> software = new HashMap<>(
                Map.of("hostMs", 0.22, "fusedAttention", true, "overlapTensor", true, "overlapData", true));
        software.putAll(
                Map.of("overlapExpert", false, "dispatchOncePerNode", true, "maxExpertNodes", Optional.empty()));
        software.putAll(Map.of("fp8Dispatch", false, "gradientBytes", 4, "momentBytes", 4, "fp8Weights", false));
        software.putAll(Map.of("fp8Activations", false, "logitBytes", 6, "sharding", Sharding.BUCKETS));
        Map<String, Object> plan = new HashMap<>(Map.of("sequence", 4096, "precision", TrainingPrecision.BF16));
        plan.putAll(Map.of("software", software(software), "search", search(Map.of("top", 10, "hypothetical", false))));
        plan.putAll(Map.of("objective", Objective.STEP_TIME, "traces", false, "measured", Optional.empty()));
        plan.putAll(Map.of("run", new RunSettings(Optional.empty(), 50_000, 30, 600, 0)));
        plan.putAll(Map.of("model", Defaults.model(), "hardware", Defaults.hardware()));
        plan.putAll(Map.of("cluster", cluster(64), "batch", new BatchSettings(512)));
        SettingsContract.assertDefaults(KeyRecord.of(TrainPlanSettings.class, plan));
    }

    @Test
    void bindsEveryKey() {
        SettingsContract.assertEveryKeyNonDefault(KeyRecord.of(
                TrainPlanSettings.class,
                Map.ofEntries(
                        Map.entry("model", EveryKey.model()),
                        Map.entry("hardware", EveryKey.hardware()),
                        Map.entry(
                                "cluster",
                                new ClusterSettings(
                                        8, Optional.of(4), Optional.of(100.0), Optional.of(5.0), Optional.of(2.0))),
                        Map.entry("batch", new BatchSettings(16)),
                        Map.entry("sequence", 2048),
                        Map.entry("precision", TrainingPrecision.FP8),
                        Map.entry(
                                "software",
                                software(Map.ofEntries(
                                        Map.entry("hostMs", 0.1),
                                        Map.entry("fusedAttention", false),
                                        Map.entry("overlapTensor", false),
                                        Map.entry("overlapData", false),
                                        Map.entry("overlapExpert", true),
                                        Map.entry("dispatchOncePerNode", false),
                                        Map.entry("maxExpertNodes", Optional.of(4)),
                                        Map.entry("fp8Dispatch", true),
                                        Map.entry("gradientBytes", 2),
                                        Map.entry("momentBytes", 2),
                                        Map.entry("fp8Weights", true),
                                        Map.entry("fp8Activations", true),
                                        Map.entry("logitBytes", 14),
                                        Map.entry("sharding", Sharding.DEEPSPEED)))),
                        Map.entry("measured", Optional.of(Path.of("steps.csv"))),
                        Map.entry("objective", Objective.COST),
                        Map.entry(
                                "search",
                                search(Map.ofEntries(
                                        Map.entry("devices", List.of(8)),
                                        Map.entry("tp", List.of(2)),
                                        Map.entry("pp", List.of(2)),
                                        Map.entry("vp", List.of(2)),
                                        Map.entry("cp", List.of(1)),
                                        Map.entry("ep", List.of(1)),
                                        Map.entry("zero", List.of(1)),
                                        Map.entry("shard", List.of(1)),
                                        Map.entry("microBatch", List.of(1)),
                                        Map.entry("recompute", List.of(Recompute.FULL)),
                                        Map.entry("schedule", List.of(PipelineSchedule.ZB_H1)),
                                        Map.entry("top", 3),
                                        Map.entry("hypothetical", true)))),
                        Map.entry("run", new RunSettings(Optional.of(1_000_000L), 1, 2, 3, 4)),
                        Map.entry("traces", true))));
    }

    @Test
    void writesEveryFileOfAPlan() throws IOException {
        Files.createDirectories(out);
        TrainPlanSettings settings = settings("llama3_8b", "h100", 16, search(Map.of()));
        new TrainPlanStage().check(settings, Path.of(""));
        new TrainPlanStage().run(settings, context);
        int rows = 0;
        try (TableReader table = TableReader.open(out.resolve("strategies.csv"), TrainPlanTables.STRATEGIES)) {
            while (table.next()) {
                rows++;
            }
        }
        assertThat(rows).isGreaterThanOrEqualTo(10);
        Map<Integer, Long> ends = new HashMap<>();
        for (LocatedJson event :
                Json.read(out.resolve("timeline.json")).get("traceEvents").items()) {
            if (event.get("ph").asString().equals("X")) {
                long start = event.get("ts").asLong();
                assertThat(start)
                        .isGreaterThanOrEqualTo(
                                ends.getOrDefault(event.get("tid").asInt(), 0L));
                ends.put(event.get("tid").asInt(), start + event.get("dur").asLong());
            }
        }
        assertThat(ends).isNotEmpty();
        assertThat(Json.read(out.resolve("best/deepspeed.json"))
                        .get("train_batch_size")
                        .asInt())
                .isEqualTo(128);
        assertThat(Yaml.read(out.resolve("best/nemo.yaml"))
                        .get("data")
                        .get("global_batch_size")
                        .asInt())
                .isEqualTo(128);
        assertThat(Files.readString(out.resolve("best/megatron_lm.sh"))).contains("--global-batch-size 128");
        assertThat(Files.readString(out.resolve("summary.md")))
                .contains(
                        "MFU (causal)", "Cost of each choice", "With Megatron-LM", " s per step of 128 sequences of ");
        assertThat(Files.readString(out.resolve("report.html"))).contains("id=\"timeline\"", "id=\"memory\"");
        assertThat(context.headlines.get("mfu_causal_percent")).isBetween(20.0, 100.0);
        assertThat(context.output).singleElement().asString().contains(" s per step", "tokens/s per device");
    }

    /** The best timeline of Llama 3 70B is not the best on the network. */
    @ParameterizedTest
    @ValueSource(strings = {"llama3_70b", "mixtral_8x7b"})
    void comparesStrategiesByTheSameSimulation(String model) throws IOException {
        Files.createDirectories(out);
        TrainPlanSettings plan = settings(model, "h100", 64, search(Map.of()));
        new TrainPlanStage().run(changed(plan, Map.of("batch", new BatchSettings(512))), context);
        String summary = Files.readString(out.resolve("summary.md"));
        List<String> simulated = Pattern.compile("(?m)^\\| \\d+ \\|.*\\| ([0-9.]+|–) \\| (network|timeline) \\|.*$")
                .matcher(summary)
                .results()
                .map(row -> row.group(1))
                .toList();
        List<Double> network = simulated.stream()
                .takeWhile(step -> !step.equals("–"))
                .map(Double::valueOf)
                .toList();
        assertThat(simulated).hasSize(10);
        assertThat(simulated.subList(network.size(), 10)).containsOnly("–");
        assertThat(network).hasSizeGreaterThanOrEqualTo(2).isSorted();
        double next = 100 * (network.get(1) / network.get(0) - 1);
        assertThat(figure(summary, "is ([0-9.]+) % slower on the network")).isCloseTo(next, within(0.1));
        Matcher changes = Pattern.compile("(?m)^\\| .* other than .* \\| ([0-9.]+) \\| ([+−]?[0-9.]+) \\|$")
                .matcher(summary);
        int rows = 0;
        while (changes.find()) {
            double step = Double.parseDouble(changes.group(1));
            assertThat(step).isGreaterThanOrEqualTo(network.get(1));
            assertThat(Double.parseDouble(changes.group(2).replace('−', '-')))
                    .isCloseTo(100 * (step / network.get(0) - 1), within(0.1));
            rows++;
        }
        assertThat(rows).isGreaterThanOrEqualTo(5);
    }

    /** The slowest of 16 devices is 1.766 standard deviations above the mean. */
    @Test
    void slowsEveryStepToTheSlowestDeviceWhenDevicesDiffer() throws IOException {
        Files.createDirectories(out);
        TrainPlanSettings plan = settings(
                "llama3_8b",
                "h100",
                16,
                search(Map.of("tp", List.of(1), "schedule", List.of(PipelineSchedule.ONE_F_ONE_B))));
        Map<String, Double> alike = spread(plan, 0);
        String before = Files.readString(out.resolve("summary.md"));
        Map<String, Double> unlike = spread(plan, 5);
        String after = Files.readString(out.resolve("summary.md"));
        double slowdown = 1 + 0.05 * 1.766;
        assertThat(unlike.get("step_s") / alike.get("step_s")).isCloseTo(slowdown, within(0.002));
        assertThat(alike.get("tokens_per_s") / unlike.get("tokens_per_s")).isCloseTo(slowdown, within(0.002));
        assertThat(unlike.get("days") / alike.get("days")).isCloseTo(slowdown, within(0.002));
        for (String figure : List.of("One million tokens cost ([0-9.]+) USD", "A step uses ([0-9.]+) kWh")) {
            assertThat(figure(after, figure) / figure(before, figure)).isCloseTo(slowdown, within(0.01));
        }
        assertThat(figure(after, "makes it ([0-9.]+) % longer")).isEqualTo(8.8);
        assertThat(before).doesNotContain("% longer");
        assertThat(figure(after, "leave ([0-9.]+) % productive time")).isEqualTo(100);
    }

    private static double figure(String summary, String pattern) {
        return Double.parseDouble(summary.replaceAll("(?s).*" + pattern + ".*", "$1"));
    }

    /** Returns the headlines of a plan without failures. */
    private Map<String, Double> spread(TrainPlanSettings plan, double spread) throws IOException {
        new TrainPlanStage()
                .run(
                        changed(
                                plan,
                                Map.of("run", new RunSettings(Optional.of(1_000_000_000_000L), 0, 30, 600, spread))),
                        context);
        return Map.copyOf(context.headlines);
    }

    @Test
    void proposesAnUnevenPipelineWhenTheOutputHeadIsLarge() throws IOException {
        Files.createDirectories(out);
        SearchSettings fixed = search(Map.of(
                "tp",
                List.of(1),
                "pp",
                List.of(4),
                "microBatch",
                List.of(1),
                "schedule",
                List.of(PipelineSchedule.ONE_F_ONE_B),
                "top",
                1));
        new TrainPlanStage().run(settings("llama3_8b", "h100", 16, fixed), context);
        String flags = Files.readString(out.resolve("best/megatron_lm.sh"));
        assertThat(flags).contains("--pipeline-model-parallel-layout Et").doesNotContain("(t*", "\"");
        String layout = flags.replaceAll("(?s).*layout (\\S*).*", "$1");
        assertThat(layout.chars().filter(c -> c == 't').count()).isEqualTo(32);
        String[] stages = layout.split("\\|", -1);
        assertThat(stages[3].length()).isLessThan(stages[1].length());
    }

    /** ZeRO 2 with a pipeline and shard groups of 8 of 16 replicas are searched only if they are listed. */
    @Test
    void searchesListedZeroStagesAndShardGroups() throws IOException {
        Files.createDirectories(out);
        new TrainPlanStage()
                .run(
                        settings(
                                "llama3_8b",
                                "h100",
                                64,
                                search(Map.of("pp", List.of(4), "zero", List.of(2), "shard", List.of(8), "top", 5))),
                        context);
        try (TableReader table = TableReader.open(out.resolve("strategies.csv"), TrainPlanTables.STRATEGIES)) {
            while (table.next()) {
                assertThat(table.longAt(table.column("zero"))).isEqualTo(2);
                assertThat(table.longAt(table.column("shard"))).isEqualTo(8);
            }
        }
        assertThat(Files.readString(out.resolve("best/torchtitan.toml")))
                .contains("data_parallel_shard_degree = 8", "zero=2 shard=8", "reshard_after_forward = \"never\"");
        assertThat(Files.readString(out.resolve("best/limits.md")))
                .contains("its FSDP does not support pipeline parallelism");
        assertThat(out.resolve("best/megatron_lm.sh")).doesNotExist();
    }

    /** A missing link or network must not give 0/0. */
    @Test
    void plansDevicesWithoutFastLinks() throws IOException {
        Files.createDirectories(out);
        ClusterSettings slow =
                new ClusterSettings(8, Optional.empty(), Optional.of(100.0), Optional.empty(), Optional.empty());
        SearchSettings search = search(Map.of("pp", List.of(2), "top", 5));
        new TrainPlanStage().run(settings("llama3_2_1b", CardFiles.hardware("rtx_4090"), slow, search), context);
        assertThat(context.headlines.get("step_s")).isBetween(0.5, 50.0);
    }

    @Test
    void rejectsSearchAxesWithoutEffect() {
        SearchSettings virtual = search(Map.of("vp", List.of(2), "schedule", List.of(PipelineSchedule.ONE_F_ONE_B)));
        assertThatThrownBy(() -> new TrainPlanStage().check(settings("llama3_8b", "h100", 16, virtual), Path.of("")))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("search.vp");
        SearchSettings shard = search(Map.of("zero", List.of(0), "shard", List.of(8), "top", 5));
        assertThatThrownBy(() -> new TrainPlanStage().check(settings("llama3_8b", "h100", 16, shard), Path.of("")))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("search.shard");
    }

    @Test
    void searchesARepeatedValueOnce() throws IOException {
        Files.createDirectories(out);
        SearchSettings twice =
                search(Map.of("tp", List.of(1, 1), "schedule", List.of(PipelineSchedule.V_MIN), "hypothetical", true));
        new TrainPlanStage().run(settings("llama3_8b", "h100", 64, twice), context);
        List<String> shapes = Files.readAllLines(out.resolve("strategies.csv")).stream()
                .skip(1)
                .map(row -> row.substring(row.indexOf(','), row.indexOf(",v_min")))
                .toList();
        assertThat(shapes).doesNotHaveDuplicates();
    }

    @Test
    void writesTracesOfTheWinnerWhenRequested() throws IOException {
        Files.createDirectories(out);
        SearchSettings fixed = search(Map.of(
                "tp", List.of(2), "pp", List.of(4), "schedule", List.of(PipelineSchedule.ONE_F_ONE_B), "top", 1));
        TrainPlanSettings plain = settings("llama3_8b", "h100", 16, fixed);
        new TrainPlanStage().run(changed(plain, Map.of("traces", true)), context);
        Path traces = out.resolve("best/traces");
        assertThat(Json.read(traces.resolve("comm_groups.json")).members()).hasSize(4);
        int sends = 0;
        int nodes = 0;
        for (int npu = 0; npu < 8; npu++) {
            for (EtNode node : TraceSet.nodes(traces.resolve("plan." + npu + ".et"))) {
                nodes++;
                sends += node.type() == NodeType.COMM_SEND_NODE ? 1 : 0;
            }
        }
        assertThat(sends).isPositive();
        assertThat(nodes).isGreaterThan(3 * sends);
        Path stage = out.resolve("best/stage_traces");
        int exchanges = 0;
        try (TableReader table = TableReader.open(out.resolve("collectives.csv"), TrainPlanTables.COLLECTIVES)) {
            while (table.next()) {
                exchanges++;
            }
        }
        assertThat(exchanges).isEqualTo(4);
        assertThat(stage.resolve("stage.4.et")).doesNotExist();
        for (int npu = 0; npu < 4; npu++) {
            assertThat(TraceSet.nodes(stage.resolve("stage." + npu + ".et"))).hasSize(exchanges);
        }
    }

    private static TrainPlanSettings with(TrainPlanSettings plan, TrainingPrecision precision) {
        return with(plan, precision, plan.software());
    }

    private static TrainPlanSettings with(
            TrainPlanSettings plan, TrainingPrecision precision, SoftwareSettings software) {
        return changed(plan, Map.of("precision", precision, "software", software));
    }

    @Test
    void slowsStepsWithRowWiseScalesAndRejectsThemWithout8BitProducts() throws IOException {
        Files.createDirectories(out);
        SearchSettings fixed = search(Map.of("tp", List.of(2), "schedule", List.of(PipelineSchedule.ONE_F_ONE_B)));
        TrainPlanSettings plan = settings("llama3_8b", "h100", 8, fixed);
        new TrainPlanStage().run(with(plan, TrainingPrecision.FP8), context);
        double known = context.headlines.get("step_s");
        new TrainPlanStage().run(with(plan, TrainingPrecision.FP8_TENSORWISE), context);
        double tensorwise = context.headlines.get("step_s");
        assertThat(Files.readString(out.resolve("best/megatron_lm.sh"))).contains("--fp8-recipe tensorwise");
        new TrainPlanStage().run(with(plan, TrainingPrecision.FP8_ROWWISE), context);
        assertThat(tensorwise).isGreaterThan(1.01 * known);
        assertThat(context.headlines.get("step_s")).isGreaterThan(1.02 * tensorwise);
        assertThat(Files.readString(out.resolve("best/limits.md"))).contains("row-wise scales");
    }

    @ParameterizedTest
    @CsvSource({
        "a100_sxm_80gb, FP8_ROWWISE, cannot multiply fp8; choose bf16",
        "h100_sxm_80gb, MXFP8, cannot multiply mxfp8; choose bf16 or fp8",
        "mi355x, NVFP4, cannot multiply nvfp4; choose bf16 or fp8"
    })
    void rejectsPrecisionsThatTheDeviceLacks(String hardware, TrainingPrecision precision, String problem) {
        TrainPlanSettings plan = with(settings("llama3_8b", hardware, 8, search(Map.of())), precision);
        assertThatThrownBy(() -> new TrainPlanStage().check(plan, Path.of(""))).hasMessageContaining(problem);
    }

    /** 16-bit moments, and 8-bit weights and inputs of activation functions. */
    @Test
    void savesMemoryWithSmallStatesAndWritesTheirFlags() throws IOException {
        Files.createDirectories(out);
        List<Integer> candidate = List.of(1);
        List<Recompute> none = List.of(Recompute.NONE);
        SearchSettings fixed = search(Map.of(
                "tp",
                List.of(8),
                "pp",
                candidate,
                "cp",
                candidate,
                "zero",
                List.of(0),
                "microBatch",
                candidate,
                "recompute",
                none,
                "top",
                1));
        TrainPlanSettings plan = settings("llama3_8b", "h100", 8, fixed);
        new TrainPlanStage().run(with(plan, TrainingPrecision.FP8), context);
        double base = context.headlines.get("memory_gib");
        SoftwareSettings few = software(Optional.empty(), false, true);
        new TrainPlanStage().run(with(plan, TrainingPrecision.FP8, few), context);
        assertThat(context.headlines.get("memory_gib")).isLessThan(0.8 * base);
        assertThat(Files.readString(out.resolve("best/megatron_lm.sh")))
                .contains("--fp8-param-gather", "--exp-avg-sq-dtype bf16", "--activation-func-fp8-input-store");
        assertThatThrownBy(() -> new TrainPlanStage().check(with(plan, TrainingPrecision.BF16, few), Path.of("")))
                .hasMessageContaining("software.fp8_weights");
    }

    /** Megatron-LM stores inputs of SwiGLU in 8 bits, but not inputs of functions without a gate. */
    @ParameterizedTest
    @CsvSource({"llama3_8b,true", "bigscience_bloom_7b1,false"})
    void writesTheFlagOf8BitActivationsWhenTheyAreGated(String model, boolean isGated) throws IOException {
        Files.createDirectories(out);
        TrainPlanSettings plan = settings(
                model, "h100", 8, search(Map.of("tp", List.of(1), "schedule", List.of(PipelineSchedule.ONE_F_ONE_B))));
        new TrainPlanStage().run(with(plan, TrainingPrecision.FP8, software(Optional.empty(), false, true)), context);
        String flag = "--activation-func-fp8-input-store";
        assertThat(Files.readString(out.resolve("best/megatron_lm.sh")).contains(flag))
                .isEqualTo(isGated);
        assertThat(Files.readString(out.resolve("best/limits.md")).contains(flag))
                .isNotEqualTo(isGated);
    }

    @Test
    void rejectsMomentsAndGradientsOfThreeBytes() {
        SearchSettings free = search(Map.of());
        TrainPlanSettings plan = settings("llama3_8b", "h100", 8, free);
        SoftwareSettings odd = software(Map.of("momentBytes", 3));
        assertThatThrownBy(() -> new TrainPlanStage().check(with(plan, plan.precision(), odd), Path.of("")))
                .hasMessageContaining("software.moment_bytes: is 3, expected 2 or 4");
        SoftwareSettings oddGradients = software(Map.of("gradientBytes", 3));
        assertThatThrownBy(() -> new TrainPlanStage().check(with(plan, plan.precision(), oddGradients), Path.of("")))
                .hasMessageContaining("software.gradient_bytes: is 3, expected 2 or 4");
    }

    private static SoftwareSettings software(Optional<Integer> maxExpertNodes, boolean isOnceANode, boolean isLow) {
        return software(Map.of(
                "dispatchOncePerNode",
                isOnceANode || isLow,
                "maxExpertNodes",
                maxExpertNodes,
                "fp8Dispatch",
                !isLow,
                "momentBytes",
                isLow ? 2 : 4,
                "fp8Weights",
                isLow,
                "fp8Activations",
                isLow));
    }

    @Test
    void rejectsAReserveOfAllMemory() {
        TrainPlanSettings plan =
                settings("llama3_8b", CardFiles.hardware("h100", "hardware.mem_gb=1"), 8, search(Map.of()));
        assertThatThrownBy(() -> new TrainPlanStage().run(plan, context))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("a reserve of 1.1 GB leaves no memory on H100-SXM-80GB, which has 1.1 GB");
    }

    /** A limit of nodes also has no effect if every copy of a token is sent separately. */
    @Test
    void rejectsSettingsOfExpertsWithoutExperts() {
        SearchSettings free = search(Map.of());
        TrainPlanSettings dense = settings("llama3_8b", "h100", 16, free);
        assertThatThrownBy(() -> new TrainPlanStage()
                        .check(with(dense, dense.precision(), software(Optional.of(4), true, false)), Path.of("")))
                .hasMessageContaining("software.fp8_dispatch")
                .hasMessageContaining("software.max_expert_nodes");
        TrainPlanSettings mixture = settings("mixtral_8x7b", "h200", 16, free);
        assertThatThrownBy(() -> new TrainPlanStage()
                        .check(with(mixture, dense.precision(), software(Optional.of(4), false, false)), Path.of("")))
                .hasMessageContaining("software.dispatch_once_per_node=false");
    }

    @ParameterizedTest
    @CsvSource({"1,true", "4,false"})
    void overlapsTheExpertExchangeWhenMegatronSupportsIt(int pipeline, boolean isOverlapped) throws IOException {
        Files.createDirectories(out);
        SearchSettings fixed = search(Map.of(
                "tp",
                List.of(1),
                "pp",
                List.of(pipeline),
                "ep",
                List.of(8),
                "zero",
                List.of(1),
                "microBatch",
                List.of(1),
                "schedule",
                List.of(PipelineSchedule.ONE_F_ONE_B),
                "top",
                1));
        TrainPlanSettings plan = settings("mixtral_8x7b", "h200", 64, fixed);
        new TrainPlanStage().run(with(plan, plan.precision(), software(Map.of("overlapExpert", true))), context);
        String flag = "--overlap-moe-expert-parallel-comm";
        Path file = out.resolve("best/megatron_lm.sh");
        assertThat(Files.exists(file) && Files.readString(file).contains(flag)).isEqualTo(isOverlapped);
        assertThat(context.failedChecks.isEmpty()).isEqualTo(isOverlapped);
    }

    private TrainPlanSettings measured(String steps) throws IOException {
        Files.createDirectories(out);
        Path file = out.getFileSystem().getPath("/steps.csv");
        Files.writeString(file, steps);
        TrainPlanSettings plain = settings(
                "llama3_8b",
                "h100",
                16,
                search(Map.of("tp", List.of(1, 2), "schedule", List.of(PipelineSchedule.ONE_F_ONE_B))));
        return changed(plain, Map.of("measured", Optional.of(file), "traces", false));
    }

    @Test
    void calibratesThePlanWithMeasuredSteps() throws IOException {
        new TrainPlanStage()
                .run(
                        measured(
                                """
                                tp,pp,zero,micro_batch,step_s,recompute,global_batch
                                1,1,3,1,4.4,,
                                2,1,1,1,4.8,none,128
                                2,2,1,1,2.5,full,64
                                """),
                        context);
        assertThat(context.headlines.get("efficiency_factor")).isBetween(0.3, 1.0);
        assertThat(Files.readString(out.resolve("calibration.csv")).lines()).hasSize(4);
        assertThat(Files.readString(out.resolve("summary.md")))
                .contains("fitted to 3 measured steps", "Measured steps")
                .doesNotContain("un-calibrated");
        assertThat(context.warnings).noneMatch(warning -> warning.contains("bound"));
        TrainPlanSettings slow = measured("tp,pp,zero,micro_batch,step_s\n1,1,3,1,4400\n");
        new TrainPlanStage().run(slow, context);
        assertThat(context.warnings).anyMatch(warning -> warning.contains("limited to 0.200"));
        assertThat(Files.readString(out.resolve("summary.md"))).contains("fitted to one measured step");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            quoteCharacter = '"',
            value = {
                "tp,pp,zero,step_s\\n1,1,3,1;column 'micro_batch' is missing",
                "tp,pp,zero,micro_batch,steps\\n1,1,3,1,1;unknown column 'steps'",
                "tp,pp,zero,micro_batch,step_s\\n1,1,3,1,0;'step_s' is not above 0",
                "tp,pp,zero,micro_batch,step_s\\n,1,3,1,2;column 'tp' is empty",
                "tp,pp,zero,micro_batch,step_s\\n0,1,3,1,2;column 'tp' is below 1",
                "tp,pp,zero,micro_batch,step_s\\n5,1,3,1,2;tensor_divides_devices",
                "tp,pp,zero,micro_batch,step_s,recompute\\n1,1,3,1,2,ful;unknown recompute 'ful'",
                "tp,pp,zero,micro_batch,step_s\\n;contains no step",
                "tp,pp,zero,micro_batch,step_s\\n1,1,7,1,2;column 'zero' is above 3",
                "tp,pp,zero,micro_batch,step_s,vp\\n1,1,3,1,2,4;with pp 1 has no virtual stages",
                "tp,pp,zero,micro_batch,step_s,schedule\\n1,4,1,1,2,interleaved;needs more than 1",
            })
    void rejectsAnInvalidMeasuredStepWithItsFile(String steps, String why) {
        assertThatThrownBy(() -> new TrainPlanStage().run(measured(steps.replace("\\n", "\n")), context))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("/steps.csv")
                .hasMessageContaining(why);
    }

    @Test
    void rejectsExpertAxesOfDenseModels() {
        assertThatThrownBy(() -> new TrainPlanStage()
                        .check(settings("llama3_8b", "h100", 16, search(Map.of("ep", List.of(2)))), Path.of("")))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("search.ep");
    }

    /** The exit code is 3, and the files name the rules. */
    @ParameterizedTest
    @CsvSource({"llama3_1_405b, 8, 1, fits", "llama3_8b, 16, 7, tensor divides devices", "llama3_8b, 1, 1, fits"})
    void failsTheCheckWhenNoStrategyIsFeasible(String model, int devices, int tp, String why) throws IOException {
        Files.createDirectories(out);
        List<Integer> tensor = tp == 1 ? List.of() : List.of(tp);
        new TrainPlanStage().run(settings(model, "h100", devices, search(Map.of("tp", tensor))), context);
        assertThat(context.failedChecks).hasSize(1);
        assertThat(context.failedChecks.get(0).what()).contains(why).doesNotContain("{");
        assertThat(Files.readString(out.resolve("rejected.csv"))).contains("does_not_fit", "no_framework_runs_it");
        assertThat(Files.readString(out.resolve("summary.md"))).contains(why);
        assertThat(out.resolve("best")).doesNotExist();
    }

    /** The error names the smallest number of devices, in doublings, with a feasible strategy. */
    @ParameterizedTest
    @CsvSource({"8, true", "64, true", "128, false"})
    void namesTheDevicesThatAStrategyFits(int count, boolean isRefused) throws IOException {
        Files.createDirectories(out);
        new TrainPlanStage().run(settings("llama3_1_405b", "h100", count, search(Map.of())), context);
        assertThat(context.failedChecks).hasSize(isRefused ? 1 : 0);
        assertThat(context.failedChecks).allSatisfy(problem -> assertThat(problem.render())
                .contains("a strategy fits 128 devices: set cluster.devices=128"));
    }

    @ParameterizedTest
    @CsvSource({"llama3_8b, true", "mixtral_8x7b, false"})
    void plansTheOperatorPolicyOnlyForDenseLayersWithTorchtitan(String model, boolean isPlanned) throws IOException {
        Files.createDirectories(out);
        SearchSettings operators = search(Map.of(
                "tp",
                List.of(1),
                "pp",
                List.of(1),
                "cp",
                List.of(1),
                "zero",
                List.of(3),
                "microBatch",
                List.of(1),
                "recompute",
                List.of(Recompute.OPERATORS),
                "top",
                1));
        new TrainPlanStage().run(settings(model, "h200", 64, operators), context);
        assertThat(context.failedChecks.isEmpty()).isEqualTo(isPlanned);
        if (isPlanned) {
            assertThat(column("frameworks")).containsOnly("torchtitan");
            assertThat(Files.readString(out.resolve("best/torchtitan.toml"))).contains("selective_ac_option = \"op\"");
        } else {
            assertThat(Files.readString(out.resolve("rejected.csv"))).contains("operators_of_dense_layers_only,");
        }
    }

    /** Conditions and warnings exist with and without a feasible strategy. */
    @ParameterizedTest
    @CsvSource({"64", "1"})
    void reportsCardFeaturesThatAreNotModelled(int devices) throws IOException {
        Files.createDirectories(out);
        TrainPlanSettings plain = settings(
                "mixtral_8x7b", "h100", devices, search(Map.of("schedule", List.of(PipelineSchedule.ONE_F_ONE_B))));
        ModelCard card = CardFiles.model("mixtral_8x7b", new String[] {"model.moe_hidden_size=1024"});
        new TrainPlanStage().run(changed(plain, Map.of("model", card, "sequence", 65_536)), context);
        assertThat(context.failedChecks.isEmpty()).isEqualTo(devices > 1);
        LocatedJson conditions = Json.read(out.resolve("conditions.json"));
        assertThat(conditions.get("not_modelled").asStrings()).anyMatch(text -> text.contains("moe_hidden_size"));
        assertThat(conditions.get("extrapolated").asStrings()).anyMatch(text -> text.contains("65,536"));
        assertThat(conditions.get("workload").asString()).contains("128 sequences", "65,536", "bf16");
        assertThat(Files.readString(out.resolve("summary.md"))).contains("Conditions:", "moe_hidden_size");
        assertThat(context.warnings).anyMatch(text -> text.contains("moe_hidden_size"));
    }

    private List<String> column(String name) throws IOException {
        List<String> values = new ArrayList<>();
        try (TableReader table = TableReader.open(out.resolve("strategies.csv"), TrainPlanTables.STRATEGIES)) {
            while (table.next()) {
                values.add(table.stringAt(table.column(name)));
            }
        }
        return values;
    }

    /** No framework recomputes norms and activation functions of dense layers. */
    @ParameterizedTest
    @Tag("long")
    @CsvSource({"llama3_8b, h100, 16", "llama3_70b, h100, 256", "qwen3_30b_a3b, h200, 64", "llama3_8b, a100_40gb, 8"})
    void plansOnlyStrategiesThatAFrameworkSupports(String model, String hardware, int devices) throws IOException {
        planSupported(model, hardware, devices);
    }

    @Test
    void plansOnlyStrategiesThatAFrameworkSupportsOnOneHost() throws IOException {
        planSupported("llama3_8b", "a100_40gb", 8);
    }

    private void planSupported(String model, String hardware, int devices) throws IOException {
        Files.createDirectories(out);
        new TrainPlanStage().run(settings(model, hardware, devices, search(Map.of())), context);
        assertThat(column("frameworks")).isNotEmpty().doesNotContain("hypothetical");
        if (model.startsWith("llama")) {
            assertThat(column("recompute")).doesNotContain("pointwise");
        }
        String frameworks = column("frameworks").get(0);
        assertThat(Files.exists(out.resolve("best/megatron_lm.sh"))).isEqualTo(frameworks.contains("Megatron-LM"));
        assertThat(Files.exists(out.resolve("best/torchtitan.toml"))).isEqualTo(frameworks.contains("torchtitan"));
        assertThat(Files.exists(out.resolve("best/deepspeed.json"))).isEqualTo(frameworks.contains("DeepSpeed"));
    }

    static Stream<String> cards() throws IOException {
        try (Stream<Path> files = Files.list(Path.of("configs/hardware").toAbsolutePath())) {
            return files
                    .map(file -> file.getFileName().toString().replace(".conf", ""))
                    .filter(card -> !card.equals("local"))
                    .sorted()
                    .toList()
                    .stream();
        }
    }

    @ParameterizedTest
    @Tag("long")
    @MethodSource("cards")
    void plansOrRejectsEveryHardwareCard(String card) throws IOException {
        planOrReject(card);
    }

    @ParameterizedTest
    @ValueSource(strings = {"gaudi3", "groq_lpu_v1", "mi300x", "tpu_v5e"})
    void plansOrRejectsCardsOfSeveralKinds(String card) throws IOException {
        planOrReject(card);
    }

    /** Plans clusters of one host, one device and two hosts. */
    private void planOrReject(String card) throws IOException {
        HardwareCard hardware = CardFiles.hardware(card);
        List<Integer> candidate = List.of(1);
        SearchSettings few = search(Map.of(
                "tp",
                List.of(1, 2),
                "pp",
                candidate,
                "cp",
                candidate,
                "zero",
                candidate,
                "microBatch",
                candidate,
                "recompute",
                List.of(Recompute.NONE),
                "schedule",
                List.of(PipelineSchedule.ONE_F_ONE_B),
                "top",
                1));
        for (ClusterSettings cluster : List.of(
                cluster(8),
                cluster(1),
                new ClusterSettings(16, Optional.of(8), Optional.of(400.0), Optional.empty(), Optional.empty()))) {
            Files.createDirectories(out);
            TrainPlanSettings settings = settings("qwen3_0_6b", hardware, cluster, few);
            try {
                new TrainPlanStage().check(settings, Path.of(""));
                new TrainPlanStage().run(settings, context);
            } catch (StageException unsupported) {
                assertThat(unsupported.problems()).isNotEmpty();
                continue;
            }
            double step = context.headlines.getOrDefault("step_s", 1.0);
            assertThat(step).isPositive().isFinite();
            context.headlines.clear();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void plansHypotheticalStrategiesOnlyOnRequestAndMarksThem(boolean isHypothetical) throws IOException {
        Files.createDirectories(out);
        SearchSettings pointwise = search(Map.of(
                "pp",
                List.of(1),
                "zero",
                List.of(3),
                "recompute",
                List.of(Recompute.POINTWISE),
                "top",
                3,
                "hypothetical",
                isHypothetical));
        new TrainPlanStage().run(settings("llama3_8b", "h100", 16, pointwise), context);
        assertThat(context.failedChecks.isEmpty()).isEqualTo(isHypothetical);
        if (isHypothetical) {
            assertThat(column("frameworks")).containsOnly("hypothetical");
            assertThat(Files.readString(out.resolve("summary.md"))).contains("Hypothetical");
            assertThat(context.warnings).anyMatch(text -> text.contains("no supported framework"));
        } else {
            assertThat(context.failedChecks.get(0).render()).contains("no supported framework", "search.hypothetical");
        }
    }
}
