package dev.stagesim.feature.fabric;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.stagesim.contract.TableSchema;
import dev.stagesim.io.csv.TableReader;
import dev.stagesim.io.fabric.FabricTables;
import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.LocatedJson;
import dev.stagesim.model.KeyRecord;
import dev.stagesim.sim.serving.spec.SchedulerSettings;
import dev.stagesim.stage.FakeContext;
import dev.stagesim.stage.Upstream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class FabricStageTest {
    private static final String CLOSED = "source=semi_empirical";
    private static final String[] SMALL = {
        "source=measured",
        "real.dir=unread",
        "search.schedulers=[vllm_v1,sarathi]",
        "search.batch_sizes=[16]",
        "search.chunk_sizes=[512]",
        "search.tensor_parallel_sizes=[1,2]",
        "search.loads=[0.7]",
        "search.requests=40"
    };

    /** A training step on one node, read from a run. */
    private static final String[] STEP = {"workload=pretrain_8b", "workload.parallelism.dp=4", "train.dir=unread"};

    private final FabricRuns runs = new FabricRuns();

    private static List<String> column(Path dir, TableSchema schema, String name) throws IOException {
        List<String> values = new ArrayList<>();
        try (TableReader reader = TableReader.open(dir.resolve(schema.name()), schema)) {
            int column = reader.column(name);
            while (reader.next()) {
                values.add(reader.stringAt(column));
            }
        }
        return values;
    }

    private static List<String> names(Path dir) throws IOException {
        try (Stream<Path> files = Files.list(dir)) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }

    @Test
    void writesEveryFileWithTheSameBytesWhenRepeated() throws IOException {
        FakeContext first = runs.run(CLOSED);
        FakeContext second = runs.run(CLOSED);
        assertThat(first.output).singleElement().asString().contains("requires", "per million output tokens");
        assertThat(names(first.out()))
                .containsExactly(
                        "conditions.json", "fabric.json", "phases.csv", "report.html", "summary.md", "targets.csv");
        for (String name : names(first.out())) {
            assertThat(Files.readAllBytes(second.out().resolve(name)))
                    .as(name)
                    .isEqualTo(Files.readAllBytes(first.out().resolve(name)));
        }
        assertThat(column(first.out(), FabricTables.TARGETS, "target"))
                .contains("h100_8x", "h200_8x", "a100_8x", "b200_8x", "mi300x_8x", "l40s_8x");
        assertThat(column(first.out(), FabricTables.PHASES, "phase")).contains("night", "day", "evening");
        List<String> low = column(first.out(), FabricTables.PHASES, "low");
        List<String> value = column(first.out(), FabricTables.PHASES, "value");
        List<String> high = column(first.out(), FabricTables.PHASES, "high");
        assertThat(column(first.out(), FabricTables.PHASES, "metric")).contains("nodes", "cost_usd", "tpot_p99_ms");
        for (int i = 0; i < low.size(); i++) {
            assertThat(Double.parseDouble(value.get(i)))
                    .isBetween(Double.parseDouble(low.get(i)) - 1e-9, Double.parseDouble(high.get(i)) + 1e-9);
        }
        LocatedJson record = Json.read(first.out().resolve("fabric.json"));
        assertThat(record.get("figures").items()).isNotEmpty().allSatisfy(metric -> assertThat(
                        metric.get("value").asDouble())
                .isBetween(
                        metric.get("low").asDouble() - 1e-9, metric.get("high").asDouble() + 1e-9));
        LocatedJson conditions = Json.read(first.out().resolve("conditions.json"));
        assertThat(conditions.get("hardware").asString()).contains("8 × H100");
        assertThat(conditions.get("load").asString()).contains("requests/s");
        assertThat(conditions.get("workload").asString()).contains("prompt", "output");
        assertThat(conditions.get("engine").asString()).contains("semi_empirical");
        assertThat(Files.readString(first.out().resolve("report.html"))).contains("Targets side by side");
        assertThat(first.headlines).containsKeys("cost_usd", "ttft_p99_ms", "co2_kg");
    }

    @Test
    @Tag("acceptance")
    void lowersCostWithThePriceAndRaisesItWithTheLoad() throws IOException {
        double average = runs.run(CLOSED, "target.cost.hourly_usd=20").headlines.get("cost_usd");
        double cheap = runs.run(CLOSED, "target.cost.hourly_usd=10").headlines.get("cost_usd");
        assertThat(cheap).isEqualTo(average / 2);
        double busy = runs.run(
                        CLOSED, "target.cost.hourly_usd=20", "workload.schedule.phases.1.arrival.requests_per_sec=700")
                .headlines
                .get("cost_usd");
        assertThat(busy).isGreaterThan(average);
        double fixed = runs.run(CLOSED, "target.cost.hourly_usd=20", "autoscale.enabled=false")
                .headlines
                .get("cost_usd");
        assertThat(fixed).isGreaterThan(average);
    }

    @Test
    @Tag("acceptance")
    void plansTrainingStepsAndExplainsEveryRejectedCandidate() throws IOException {
        FakeContext run = runs.run(CLOSED, "workload=pretrain_8b", "optimize=true", "slo.step_ms=2000");
        assertThat(run.output.peek()).startsWith("searches all ").contains("targets", "not only the requested");
        assertThat(run.headlines).containsKeys("step_ms", "winner_usd_per_mtok").doesNotContainKey("ttft_p99_ms");
        List<String> statuses = column(run.out(), FabricTables.CANDIDATES, "status");
        List<String> reasons = column(run.out(), FabricTables.CANDIDATES, "reason");
        assertThat(statuses).hasSize(576).contains("front", "dominated", "slo", "infeasible");
        for (int i = 0; i < statuses.size(); i++) {
            assertThat(reasons.get(i).isEmpty())
                    .as(statuses.get(i))
                    .isEqualTo(statuses.get(i).equals("front"));
        }
        LocatedJson winner = Json.read(run.out().resolve("fabric.json")).get("winner");
        assertThat(winner.get("figures").get("step_ms").asDouble()).isLessThanOrEqualTo(2000);
        assertThat(statuses.get(winner.get("candidate").asInt())).isEqualTo("front");
    }

    @Test
    @Tag("acceptance")
    void failsTheCheckWhenNoCandidateMeetsTheSlo() throws IOException {
        failsTheCheck("search.tensor_parallel_sizes=[1]", "search.loads=[0.7]");
    }

    @Test
    @Tag("long")
    void failsTheCheckWhenNoCandidateOfTheWholeSearchMeetsTheSlo() throws IOException {
        failsTheCheck("optimize=true", "optimize=true");
    }

    private void failsTheCheck(String first, String second) throws IOException {
        FakeContext run = runs.run(CLOSED, "optimize=true", first, second, "slo.p99_ttft_ms=0.001");
        assertThat(run.failedChecks).singleElement().satisfies(check -> assertThat(check.what())
                .contains("no candidate meets it"));
        assertThat(runs.run(CLOSED, "optimize=true", first, second).failedChecks)
                .isEmpty();
    }

    @Test
    void includesTheEstimateInEveryRange() throws IOException {
        for (String rate : List.of("3", "40", "333")) {
            FakeContext run = runs.run(CLOSED, "workload.schedule.phases.1.arrival.requests_per_sec=" + rate);
            List<String> metrics = column(run.out(), FabricTables.TARGETS, "metric");
            List<String> values = column(run.out(), FabricTables.TARGETS, "value");
            List<String> lows = column(run.out(), FabricTables.TARGETS, "low");
            List<String> highs = column(run.out(), FabricTables.TARGETS, "high");
            assertThat(lows).anyMatch(low -> !low.isEmpty());
            for (int i = 0; i < values.size(); i++) {
                if (!lows.get(i).isEmpty()) {
                    assertThat(Double.parseDouble(values.get(i)))
                            .as(metrics.get(i))
                            .isBetween(Double.parseDouble(lows.get(i)), Double.parseDouble(highs.get(i)));
                }
            }
        }
    }

    @Test
    void simulatesTheStepOfEachTarget() throws IOException {
        FakeContext context = training(8, 3000);
        FabricRuns.run(context, STEP);
        assertThat(context.headlines.get("step_ms")).isEqualTo(3000);
        List<String> targets = column(context.out(), FabricTables.TARGETS, "target");
        List<String> metrics = column(context.out(), FabricTables.TARGETS, "metric");
        List<String> values = column(context.out(), FabricTables.TARGETS, "value");
        List<String> evidence = column(context.out(), FabricTables.TARGETS, "evidence");
        for (int i = 0; i < targets.size(); i++) {
            boolean requested = targets.get(i).equals("h100_8x");
            assertThat(evidence.get(i)).startsWith(requested ? "../../astra_sim/" : "evaluations/");
            if (metrics.get(i).equals("step_ms") && !requested) {
                assertThat(Double.parseDouble(values.get(i))).as(targets.get(i)).isBetween(300.0, 8000.0);
            }
        }
        assertThat(targets).contains("b200_8x", "a100_8x");
        assertThatThrownBy(() -> FabricRuns.run(training(4, 5), STEP))
                .hasMessageContaining("on 4 devices, but workload pretrain_8b states 8");
    }

    @Test
    void simulatesTheWholeFrontOfTraining() throws IOException {
        List<String> label = new ArrayList<>(List.of(STEP));
        label.addAll(List.of(
                "optimize=true",
                "search.tensor_parallel_sizes=[2,4]",
                "search.training_nodes=[1]",
                "search.microbatches=[1,2]"));
        FakeContext context = training(8, 1500);
        FabricRuns.run(context, label.toArray(String[]::new));
        List<String> statuses = column(context.out(), FabricTables.CANDIDATES, "status");
        List<String> evaluations = column(context.out(), FabricTables.CANDIDATES, "step_evaluation");
        assertThat(statuses).hasSize(24).contains("front", "dominated");
        for (int i = 0; i < statuses.size(); i++) {
            if (statuses.get(i).equals("front")) {
                assertThat(evaluations.get(i)).isNotEmpty();
            }
        }
        assertThat(column(context.out(), FabricTables.EVALUATIONS, "kind")).containsOnly("step");
        LocatedJson winner = Json.read(context.out().resolve("fabric.json")).get("winner");
        assertThat(statuses.get(winner.get("candidate").asInt())).isEqualTo("front");
    }

    private FakeContext training(int npus, double ms) throws IOException {
        Path workload = runs.workload("workload=pretrain_8b", "workload.parallelism.dp=4");
        Path run = MeasuredRuns.step(runs.files.getPath("/step" + npus), npus, ms);
        Path out = Files.createDirectories(runs.files.getPath("/trained" + npus));
        return new FakeContext(out, FabricRuns.HOME)
                .with("workload", workload, "workload")
                .with("train", run, "astra_sim");
    }

    @Test
    void searchesEverySchedulerWithItsLimits() {
        FabricStageSettings settings = FabricRuns.settings(
                "search.schedulers=[vllm_v1,sglang,vllm,sarathi]",
                "search.batch_sizes=[64]",
                "search.chunk_sizes=[32,512]",
                "search.tensor_parallel_sizes=[1]",
                "search.loads=[0.7]",
                "scheduler.gpu_memory_utilization=0.5");
        assertThat(new FabricSearchSpace(
                                settings.optimizer().search(),
                                Map.of("h100_8x", settings.machines().target()),
                                settings.serving().scheduler())
                        .serving(9000).stream()
                                .map(candidate -> candidate.deployment().policy()))
                .containsExactly(
                        "vllm_v1, max_num_seqs 64, max_num_batched_tokens 64",
                        "vllm_v1, max_num_seqs 64, max_num_batched_tokens 512",
                        "sglang, max_running_requests 64, chunked_prefill_size 32",
                        "sglang, max_running_requests 64, chunked_prefill_size 512",
                        "vllm, batch 64",
                        "sarathi, chunk 32, batch 64",
                        "sarathi, chunk 512, batch 64");
        assertThat(new FabricSearchSpace(
                                settings.optimizer().search(),
                                Map.of("h100_8x", settings.machines().target()),
                                settings.serving().scheduler())
                        .serving(9000)
                        .get(0)
                        .deployment()
                        .scheduler())
                .isEqualTo(KeyRecord.with(
                        SchedulerSettings.VllmV1.class,
                        (SchedulerSettings.VllmV1) settings.serving().scheduler(),
                        Map.of("maxNumSeqs", Optional.of(64), "maxNumBatchedTokens", Optional.of(64))));
    }

    @Test
    void rejectsEnginesThatShareDevices() {
        assertThatThrownBy(() -> new FabricStage()
                        .check(
                                FabricRuns.settings(
                                        "scheduler.data_parallel_size=2",
                                        "scheduler.decode_context_parallel_size=2",
                                        "scheduler.prefill_schedule_interval=4"),
                                FabricRuns.HOME))
                .hasMessageContaining("scheduler.data_parallel_size")
                .hasMessageContaining("scheduler.prefill_schedule_interval")
                .hasMessageContaining("scheduler.decode_context_parallel_size")
                .hasMessageContaining("vidur_sim");
    }

    @Test
    void resumesAnInterruptedSearch() throws IOException {
        Path cache = runs.files.getPath("/cache");
        FabricPlanner first = planning(cache);
        FabricResult once = first.result();
        assertThat(first.evaluations().reused()).isZero();
        assertThat(once.candidates()).hasSize(24);
        List<Path> kept;
        try (Stream<Path> files = Files.walk(cache)) {
            kept = files.filter(file -> file.toString().endsWith(".json"))
                    .sorted()
                    .toList();
        }
        assertThat(kept).hasSize(first.evaluations().size());
        Files.delete(kept.get(0));
        Files.writeString(kept.get(1), "{\"half\":");
        FabricPlanner second = planning(cache);
        assertThat(second.result().candidates()).isEqualTo(once.candidates());
        assertThat(second.evaluations().reused()).isEqualTo(kept.size() - 2);
    }

    /** The measured run used another device, so every candidate is simulated. */
    private FabricPlanner planning(Path cache) throws IOException {
        List<String> label = new ArrayList<>(List.of(SMALL));
        label.add("optimize=true");
        FabricStageSettings settings = FabricRuns.settings(label.toArray(String[]::new));
        FakeContext context = new FakeContext(runs.files.getPath("/out"), FabricRuns.HOME)
                .withCache(cache)
                .with("real", MeasuredRuns.write(runs.files.getPath("/real"), "another device", 1, 50), "real_bench");
        return new FabricPlanner(settings, context, MeasuredRuns.entry(), Optional.empty());
    }

    @Test
    void usesAMeasuredRunOnlyForItsDevice() throws IOException {
        FakeContext context = new FakeContext(Files.createDirectories(runs.files.getPath("/measured")), FabricRuns.HOME)
                .with("workload", MeasuredRuns.workload(runs.files.getPath("/workload")), "workload")
                .with("real", MeasuredRuns.write(runs.files.getPath("/r"), "H100-SXM-80GB", 1, 50), "real_bench");
        FabricRuns.run(context, SMALL);
        assertThat(context.headlines.get("tpot_p99_ms")).isEqualTo(5.0);
        assertThat(Files.readString(context.out().resolve("targets.csv"))).contains("../../real_bench/");
    }

    @Test
    void warnsWhenAMeasuredRunWasIdle() throws IOException {
        FakeContext context = new FakeContext(Files.createDirectories(runs.files.getPath("/idle")), FabricRuns.HOME)
                .with("workload", MeasuredRuns.workload(runs.files.getPath("/workload")), "workload")
                .with("real", MeasuredRuns.write(runs.files.getPath("/r"), "H100-SXM-80GB", 1, 200), "real_bench");
        FabricRuns.run(context, SMALL);
        assertThat(context.warnings).anyMatch(text -> text.contains("was idle for 56 % of the time"));
    }

    @Test
    void readsTheParallelismOfASimulationFromItsFile(@TempDir Path dir) throws IOException {
        Path file = Files.writeString(
                dir.resolve("w.yaml"),
                """
                - {name: chat, framework: f, model_family: m, params: {hidden_size: 4096, n_layers: 32, vocab_size: 9},
                   parallelism: {tp: 2, pp: 1, dp: 4}, sequence: {prompt: 64, generate: 16},
                   precision: {weights: bf16, activations: bf16}, dataloader: replay, duration_minutes: 5, track: parity}
                """);
        String[] label = {"workload=catalog", "workload.file=" + file};
        assertThat(new FabricStage().upstreams(FabricRuns.settings(label), FabricRuns.HOME))
                .extracting(Upstream::role, Upstream::changes)
                .containsExactly(
                        tuple("workload", Map.of()),
                        tuple(
                                "sim",
                                Map.of(
                                        "cluster.tensor_parallel_size", 2,
                                        "cluster.num_pipeline_stages", 1,
                                        "cluster.replicas", 4)));
        Files.writeString(file, Files.readString(file).replace("generate: 16", "generate: 0"));
        Upstream train = new FabricStage()
                .upstreams(FabricRuns.settings(label), FabricRuns.HOME)
                .get(1);
        assertThat(train.role()).isEqualTo("train");
        assertThat(train.changes().get("network").toString())
                .contains("npus_count=[8]", "bandwidth=[450.0]", "congestion_aware");
        Files.writeString(file, Files.readString(file).replace("dp: 4", "dpp: 4"));
        assertThatThrownBy(() -> new FabricStage().check(FabricRuns.settings(label), FabricRuns.HOME))
                .hasMessageContaining("parallelism.dp");
    }

    @Test
    void readsTheParallelismOfASimulationFromItsRun(@TempDir Path dir) throws IOException {
        FabricStageSettings settings = FabricRuns.settings("workload.dir=" + MeasuredRuns.workload(dir.resolve("run")));
        assertThat(settings.serving().cluster().replicas())
                .as("like the preset")
                .isEqualTo(8);
        assertThat(new FabricStage().upstreams(settings, FabricRuns.HOME).get(1).changes())
                .containsEntry("cluster.replicas", 1);
        new FabricStage().check(settings, FabricRuns.HOME);
    }

    @Test
    void rejectsContradictionsWithTheWorkloadBeforeTheRun() {
        FabricStageSettings settings = FabricRuns.settings("cluster.replicas=3", "tuning.virt=sriov", "slo.step_ms=9");
        assertThatThrownBy(() -> new FabricStage().check(settings, FabricRuns.HOME))
                .hasMessageContaining("cluster: the simulated deployment differs from the one")
                .hasMessageContaining("tuning.virt: has no effect")
                .hasMessageContaining("slo.step_ms: has no effect");
    }

    /** A coefficient of a card must not exceed the limit of the same card. */
    @ParameterizedTest
    @CsvSource({
        "p99_multiplier=1.2, p95_multiplier",
        "p95_multiplier=9, p99_multiplier",
        "utilization=0.9, utilization_max",
        "hbm_base=0.99, hbm_max",
    })
    void rejectsContradictingCoefficientsOfACard(String override, String other) {
        assertThatThrownBy(() -> runs.run(CLOSED, "target.card." + override))
                .hasMessageContaining("target.card." + other);
    }

    @Test
    void rejectsAllIncompatibleSettingsAtOnce() {
        assertThatThrownBy(() -> runs.run(CLOSED, "model=qwen3", "slo.step_ms=5"))
                .hasMessageContaining("slo.step_ms: has no effect")
                .hasMessageContaining("leave out model");
        assertThatThrownBy(() -> runs.run("source=measured")).hasMessageContaining("real.dir");
        assertThatThrownBy(() -> runs.run(CLOSED, "workload=pretrain_8b", "slo.p99_ttft_ms=5"))
                .hasMessageContaining("serves no requests");
    }

    @Test
    void reproducesRunsOfTheReference() throws IOException {
        Path inputs = Path.of("tests-data/fabric/train_schedule").toAbsolutePath();
        FakeContext context = new FakeContext(Files.createDirectories(runs.files.getPath("/atlas")), FabricRuns.HOME);
        FabricRuns.run(
                context,
                "compat=atlas",
                "optimize=true",
                "atlas.targets=" + inputs + "/in/targets.yaml",
                "atlas.target='Rack ü 1'",
                "atlas.workloads=" + inputs + "/in/workloads.yaml",
                "atlas.workload=tale_train",
                "atlas.hardware=" + inputs + "/in/cards",
                "atlas.optimize_seed='4'");
        for (String name : List.of("Rack ü 1_tale_train_parity_1337.json", "optimized_Rack ü 1_tale_train_4.json")) {
            assertThat(Files.readString(context.out().resolve(name)).replace("1970-01-01T00:00:00", "<TS>"))
                    .isEqualTo(Files.readString(inputs.resolve("expected/out").resolve(name)));
        }
        assertThat(Files.readString(context.out().resolve("report.md"))).startsWith("# Atlas Fabric Report\\n\\n");
    }

    @Test
    void addsFurtherRecordsToTheAtlasReport() throws IOException {
        Path kept = Path.of("tests-data/fabric/knobs_and_report/expected/out").toAbsolutePath();
        FakeContext context = runs.run("compat=atlas", "atlas.records=['" + kept + "']");
        assertThat(Files.readString(context.out().resolve("report.md")))
                .contains("Total runs: 3")
                .contains("tale_train")
                .contains("chat_service");
    }

    @Test
    void warnsOfIgnoredInputs() throws IOException {
        FakeContext context = runs.run(
                CLOSED,
                "workload.precision.weights=fp8",
                "workload.schedule.phases.0.autoscale_factor=2",
                "workload.schedule.phases.1.arrival.service_cv=2");
        assertThat(context.warnings)
                .hasSize(3)
                .anyMatch(text -> text.contains("fp8"))
                .anyMatch(text -> text.contains("night") && text.contains("autoscale_factor"))
                .anyMatch(text -> text.contains("day") && text.contains("service_cv"));
        assertThatThrownBy(() -> runs.run(CLOSED, "tuning.fabric=Carrier"))
                .hasMessageContaining("'Carrier' has no factor")
                .hasMessageContaining("IB, RoCE, Vendor");
    }

    @Test
    @Tag("acceptance")
    void warnsWhenTheTargetViolatesALimit() throws IOException {
        assertThat(runs.run(CLOSED, "slo.p99_ttft_ms=0.001").warnings)
                .singleElement()
                .asString()
                .contains("violates", "P99 TTFT", "0.001 ms");
        assertThat(runs.run(CLOSED, "slo.p99_ttft_ms=100000").warnings).isEmpty();
    }

    @Test
    void reportsOverloadWhenNodesAreTooFew() throws IOException {
        FakeContext context = runs.run(CLOSED, "autoscale.max_nodes=1");
        assertThat(context.warnings).singleElement().asString().contains("load of the busiest phase", "times");
        assertThat(Files.readString(context.out().resolve("summary.md")))
                .contains("It violates: load of the busiest phase")
                .doesNotContain("cheapest target is 8 x L40S");
    }

    @Test
    void rejectsAModelThatExceedsTheMemory() throws IOException {
        assertThat(runs.run(CLOSED, "target.device.mem_gb=4").warnings)
                .singleElement()
                .asString()
                .contains("cannot run", "not enough memory");
    }

    @Test
    void acceptsPresetsOfAtlas() throws IOException {
        FakeContext context = runs.run("compat=atlas", "tuning.microbatch=8", "track=best");
        LocatedJson record = Json.read(context.out().resolve("last_run.json"));
        assertThat(record.get("knobs").get("microbatch").asInt()).isEqualTo(8);
        assertThat(record.get("track").asString()).isEqualTo("best");
        assertThat(names(context.out())).contains("8 x H100 SXM_chat_service_best_1337.json");
    }
}
