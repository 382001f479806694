package dev.stagesim.feature.plan;

import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import dev.stagesim.config.bind.SettingsContract;
import dev.stagesim.feature.plan.PlanSettings.PlanGoal;
import dev.stagesim.io.csv.TableReader;
import dev.stagesim.measure.Defaults;
import dev.stagesim.measure.EveryKey;
import dev.stagesim.model.KeyRecord;
import dev.stagesim.model.StageException;
import dev.stagesim.model.card.CardFiles;
import dev.stagesim.model.card.Precision;
import dev.stagesim.serving.PoolSimulator;
import dev.stagesim.serving.ServingWorkload;
import dev.stagesim.serving.tables.RequestTables;
import dev.stagesim.serving.workload.SharingSettings;
import dev.stagesim.sim.serving.settings.Speculation;
import dev.stagesim.stage.FakeContext;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class PlanStageTest {
    private static final String DEFAULTS = "ttft_p99_ms<500,tpot_p99_ms<50";
    private static final PlanSettings.Search SMALL =
            Plans.search(List.of(1, 2), List.of(Precision.BF16), List.of(256), List.of(2048));

    private final Path root = Jimfs.newFileSystem(Configuration.unix()).getPath("/run");

    private FakeContext context(String name) throws IOException {
        Path out = Files.createDirectories(root.resolve(name));
        return new FakeContext(out, Path.of("").toAbsolutePath())
                .with("workload", Plans.requests(root.resolve("workload")), "workload")
                .with("workload_2", Plans.requests(root.resolve("workload_2")), "workload");
    }

    @BeforeEach
    void create() throws IOException {
        Files.createDirectories(root);
    }

    @Test
    void bindsDefaults() {
        SettingsContract.assertDefaults(Defaults.of(
                PlanSettings.class,
                Map.ofEntries(entry(
                        "search",
                        KeyRecord.of(
                                PlanSettings.Search.class,
                                Map.ofEntries(
                                        entry("maxNumSeqs", List.of(64, 128, 256, 512, 1024)),
                                        entry("maxNumBatchedTokens", List.of(512, 1024, 2048, 4096, 8192, 16384)),
                                        entry("prefillScheduleInterval", List.of(1)),
                                        entry("poolSimulations", 24)))))));
    }

    @Test
    void bindsEveryKey() {
        SettingsContract.assertEveryKeyNonDefault(EveryKey.of(
                PlanSettings.class,
                Map.ofEntries(
                        entry("goal", PlanGoal.LATENCY),
                        entry("devices", Optional.of(16)),
                        entry("load", Optional.of(20.0)),
                        entry("slo", Optional.of("e2e_p50_ms<9")),
                        entry("engines", Map.of("x", EveryKey.engine())),
                        entry(
                                "search",
                                KeyRecord.of(
                                        PlanSettings.Search.class,
                                        Map.ofEntries(
                                                entry("engines", List.of("x")),
                                                entry("tp", List.of(2)),
                                                entry("pp", List.of(2)),
                                                entry("weights", List.of(Precision.FP8)),
                                                entry("kvCache", List.of(Precision.FP8)),
                                                entry("maxNumSeqs", List.of(8)),
                                                entry("maxNumBatchedTokens", List.of(1024)),
                                                entry("maxReplicas", 7),
                                                entry("dp", List.of(2)),
                                                entry("expertParallel", List.of(true)),
                                                entry("prefillScheduleInterval", List.of(4)),
                                                entry("draftTokens", List.of(2)),
                                                entry("draftMethod", Optional.of(Speculation.Method.EAGLE)),
                                                entry("draftAcceptance", List.of(0.5)),
                                                entry("finalists", 2),
                                                entry("simulations", 9),
                                                entry("routers", List.of(PoolSimulator.Router.PREFIX)),
                                                entry("pools", true),
                                                entry("outputHardware", Optional.of(EveryKey.hardware())),
                                                entry("poolSimulations", 5)))),
                        entry("priceUsdHr", Optional.of(2.0)),
                        entry("memoryUtilization", Optional.of(0.8)),
                        entry("requests", Optional.of(500)),
                        entry("seeds", 5))));
    }

    @Test
    void writesTheSameArtifactsTwice() throws IOException {
        PlanSettings settings = Plans.settings("llama3_8b", "h100", 8, DEFAULTS, SMALL, "vllm_v1", "trtllm");
        List<String> texts = new ArrayList<>();
        for (String name : List.of("one", "other")) {
            FakeContext context = context(name);
            new PlanStage().run(settings, context);
            Path out = context.out();
            assertThat(context.failedChecks).isEmpty();
            assertThat(context.headlines.get("replicas")).isEqualTo(1.0);
            assertThat(context.headlines.get("devices")).isEqualTo(1.0);
            assertThat(context.headlines.get("usd_per_month")).isEqualTo(2.95 * 730);
            assertThat(context.headlines.get("max_load")).isGreaterThan(8);
            assertThat(Files.readString(out.resolve("best/command.sh"))).contains("Meta-Llama-3-8B");
            assertThat(Files.readString(out.resolve("report.html")))
                    .containsSubsequence(
                            "class=\"verdict",
                            "Throughput per device over throughput per user",
                            "Pareto front",
                            "Feasible deployments",
                            "Rejected candidates",
                            "Confidence");
            String summary = Files.readString(out.resolve("summary.md"));
            assertThat(summary.lines().skip(2).findFirst().orElseThrow())
                    .contains("1 copy of", "1 × H100-SXM-80GB", "USD per month", "P99 TTFT", "(limit 500)")
                    .containsPattern(
                            "headroom \\d+ %( or more)? in load and \\d+ % in the SLO; no published error of TPOT or TTFT;"
                                    + " median published error of E2E \\d+ % \\(\\d+ rows of dense up to 15 B under trtllm on H100");
            assertThat(summary)
                    .doesNotContain("{", "more_expensive")
                    .containsSubsequence(
                            "## Feasible deployments", "## Rejected candidates", "| costs more |", "## Command");
            assertThat(context.output)
                    .hasSize(2)
                    .element(1)
                    .asString()
                    .startsWith("simulate it: ./stage vidur_sim ")
                    .contains(" replicas=1 rate=8");
            assertThat(summary).contains("for the worst of 2 seeds", "Conditions: meta-llama/Meta-Llama-3-8B");
            assertThat(context.headlines).containsEntry("seeds", 2.0);
            assertThat(context.headlines.get("load_headroom_pct")).isPositive();
            assertThat(context.headlines.get("slo_margin_pct")).isBetween(0.0, 100.0);
            texts.add(summary + Files.readString(out.resolve("plan_candidates.csv")));
        }
        assertThat(texts.get(0)).isEqualTo(texts.get(1));
    }

    @Test
    void explainsEveryRejectedShape() throws IOException {
        FakeContext context = context("one");
        new PlanStage()
                .run(
                        Plans.settings(
                                "llama3_70b",
                                "h100",
                                2,
                                DEFAULTS,
                                Plans.search(List.of(1, 3, 4, 8), List.of(Precision.BF16), List.of(256), List.of(2048)),
                                "vllm_v1"),
                        context);
        List<String> statuses = new ArrayList<>();
        try (TableReader table =
                TableReader.open(context.out().resolve("plan_candidates.csv"), PlanTables.CANDIDATES)) {
            while (table.next()) {
                statuses.add(table.longAt(table.column("tp")) + " " + table.stringAt(table.column("status")));
                assertThat(table.stringAt(table.column("reason"))).isNotEmpty();
            }
        }
        assertThat(statuses)
                .containsExactlyInAnyOrder("4 winner", "1 out_of_memory", "3 unsupported", "8 more_expensive");
    }

    /** The answer names the nearest evidence, equal lengths and untried precisions. */
    @Test
    void saysWhatLimitsTheAnswer() throws IOException {
        Path workload = Files.createDirectories(root.resolve("equal"));
        RequestTables.lengths(workload, 200, i -> "p" + i, i -> 1000, i -> 50);
        RequestTables.intervals(workload, 200, i -> (long) (1e9 * i));
        FakeContext context = new FakeContext(
                        Files.createDirectories(root.resolve("limits")),
                        Path.of(System.getProperty("stagesim.home", "")).toAbsolutePath())
                .with("workload", workload, "workload")
                .with("workload_2", workload, "workload");
        new PlanStage().run(Plans.settings("llama3_70b", "b200", 2, DEFAULTS, SMALL, "vllm_v1"), context);
        assertThat(context.warnings).anyMatch(text -> text.contains("prompt_tokens=500..1500"));
        assertThat(Files.readString(context.out().resolve("summary.md")))
                .contains("confidence unknown", "; nearest: median published error of TPOT ", "on B200-SXM-180GB");
        assertThat(Files.readString(context.out().resolve("report.html"))).contains("search.weights=[fp8,nvfp4]");
    }

    @Test
    void failsTheCheckWithoutAFeasibleDeployment() throws IOException {
        FakeContext context = context("one");
        PlanSettings settings = Plans.settings("llama3_8b", "h100", 8, "tpot_p99_ms<0.1", SMALL, "vllm_v1");
        new PlanStage().run(settings, context);
        assertThat(context.failedChecks).hasSize(1);
        assertThat(context.failedChecks.get(0).what())
                .contains("no deployment on H100-SXM-80GB", "P99 TPOT is at least", "(limit 0.1)");
        assertThat(Files.readString(context.out().resolve("summary.md"))).contains("No deployment on H100-SXM-80GB");
        assertThat(context.out().resolve("best")).doesNotExist();
    }

    @Test
    void suggestsMoreDevicesOnlyForTheirMinimum() throws IOException {
        Path workload = Files.createDirectories(root.resolve("equal"));
        RequestTables.lengths(workload, 200, i -> "p" + i, i -> 1000, i -> 50);
        RequestTables.intervals(workload, 200, i -> (long) (1e9 * i));
        for (PlanGoal goal : PlanGoal.values()) {
            FakeContext context = context(goal.name())
                    .with("workload", workload, "workload")
                    .with("workload_2", workload, "workload");
            PlanSettings settings = Plans.settings("llama3_8b", "h100", 10, DEFAULTS, SMALL, "vllm_v1");
            new PlanStage()
                    .run(
                            KeyRecord.with(
                                    PlanSettings.class, settings, Map.of("goal", goal, "load", Optional.empty())),
                            context);
            assertThat(context.warnings.stream().anyMatch(text -> text.contains("need more devices")))
                    .isEqualTo(goal == PlanGoal.CHEAPEST);
        }
    }

    @Test
    void suggestsPoolsForAMixtureOfExpertsOnSeveralNodes() throws IOException {
        RequestSamples requests = Plans.read(root);
        PlanSettings.Search node = Plans.search(List.of(8), List.of(Precision.FP8), List.of(256), List.of(2048));
        for (double load : new double[] {1, 200}) {
            for (String model : List.of("deepseek_v3", "llama3_70b")) {
                PlanSettings settings = Plans.settings(model, "h200", load, DEFAULTS, node, "vllm_v1");
                assertThat(estimated(settings, requests).warnings().stream()
                                .anyMatch(text -> text.contains("search.pools=true")))
                        .isEqualTo(load > 1 && model.equals("deepseek_v3"));
            }
        }
    }

    /** The smallest number of copies is found even beyond the limit on simulations. */
    @Test
    void reportsAtMostTheTotalAsDone() throws IOException {
        FakeContext context = context("progress");
        PlanSettings.Search one = KeyRecord.with(PlanSettings.Search.class, SMALL, Map.of("simulations", 1));
        new PlanStage().run(Plans.settings("llama3_8b", "h100", 60, DEFAULTS, one, "vllm_v1"), context);
        List<long[]> counts = context.progress.stream()
                .map(text -> Arrays.stream(text.replaceAll("[^0-9/]", "").split("/"))
                        .mapToLong(Long::parseLong)
                        .toArray())
                .toList();
        assertThat(counts).anyMatch(count -> count[0] > 1).allMatch(count -> count[0] <= count[1]);
    }

    /** A higher limit than the search can use does not take longer. */
    @Test
    void expectsTheTimeOfThePossibleShapes() throws IOException {
        List<Double> seconds = new ArrayList<>();
        for (int limit : new int[] {1, 2, 2000}) {
            FakeContext context = context("limit" + limit);
            PlanSettings.Search search = KeyRecord.with(PlanSettings.Search.class, SMALL, Map.of("simulations", limit));
            new PlanStage().run(Plans.settings("llama3_8b", "h100", 8, DEFAULTS, search, "vllm_v1"), context);
            seconds.add(context.expected.get(0).seconds());
        }
        assertThat(seconds.get(1)).isEqualTo(2 * seconds.get(0)).isEqualTo(seconds.get(2));
    }

    /** The limit on simulations is no evidence that nothing meets the SLO. */
    @Test
    void namesTheLimitIfItEndsTheSearch() throws IOException {
        PlanSettings.Search few = KeyRecord.with(
                PlanSettings.Search.class,
                Plans.search(List.of(1, 2), List.of(Precision.BF16), List.of(64, 256), List.of(512, 2048)),
                Map.of("simulations", 1, "maxReplicas", 1));
        for (PlanGoal goal : List.of(PlanGoal.CHEAPEST, PlanGoal.LATENCY)) {
            FakeContext context = context(goal.name());
            PlanSettings settings = Plans.settings("llama3_8b", "h100", 30, "ttft_p99_ms<30", few, "vllm_v1");
            new PlanStage().run(KeyRecord.with(PlanSettings.class, settings, Map.of("goal", goal)), context);
            assertThat(context.failedChecks.get(0).what())
                    .startsWith("none of the simulated deployments on ")
                    .contains(" meets the SLO at 30 requests/s, in 1 simulation; ")
                    .contains(" not simulated: set search.simulations=4; the nearest candidate, vllm_v1 with ");
            assertThat(context.warnings).noneMatch(text -> text.contains("search.simulations"));
        }
    }

    /** Simulations of this device with up to 1,024 copies need more than a gigabyte of heap. */
    @Test
    void skipsSimulationsWhenASinglePromptMissesTheSlo() throws IOException {
        FakeContext context = context("one");
        PlanSettings settings = Plans.settings("llama3_8b", "h100", 8, DEFAULTS, SMALL, "vllm_v1")
                .on(CardFiles.hardware("h100", "hardware.kernels.attention_compute=0.000001"));
        new PlanStage().run(settings, context);
        assertThat(context.failedChecks.get(0).what()).contains("P99 TTFT is at least", "(limit 500)");
        assertThat(context.headlines).containsEntry("simulations", 0.0);
    }

    /** An SLO limit equal to the simulated metric leaves no margin, so the plan has a warning and no recommendation. */
    @Test
    void warnsOfAPlanWithoutHeadroom() throws IOException {
        PlanSettings.Search one = Plans.search(List.of(1), List.of(Precision.BF16), List.of(256), List.of(2048));
        Map<String, Boolean> warned = new TreeMap<>();
        double exact = 0;
        for (String slack : List.of("wide", "exact")) {
            FakeContext context = context(slack);
            String slo = slack.equals("wide") ? "ttft_p99_ms<5000" : "ttft_p99_ms<" + exact * 1.005;
            new PlanStage().run(Plans.settings("llama3_8b", "h100", 8, slo, one, "vllm_v1"), context);
            exact = context.headlines.get("ttft_p99_ms");
            String answer = Files.readString(context.out().resolve("report.html"));
            warned.put(slack, answer.contains("⚠") && !answer.contains("✓"));
            assertThat(context.warnings.stream().anyMatch(text -> text.contains("headroom")))
                    .isEqualTo(slack.equals("exact"));
        }
        assertThat(warned).isEqualTo(Map.of("wide", false, "exact", true));
    }

    /** Among deployments of equal cost, a dominated one never wins. */
    @Test
    void choosesAWinnerOnTheParetoFront() throws IOException {
        for (double load : new double[] {1, 8}) {
            FakeContext context = context("load" + load);
            new PlanStage()
                    .run(Plans.settings("llama3_8b", "h100", load, DEFAULTS, SMALL, "sglang", "vllm_v1"), context);
            try (TableReader table =
                    TableReader.open(context.out().resolve("plan_candidates.csv"), PlanTables.CANDIDATES)) {
                assertThat(table.next()).isTrue();
                assertThat(table.stringAt(table.column("status"))).isEqualTo("winner");
                assertThat(table.stringAt(table.column("pareto"))).isEqualTo("true");
            }
        }
    }

    @Test
    void countsEverySeedOnce() throws IOException {
        FakeContext context = context("one").with("workload_3", Plans.requests(root.resolve("workload_3")), "workload");
        PlanSettings settings = KeyRecord.with(
                PlanSettings.class,
                Plans.settings("llama3_8b", "h100", 8, DEFAULTS, SMALL, "vllm_v1"),
                Map.of("seeds", 3));
        new PlanStage().run(settings, context);
        try (TableReader table =
                TableReader.open(context.out().resolve("plan_candidates.csv"), PlanTables.CANDIDATES)) {
            assertThat(table.next()).isTrue();
            assertThat(table.longAt(table.column("seeds_simulated"))).isEqualTo(3);
            assertThat(table.doubleAt(table.column("tokens_s_device"))).isPositive();
        }
        assertThat(Files.readString(context.out().resolve("summary.md")))
                .containsPattern(
                        "median published error of TPOT \\d+ % \\(\\d+ rows of dense up to 15 B under vllm_v1 on"
                                + " H100-SXM-80GB\\)");
    }

    @Test
    void reportsAnOverload() throws IOException {
        FakeContext context = context("one");
        new PlanStage().run(Plans.settings("llama3_8b", "h100", 9000, DEFAULTS, SMALL, "vllm_v1"), context);
        assertThat(context.failedChecks.get(0).what()).contains("128 devices", "requests pile up");
    }

    @Test
    void rejectsInvalidSlosAndMissingEngines() {
        PlanSettings mistyped = Plans.settings("llama3_8b", "h100", 8, "ttft_p9_ms<500,x", SMALL, "vllm_v1");
        assertThatThrownBy(() -> new PlanStage().check(mistyped, Path.of("")))
                .isInstanceOfSatisfying(StageException.class, e -> {
                    assertThat(e.problems().get(0).render()).contains("did you mean", "ttft_p99_ms");
                    assertThat(e.problems().get(1).what()).contains("'x' is not an upper bound");
                });
        PlanSettings empty = Plans.settings("llama3_8b", "h100", 8, DEFAULTS, SMALL);
        assertThatThrownBy(() -> new PlanStage().check(empty, Path.of("")))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("engines: contains no engine");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "ttft_p99_ms<5e",
                "ttft_p99_ms<.",
                "ttft_p99_ms<1e999",
                "ttft_p99_ms<0",
                "ttft_p99_ms<1..2",
                "ttft=5",
                "ttft<5h",
                "a,b<5",
                ""
            })
    void rejectsBoundsThatAreNotPositive(String slo) {
        assertThatThrownBy(() -> Slo.parse(slo))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("is not an upper bound");
    }

    /** Planners write percentiles and units in several ways. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "ttft_p99_ms<500,tpot_p99_ms<50",
                "ttft_p99_ms <= 500 , tpot_p99_ms<5e1",
                "ttft_p99<500ms,tpot_p99<50ms",
                "p99_ttft_ms<500 p99_tpot<0.05s",
                "TTFT<500 TPOT<50",
                "ttft_p99_s<0.5,tpot<50 ms",
            })
    void readsBoundsInSeveralForms(String slo) {
        assertThat(Slo.parse(slo).bounds())
                .containsExactly(new Slo.SloBound("ttft_p99_ms", 500), new Slo.SloBound("tpot_p99_ms", 50));
    }

    @ParameterizedTest
    @ValueSource(strings = {"itl_p99_ms<5", "ttft_p98_ms<5", "p99_ttft_p50<5", "ttft_p99_min<5", "latency<5"})
    void rejectsUnknownMetrics(String slo) {
        assertThatThrownBy(() -> Slo.parse(slo))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("unknown metric");
    }

    @Test
    void rejectsUnsupportedEnginesAndLimits() {
        for (String engine : List.of("llama_cpp", "trtllm_engine")) {
            PlanSettings other = Plans.settings("llama3_8b", "h100", 8, DEFAULTS, SMALL, "vllm_v1", engine);
            assertThatThrownBy(() -> new PlanStage().check(other, Path.of("")))
                    .isInstanceOf(StageException.class)
                    .hasMessageContaining("engines." + engine);
        }
        PlanSettings.Search other = KeyRecord.with(PlanSettings.Search.class, SMALL, Map.of("engines", List.of("vlm")));
        assertThatThrownBy(() -> new PlanStage()
                        .check(Plans.settings("llama3_8b", "h100", 8, DEFAULTS, other, "vllm_v1"), Path.of("")))
                .isInstanceOf(StageException.class)
                .hasMessageContainingAll("search.engines", "vlm", "vllm_v1");
        PlanSettings.Search none = Plans.search(List.of(1), List.of(Precision.BF16), List.of(1024), List.of(512));
        PlanSettings limits = Plans.settings("llama3_8b", "h100", 8, DEFAULTS, none, "vllm_v1");
        assertThatThrownBy(() -> new PlanStage().check(limits, Path.of("")))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("search.max_num_seqs");
    }

    @Test
    void comparesTheNamedEnginesOnly() {
        PlanSettings.Search one =
                KeyRecord.with(PlanSettings.Search.class, SMALL, Map.of("engines", List.of("trtllm")));
        PlanSettings settings = Plans.settings("llama3_8b", "h100", 8, DEFAULTS, one, "sglang", "trtllm", "vllm_v1");
        assertThat(new DeploymentSpace(settings).shapes()).isNotEmpty().allMatch(shape -> shape.engine()
                .equals("trtllm"));
    }

    @Test
    void plansWithoutATpotBound() throws IOException {
        FakeContext context = context("one");
        PlanSettings.Search tight = Plans.search(List.of(1), List.of(Precision.BF16), List.of(64, 512), List.of(512));
        new PlanStage().run(Plans.settings("llama3_8b", "h100", 40, "e2e_p99_ms<60000", tight, "vllm_v1"), context);
        assertThat(context.failedChecks).isEmpty();
        assertThat(context.headlines.get("replicas")).isPositive();
    }

    /** Every shipped device gives a plan, no feasible deployment, or an error that names the key. */
    @Test
    @Tag("long")
    void plansOrRejectsEveryCard() throws IOException {
        List<String> cards;
        try (Stream<Path> files = Files.list(Path.of("configs/hardware").toAbsolutePath())) {
            cards = files.map(file -> file.getFileName().toString().replace(".conf", ""))
                    .filter(card -> !card.equals("local"))
                    .sorted()
                    .toList();
        }
        planOrReject(cards);
    }

    @Test
    void plansOrRejectsCardsOfSeveralKinds() throws IOException {
        planOrReject(List.of("gaudi3", "groq_lpu_v1", "mi300x", "tpu_v5e"));
    }

    private void planOrReject(List<String> cards) throws IOException {
        PlanSettings.Search few = Plans.search(List.of(2), List.of(), List.of(64), List.of(512));
        for (String card : cards) {
            FakeContext context = context(card);
            PlanSettings settings = Plans.settings("qwen3_0_6b", card, 1, "ttft_p99_ms<1e7", few, "vllm_v1");
            try {
                new PlanStage().check(settings, Path.of(""));
            } catch (StageException refused) {
                assertThat(refused.problems()).isNotEmpty();
                continue;
            }
            new PlanStage().run(settings, context);
            assertThat(context.headlines.containsKey("devices") || context.failedChecks.size() == 1)
                    .as(card)
                    .isTrue();
        }
    }

    /** Models with few or no layers of a kind must not cause a division by an absent cache. */
    @ParameterizedTest
    @Tag("long")
    @ValueSource(strings = {"attention_layers=0", "num_layers=1", "num_layers=1,attention_layers=0", "num_kv_heads=1"})
    void plansDegenerateModels(String changes) throws IOException {
        planDegenerate(changes);
    }

    @Test
    void plansAModelOfOneLayerWithoutAttention() throws IOException {
        planDegenerate("num_layers=1,attention_layers=0");
    }

    private void planDegenerate(String changes) throws IOException {
        FakeContext context = context("degenerate");
        PlanSettings usual = Plans.settings("llama3_8b", "h100", 2, DEFAULTS, SMALL, "vllm_v1", "sglang");
        PlanSettings settings = KeyRecord.with(
                PlanSettings.class,
                usual,
                Map.of(
                        "model",
                        CardFiles.model(
                                "llama3_8b",
                                Stream.of(changes.split(","))
                                        .map(c -> "model." + c)
                                        .toArray(String[]::new))));
        new PlanStage().run(settings, context);
        assertThat(context.headlines.get("devices")).isEqualTo(1.0);
        assertThat(Files.readString(context.out().resolve("plan_candidates.csv")))
                .doesNotContain(",-");
    }

    @Test
    void drawsTheNumberOfRequestsOfTheLoad() {
        PlanSettings settings = Plans.settings("llama3_8b", "h100", 8, DEFAULTS, SMALL, "vllm_v1");
        assertThat(new PlanStage().upstreams(settings).get(0).changes()).containsEntry("workload.num_requests", 200);
    }

    /** Scaled arrivals would change the times between the turns of a session. */
    @Test
    void drawsSessionsAtTheLoad() throws IOException {
        PlanSettings plain = Plans.settings("llama3_8b", "h100", 8, DEFAULTS, SMALL, "vllm_v1");
        assertThat(new PlanStage().upstreams(plain).get(0).changes()).doesNotContainKey("arrival.qps");
        ServingWorkload turns = KeyRecord.with(
                ServingWorkload.class,
                (ServingWorkload) plain.workload(),
                Map.of("sharing", new SharingSettings.Sessions(4, 30, 0)));
        PlanSettings settings = KeyRecord.with(PlanSettings.class, plain, Map.of("workload", turns));
        assertThat(new PlanStage().upstreams(settings).get(0).changes()).containsEntry("arrival.qps", 8.0);
        RequestSamples requests = Plans.read(root);
        double rate = requests.originalRate();
        assertThat(estimated(settings.at(rate), requests).warnings()).noneMatch(text -> text.contains("between turns"));
        assertThat(estimated(settings.at(2 * rate), requests).warnings())
                .anyMatch(text -> text.contains("between turns"));
        assertThat(estimated(plain.at(2 * rate), requests).warnings())
                .noneMatch(text -> text.contains("between turns"));
    }

    private static ServingPlan estimated(PlanSettings settings, RequestSamples requests) throws IOException {
        return ServingPlan.estimated(settings, requests, Path.of("").toAbsolutePath());
    }
}
