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
import dev.stagesim.model.StageException;
import dev.stagesim.model.card.CardFiles;
import dev.stagesim.model.card.HardwareCard;
import dev.stagesim.model.card.ModelCard;
import dev.stagesim.model.trace.EtNode;
import dev.stagesim.model.trace.NodeType;
import dev.stagesim.sim.training.Strategy.Recompute;
import dev.stagesim.sim.training.TrainingJob.Sharding;
import dev.stagesim.stage.FakeContext;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

final class TrainPlanStageTest {
    private static final SoftwareSettings SOFTWARE = new SoftwareSettings(
            0.22, true, true, true, false, true, Optional.empty(), false, 4, 4, false, false, 6, Sharding.BUCKETS);
    private static final RunSettings RUN = new RunSettings(Optional.empty(), 50_000, 30, 600, 0);

    private final Path out = Jimfs.newFileSystem(Configuration.unix()).getPath("/out");
    private final FakeContext context = new FakeContext(out, Path.of("").toAbsolutePath());

    private static SearchSettings search(List<Integer> tp, List<Integer> ep, List<Integer> vp, List<String> schedule) {
        return new SearchSettings(
                List.of(), tp, List.of(), vp, List.of(), ep, List.of(), List.of(), List.of(), List.of(), schedule, 10,
                false);
    }

    private static TrainPlanSettings settings(String model, String hardware, int devices, SearchSettings search) {
        return settings(model, CardFiles.hardware(hardware), devices, search);
    }

    private static TrainPlanSettings settings(String model, HardwareCard hardware, int devices, SearchSettings search) {
        return settings(model, hardware, cluster(devices), search);
    }

    private static TrainPlanSettings settings(
            String model, HardwareCard hardware, ClusterSettings cluster, SearchSettings search) {
        return new TrainPlanSettings(
                CardFiles.model(model),
                hardware,
                cluster,
                new BatchSettings(128),
                4096,
                TrainingPrecision.BF16,
                SOFTWARE,
                Optional.empty(),
                Objective.STEP_TIME,
                search,
                RUN,
                false);
    }

    private static ClusterSettings cluster(int devices) {
        return new ClusterSettings(devices, Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty());
    }

    @Test
    void defaultsAreAsDocumented() {
        SettingsContract.assertDefaults(new TrainPlanSettings(
                Defaults.model(),
                Defaults.hardware(),
                cluster(64),
                new BatchSettings(512),
                4096,
                TrainingPrecision.BF16,
                SOFTWARE,
                Optional.empty(),
                Objective.STEP_TIME,
                search(List.of(), List.of(), List.of(), List.of()),
                RUN,
                false));
    }

    @Test
    void everyKeyCanBeSet() {
        SettingsContract.assertEveryKeyNonDefault(new TrainPlanSettings(
                EveryKey.model(),
                EveryKey.hardware(),
                new ClusterSettings(8, Optional.of(4), Optional.of(100.0), Optional.of(5.0), Optional.of(2.0)),
                new BatchSettings(16),
                2048,
                TrainingPrecision.FP8,
                new SoftwareSettings(
                        0.1,
                        false,
                        false,
                        false,
                        true,
                        false,
                        Optional.of(4),
                        true,
                        2,
                        2,
                        true,
                        true,
                        14,
                        Sharding.DEEPSPEED),
                Optional.of(Path.of("steps.csv")),
                Objective.COST,
                new SearchSettings(
                        List.of(8),
                        List.of(2),
                        List.of(2),
                        List.of(2),
                        List.of(1),
                        List.of(1),
                        List.of(1),
                        List.of(1),
                        List.of(1),
                        List.of(Recompute.FULL),
                        List.of("zb_h1"),
                        3,
                        true),
                new RunSettings(Optional.of(1_000_000L), 1, 2, 3, 4),
                true));
    }

    @Test
    void aPlanHasItsArtifacts() throws IOException {
        Files.createDirectories(out);
        TrainPlanSettings settings =
                settings("llama3_8b", "h100", 16, search(List.of(), List.of(), List.of(), List.of()));
        new TrainPlanStage().check(settings, Path.of(""));
        new TrainPlanStage().run(settings, context);
        int rows = 0;
        try (TableReader table = TableReader.open(out.resolve("strategies.csv"), TrainPlanTables.STRATEGIES)) {
            while (table.next()) {
                rows++;
            }
        }
        assertThat(rows).isGreaterThanOrEqualTo(10);
        assertThat(Json.read(out.resolve("timeline.json")).get("traceEvents").items())
                .isNotEmpty();
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
                .contains("MFU (causal)", "Cost of each choice", "With Megatron-LM");
        assertThat(Files.readString(out.resolve("report.html"))).contains("id=\"timeline\"", "id=\"memory\"");
        assertThat(context.headlines.get("mfu_causal_percent")).isBetween(20.0, 100.0);
    }

    /** Of 16 devices that spread by 5 % the slowest is 1.766 deviations behind, and every step waits for it, once. */
    @Test
    void stepsWaitForTheSlowestDevice() throws IOException {
        Files.createDirectories(out);
        TrainPlanSettings plan =
                settings("llama3_8b", "h100", 16, search(List.of(1), List.of(), List.of(), List.of("1f1b")));
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

    /** Headlines without failures. */
    private Map<String, Double> spread(TrainPlanSettings plan, double spread) throws IOException {
        new TrainPlanStage()
                .run(
                        new TrainPlanSettings(
                                plan.model(),
                                plan.hardware(),
                                plan.cluster(),
                                plan.batch(),
                                plan.sequence(),
                                plan.precision(),
                                plan.software(),
                                plan.measured(),
                                plan.objective(),
                                plan.search(),
                                new RunSettings(Optional.of(1_000_000_000_000L), 0, 30, 600, spread),
                                plan.traces()),
                        context);
        return Map.copyOf(context.headlines);
    }

    @Test
    void anUnevenPipelineIsProposedWhereTheHeadWeighs() throws IOException {
        Files.createDirectories(out);
        SearchSettings fixed = new SearchSettings(
                List.of(),
                List.of(1),
                List.of(4),
                List.of(),
                List.of(),
                List.of(),
                List.of(),
                List.of(),
                List.of(1),
                List.of(),
                List.of("1f1b"),
                1,
                false);
        new TrainPlanStage().run(settings("llama3_8b", "h100", 16, fixed), context);
        String flags = Files.readString(out.resolve("best/megatron_lm.sh"));
        assertThat(flags).contains("--pipeline-model-parallel-layout Et").doesNotContain("(t*", "\"");
        String layout = flags.replaceAll("(?s).*layout (\\S*).*", "$1");
        assertThat(layout.chars().filter(c -> c == 't').count()).isEqualTo(32);
        String[] stages = layout.split("\\|", -1);
        assertThat(stages[3].length()).isLessThan(stages[1].length());
    }

    private static SearchSettings axes(List<Integer> pp, List<Integer> zero, List<Integer> shard) {
        return new SearchSettings(
                List.of(), List.of(), pp, List.of(), List.of(), List.of(), zero, shard, List.of(), List.of(), List.of(),
                5, false);
    }

    /** Shards of a pipeline's weights, and states that eight of sixteen replicas share, only where they are asked for. */
    @Test
    void namedZeroStagesAndShardsAreSearched() throws IOException {
        Files.createDirectories(out);
        new TrainPlanStage().run(settings("llama3_8b", "h100", 64, axes(List.of(4), List.of(2), List.of(8))), context);
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

    /** Neither a card without fast links nor one without a network has a term of nothing over nothing. */
    @Test
    void cardsWithoutFastLinksHavePlansToo() throws IOException {
        Files.createDirectories(out);
        ClusterSettings slow =
                new ClusterSettings(8, Optional.empty(), Optional.of(100.0), Optional.empty(), Optional.empty());
        SearchSettings search = axes(List.of(2), List.of(), List.of());
        new TrainPlanStage().run(settings("llama3_2_1b", CardFiles.hardware("rtx_4090"), slow, search), context);
        assertThat(context.headlines.get("step_s")).isBetween(0.5, 50.0);
    }

    @Test
    void axesWithoutEffectAreRefused() {
        SearchSettings virtual = search(List.of(), List.of(), List.of(2), List.of("1f1b"));
        assertThatThrownBy(() -> new TrainPlanStage().check(settings("llama3_8b", "h100", 16, virtual), Path.of("")))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("search.vp");
        SearchSettings shard = axes(List.of(), List.of(0), List.of(8));
        assertThatThrownBy(() -> new TrainPlanStage().check(settings("llama3_8b", "h100", 16, shard), Path.of("")))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("search.shard");
    }

    /** A value that is named twice is searched once. */
    @Test
    void noStrategyIsThereTwice() throws IOException {
        Files.createDirectories(out);
        List<Integer> free = List.of();
        SearchSettings twice = new SearchSettings(
                free, List.of(1, 1), free, free, free, free, free, free, free, List.of(), List.of("v_min"), 10, true);
        new TrainPlanStage().run(settings("llama3_8b", "h100", 64, twice), context);
        List<String> shapes = Files.readAllLines(out.resolve("strategies.csv")).stream()
                .skip(1)
                .map(row -> row.substring(row.indexOf(','), row.indexOf(",v_min")))
                .toList();
        assertThat(shapes).doesNotHaveDuplicates();
    }

    @Test
    void theWinnersPipelineIsWrittenAsTraces() throws IOException {
        Files.createDirectories(out);
        SearchSettings fixed = new SearchSettings(
                List.of(),
                List.of(2),
                List.of(4),
                List.of(),
                List.of(),
                List.of(),
                List.of(),
                List.of(),
                List.of(),
                List.of(),
                List.of("1f1b"),
                1,
                false);
        TrainPlanSettings plain = settings("llama3_8b", "h100", 16, fixed);
        new TrainPlanStage()
                .run(
                        new TrainPlanSettings(
                                plain.model(),
                                plain.hardware(),
                                plain.cluster(),
                                plain.batch(),
                                plain.sequence(),
                                plain.precision(),
                                plain.software(),
                                plain.measured(),
                                plain.objective(),
                                plain.search(),
                                plain.run(),
                                true),
                        context);
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
        return new TrainPlanSettings(
                plan.model(),
                plan.hardware(),
                plan.cluster(),
                plan.batch(),
                plan.sequence(),
                precision,
                software,
                plan.measured(),
                plan.objective(),
                plan.search(),
                plan.run(),
                plan.traces());
    }

    @Test
    void scalesOfRowsAreSlowerAndNeed8Bits() throws IOException {
        Files.createDirectories(out);
        SearchSettings fixed = search(List.of(2), List.of(), List.of(), List.of("1f1b"));
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
        TrainPlanSettings old = with(settings("llama3_8b", "a100_sxm_80gb", 8, fixed), TrainingPrecision.FP8_ROWWISE);
        assertThatThrownBy(() -> new TrainPlanStage().check(old, Path.of("")))
                .hasMessageContaining("has no 8-bit rate; choose bf16");
    }

    /** Moments in 16 bits, weights and inputs of activation functions in 8: less memory, and flags for them. */
    @Test
    void statesMayBeKeptInFewerBytes() throws IOException {
        Files.createDirectories(out);
        List<Integer> candidate = List.of(1);
        List<Recompute> none = List.of(Recompute.NONE);
        SearchSettings fixed = new SearchSettings(
                List.of(),
                List.of(8),
                candidate,
                List.of(),
                candidate,
                List.of(),
                List.of(0),
                List.of(),
                candidate,
                none,
                List.of(),
                1,
                false);
        TrainPlanSettings plan = settings("llama3_8b", "h100", 8, fixed);
        new TrainPlanStage().run(with(plan, TrainingPrecision.FP8), context);
        double usual = context.headlines.get("memory_gib");
        SoftwareSettings few = software(Optional.empty(), false, true);
        new TrainPlanStage().run(with(plan, TrainingPrecision.FP8, few), context);
        assertThat(context.headlines.get("memory_gib")).isLessThan(0.8 * usual);
        assertThat(Files.readString(out.resolve("best/megatron_lm.sh")))
                .contains("--fp8-param-gather", "--exp-avg-sq-dtype bf16", "--activation-func-fp8-input-store");
        assertThatThrownBy(() -> new TrainPlanStage().check(with(plan, TrainingPrecision.BF16, few), Path.of("")))
                .hasMessageContaining("software.fp8_weights");
    }

    /** Megatron-LM stores inputs of SwiGLU in 8 bits, and of no function without a gate. */
    @ParameterizedTest
    @CsvSource({"llama3_8b,true", "bigscience_bloom_7b1,false"})
    void onlyGatedActivationsAreStoredIn8Bits(String model, boolean isGated) throws IOException {
        Files.createDirectories(out);
        TrainPlanSettings plan = settings(model, "h100", 8, search(List.of(1), List.of(), List.of(), List.of("1f1b")));
        new TrainPlanStage().run(with(plan, TrainingPrecision.FP8, software(Optional.empty(), false, true)), context);
        String flag = "--activation-func-fp8-input-store";
        assertThat(Files.readString(out.resolve("best/megatron_lm.sh")).contains(flag))
                .isEqualTo(isGated);
        assertThat(Files.readString(out.resolve("best/limits.md")).contains(flag))
                .isNotEqualTo(isGated);
    }

    @Test
    void momentsHaveTwoOrFourBytes() {
        SearchSettings free = search(List.of(), List.of(), List.of(), List.of());
        TrainPlanSettings plan = settings("llama3_8b", "h100", 8, free);
        SoftwareSettings odd = new SoftwareSettings(
                0.22, true, true, true, false, true, Optional.empty(), false, 4, 3, false, false, 6, Sharding.BUCKETS);
        assertThatThrownBy(() -> new TrainPlanStage().check(with(plan, plan.precision(), odd), Path.of("")))
                .hasMessageContaining("software.moment_bytes: is 3, expected 2 or 4");
        SoftwareSettings oddGradients = new SoftwareSettings(
                0.22, true, true, true, false, true, Optional.empty(), false, 3, 4, false, false, 6, Sharding.BUCKETS);
        assertThatThrownBy(() -> new TrainPlanStage().check(with(plan, plan.precision(), oddGradients), Path.of("")))
                .hasMessageContaining("software.gradient_bytes: is 3, expected 2 or 4");
    }

    private static SoftwareSettings software(Optional<Integer> maxExpertNodes, boolean isOnceANode, boolean isLow) {
        return new SoftwareSettings(
                0.22,
                true,
                true,
                true,
                false,
                isOnceANode || isLow,
                maxExpertNodes,
                !isLow,
                4,
                isLow ? 2 : 4,
                isLow,
                isLow,
                6,
                Sharding.BUCKETS);
    }

    @Test
    void aReserveOfAllMemoryIsRefused() {
        TrainPlanSettings plan = settings(
                "llama3_8b",
                CardFiles.hardware("h100", "hardware.mem_gb=1"),
                8,
                search(List.of(), List.of(), List.of(), List.of()));
        assertThatThrownBy(() -> new TrainPlanStage().run(plan, context))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("a reserve of 1.1 GB leaves no memory on H100-SXM-80GB, hardware.mem_gb=1.0");
    }

    /** What nothing would read is refused: experts of a dense model, and a limit of nodes where every copy travels alone. */
    @Test
    void settingsOfExpertsNeedExperts() {
        SearchSettings free = search(List.of(), List.of(), List.of(), List.of());
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
    void megatronOverlapsTheExchangeWithVirtualStages(int pipeline, boolean isOverlapped) throws IOException {
        Files.createDirectories(out);
        SearchSettings fixed = new SearchSettings(
                List.of(),
                List.of(1),
                List.of(pipeline),
                List.of(),
                List.of(),
                List.of(8),
                List.of(1),
                List.of(),
                List.of(1),
                List.of(),
                List.of("1f1b"),
                1,
                false);
        TrainPlanSettings plan = settings("mixtral_8x7b", "h200", 64, fixed);
        new TrainPlanStage()
                .run(
                        with(
                                plan,
                                plan.precision(),
                                new SoftwareSettings(
                                        0.22,
                                        true,
                                        true,
                                        true,
                                        true,
                                        true,
                                        Optional.empty(),
                                        false,
                                        4,
                                        4,
                                        false,
                                        false,
                                        6,
                                        Sharding.BUCKETS)),
                        context);
        String flag = "--overlap-moe-expert-parallel-comm";
        Path file = out.resolve("best/megatron_lm.sh");
        assertThat(Files.exists(file) && Files.readString(file).contains(flag)).isEqualTo(isOverlapped);
        assertThat(context.failedChecks.isEmpty()).isEqualTo(isOverlapped);
    }

    private TrainPlanSettings measured(String steps) throws IOException {
        Files.createDirectories(out);
        Path file = out.getFileSystem().getPath("/steps.csv");
        Files.writeString(file, steps);
        TrainPlanSettings plain =
                settings("llama3_8b", "h100", 16, search(List.of(1, 2), List.of(), List.of(), List.of("1f1b")));
        return new TrainPlanSettings(
                plain.model(),
                plain.hardware(),
                plain.cluster(),
                plain.batch(),
                plain.sequence(),
                plain.precision(),
                plain.software(),
                Optional.of(file),
                plain.objective(),
                plain.search(),
                plain.run(),
                false);
    }

    @Test
    void measuredStepsCalibrateThePlan() throws IOException {
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
        assertThat(Files.readString(out.resolve("summary.md"))).contains("one step does not show");
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
    void aStepThatCannotBeIsNamedWithItsLine(String steps, String why) {
        assertThatThrownBy(() -> new TrainPlanStage().run(measured(steps.replace("\\n", "\n")), context))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("/steps.csv")
                .hasMessageContaining(why);
    }

    @Test
    void whatCannotWorkIsSaid() {
        assertThatThrownBy(() -> new TrainPlanStage()
                        .check(
                                settings("llama3_8b", "h100", 16, search(List.of(), List.of(2), List.of(), List.of())),
                                Path.of("")))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("search.ep");
        assertThatThrownBy(() -> new TrainPlanStage()
                        .check(
                                settings(
                                        "llama3_8b",
                                        "h100",
                                        16,
                                        search(List.of(), List.of(), List.of(), List.of("zbh1"))),
                                Path.of("")))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("zb_h1");
    }

    /** Nothing that fits or keeps the rules is an answer, exit code 3, with the rules as text. */
    @ParameterizedTest
    @CsvSource({"llama3_1_405b, 8, 1, fits", "llama3_8b, 16, 7, tensor divides devices", "llama3_8b, 1, 1, fits"})
    void nothingThatFitsIsAFailedCheck(String model, int devices, int tp, String why) throws IOException {
        Files.createDirectories(out);
        List<Integer> tensor = tp == 1 ? List.of() : List.of(tp);
        new TrainPlanStage()
                .run(settings(model, "h100", devices, search(tensor, List.of(), List.of(), List.of())), context);
        assertThat(context.failedChecks).hasSize(1);
        assertThat(context.failedChecks.get(0).what()).contains(why).doesNotContain("{");
        assertThat(Files.readString(out.resolve("rejected.csv"))).contains("does_not_fit", "no_framework_runs_it");
        assertThat(Files.readString(out.resolve("summary.md"))).contains(why);
        assertThat(out.resolve("best")).doesNotExist();
    }

    /** Only torchtitan has the policy, and only of dense layers. */
    @ParameterizedTest
    @CsvSource({"llama3_8b, true", "mixtral_8x7b, false"})
    void theOperatorPolicyIsTorchtitans(String model, boolean isPlanned) throws IOException {
        Files.createDirectories(out);
        SearchSettings operators = new SearchSettings(
                List.of(),
                List.of(1),
                List.of(1),
                List.of(),
                List.of(1),
                List.of(),
                List.of(3),
                List.of(),
                List.of(1),
                List.of(Recompute.OPERATORS),
                List.of(),
                1,
                false);
        new TrainPlanStage().run(settings(model, "h200", 64, operators), context);
        assertThat(context.failedChecks.isEmpty()).isEqualTo(isPlanned);
        if (isPlanned) {
            assertThat(column("frameworks")).containsOnly("torchtitan");
            assertThat(Files.readString(out.resolve("best/torchtitan.toml"))).contains("selective_ac_option = \"op\"");
        } else {
            assertThat(Files.readString(out.resolve("rejected.csv"))).contains("operators_of_dense_layers_only,");
        }
    }

    /** What a plan leaves out of a card is in its conditions and a warning, with an answer and without one. */
    @ParameterizedTest
    @CsvSource({"64", "1"})
    void conditionsNameWhatIsLeftOut(int devices) throws IOException {
        Files.createDirectories(out);
        TrainPlanSettings plain =
                settings("mixtral_8x7b", "h100", devices, search(List.of(), List.of(), List.of(), List.of("1f1b")));
        ModelCard card = CardFiles.model("mixtral_8x7b", new String[] {"model.moe_hidden_size=1024"});
        new TrainPlanStage()
                .run(
                        new TrainPlanSettings(
                                card,
                                plain.hardware(),
                                plain.cluster(),
                                plain.batch(),
                                65_536,
                                plain.precision(),
                                plain.software(),
                                plain.measured(),
                                plain.objective(),
                                plain.search(),
                                plain.run(),
                                plain.traces()),
                        context);
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

    /** Every strategy names a framework; dense layers are never planned with norms and activations computed again. */
    @ParameterizedTest
    @CsvSource({"llama3_8b, h100, 16", "llama3_70b, h100, 256", "qwen3_30b_a3b, h200, 64", "llama3_8b, a100_40gb, 8"})
    void onlyStrategiesThatAFrameworkRunsArePlanned(String model, String hardware, int devices) throws IOException {
        Files.createDirectories(out);
        new TrainPlanStage()
                .run(settings(model, hardware, devices, search(List.of(), List.of(), List.of(), List.of())), context);
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

    /** Every shipped device gives a plan, or says why there is none: over links, hosts or networks that it lacks too. */
    @ParameterizedTest
    @MethodSource("cards")
    void everyCardIsPlannedOrRefused(String card) throws IOException {
        HardwareCard hardware = CardFiles.hardware(card);
        List<Integer> candidate = List.of(1);
        SearchSettings few = new SearchSettings(
                List.of(),
                List.of(1, 2),
                candidate,
                List.of(),
                candidate,
                List.of(),
                candidate,
                List.of(),
                candidate,
                List.of(Recompute.NONE),
                List.of("1f1b"),
                1,
                false);
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

    /** A strategy that no framework runs is planned only if it is asked for, and is marked. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void hypotheticalStrategiesAreMarked(boolean isHypothetical) throws IOException {
        Files.createDirectories(out);
        SearchSettings pointwise = new SearchSettings(
                List.of(),
                List.of(),
                List.of(1),
                List.of(),
                List.of(),
                List.of(),
                List.of(3),
                List.of(),
                List.of(),
                List.of(Recompute.POINTWISE),
                List.of(),
                3,
                isHypothetical);
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
