package dev.stagesim.stage.vidursim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.withinPercentage;

import dev.stagesim.contract.Tables;
import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.LocatedJson;
import dev.stagesim.model.KeyRecord;
import dev.stagesim.model.StageException;
import dev.stagesim.serving.config.SimulationSettings;
import dev.stagesim.serving.tables.SimulationTables;
import dev.stagesim.sim.serving.memory.SglangRules;
import dev.stagesim.sim.serving.memory.VllmRules;
import dev.stagesim.sim.serving.settings.SchedulePolicy;
import dev.stagesim.sim.serving.settings.Speculation;
import dev.stagesim.sim.serving.spec.GlobalPolicy;
import dev.stagesim.sim.serving.spec.SchedulerSettings.Sglang;
import dev.stagesim.sim.serving.spec.SchedulerSettings.VllmV1;
import dev.stagesim.stage.FakeContext;
import dev.stagesim.workload.CompatMode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Runs of vLLM's V1 engine and their artifacts. */
class EngineRunTest {
    private SimRuns runs;

    @BeforeEach
    void make() throws IOException {
        runs = new SimRuns();
    }

    @AfterEach
    void close() throws IOException {
        runs.files.close();
    }

    static VllmV1 engine(Optional<Integer> seqs, Optional<Integer> blocks, int drafts, double acceptance) {
        return KeyRecord.of(
                VllmV1.class,
                Map.of(
                        "maxNumSeqs",
                        seqs,
                        "numGpuBlocksOverride",
                        blocks,
                        "speculative",
                        new VllmV1.Speculative(
                                Speculation.Method.EAGLE,
                                drafts,
                                drafts == 0 && acceptance == 0.7 ? List.of() : List.of(acceptance),
                                1,
                                Optional.empty(),
                                Optional.empty(),
                                List.of())));
    }

    @Test
    void reportsAdaptersAndPrioritiesOfRequests() throws IOException {
        runs.labels(20);
        VllmV1 plain = engine(Optional.of(8), Optional.of(40), 0, 0.7);
        runs.scheduler = plain;
        assertThatThrownBy(runs::run)
                .isInstanceOf(StageException.class)
                .hasMessageContaining("workload: 10 requests require a LoRA adapter, but the engine serves none")
                .hasMessageNotContaining("tokens");

        runs.scheduler = withAdapters(plain, VllmV1.SchedulingPolicy.PRIORITY);
        FakeContext context = runs.run();

        assertThat(context.warnings).noneMatch(line -> line.contains("priorit"));
        Path out = context.out();
        assertThat(Files.readString(out.resolve("summary.md")))
                .contains("by priority")
                .contains("adapter slots of")
                .contains("| priority 0 | 5 |")
                .contains("| adapter 1 | 3 |");
        assertThat(Files.readString(out.resolve("engine.json"))).contains("adapter_loads");
        assertThat(Files.readAllLines(out.resolve("request_metrics.csv")).get(6))
                .endsWith(",3,1");
    }

    private static VllmV1 withAdapters(VllmV1 plain, VllmV1.SchedulingPolicy policy) {
        return KeyRecord.with(
                VllmV1.class, plain, Map.of("schedulingPolicy", policy, "enableLora", true, "maxLoras", 2));
    }

    @Test
    void warnsOfPrioritiesWithoutEffect() throws IOException {
        VllmV1 plain = engine(Optional.of(8), Optional.of(40), 0, 0.7);
        runs.scheduler = withAdapters(plain, VllmV1.SchedulingPolicy.PRIORITY);
        assertThat(runs.run().warnings)
                .anyMatch(line -> line.contains("scheduler.scheduling_policy=priority has no effect"));

        runs.scheduler = withAdapters(plain, VllmV1.SchedulingPolicy.FCFS);
        assertThat(runs.run().warnings).noneMatch(line -> line.contains("priorit"));
        runs.labels(20);
        assertThat(runs.run().warnings)
                .anyMatch(line -> line.contains("the scheduler ignores the priorities of the requests"));
    }

    @Test
    void namesTheEngineItsCacheAndItsDrafts() throws IOException {
        runs.scheduler = engine(Optional.of(8), Optional.of(40), 2, 1.0);
        runs.report = true;

        Path out = runs.run().out();

        assertThat(Files.readString(out.resolve("summary.md")))
                .contains("vLLM V1 with at most 8 requests and 2,048 tokens in a step")
                .contains("prefix cache contained")
                .contains("drafts accepted");
        assertThat(Files.readString(out.resolve("report.html"))).contains("vLLM V1 with at most 8 requests");
        assertThat(Files.readAllLines(out.resolve("token_metrics.csv"))).hasSize(1 + 20 * 12);
    }

    @Test
    void omitsADisabledPrefixCache() throws IOException {
        runs.scheduler = KeyRecord.with(
                VllmV1.class, engine(Optional.of(8), Optional.empty(), 0, 0.7), Map.of("enablePrefixCaching", false));
        assertThat(Files.readString(runs.run().out().resolve("summary.md")))
                .contains("; no prefix cache; 0 preemptions")
                .doesNotContain("prefix cache contained");
    }

    /** Sarathi computes shared tokens again, which a user who shares prompts does not expect. */
    @Test
    void warnsOfASchedulerWithoutAPrefixCache() throws IOException {
        assertThat(runs.run().warnings).noneMatch(line -> line.contains("has no prefix cache"));
        runs.turns(20, 100, 12);
        assertThat(runs.run().warnings).anyMatch(line -> line.contains("this scheduler has no prefix cache"));
        runs.scheduler = engine(Optional.of(8), Optional.empty(), 0, 0.7);
        assertThat(runs.run().warnings).noneMatch(line -> line.contains("has no prefix cache"));
    }

    private static Sglang sglang(Optional<Integer> tokens, SchedulePolicy policy, boolean isPlain) {
        return sglang(tokens, policy, isPlain, 1);
    }

    private static Sglang sglang(Optional<Integer> tokens, SchedulePolicy policy, boolean isPlain, int page) {
        return KeyRecord.of(
                Sglang.class,
                Map.of(
                        "version",
                        SglangRules.V0_5,
                        "chunkedPrefillSize",
                        Optional.of(256),
                        "pageSize",
                        page,
                        "maxTotalTokens",
                        tokens,
                        "schedulePolicy",
                        policy,
                        "scheduleConservativeness",
                        0.001,
                        "disableRadixCache",
                        isPlain));
    }

    @Test
    void namesSglangAndItsRetractions() throws IOException {
        runs.scheduler = sglang(Optional.of(440), SchedulePolicy.LPM, false);
        runs.report = true;

        FakeContext context = runs.run();
        Path out = context.out();

        long preemptions =
                Json.read(out.resolve("engine.json")).get("preemptions").asLong();
        assertThat(preemptions).isPositive();
        List<List<String>> load = SimRuns.rows(context, SimulationTables.LOAD);
        assertThat(load).hasSizeBetween(100, 240);
        assertThat(sum(load, 7)).isEqualTo(preemptions);
        assertThat(sum(load, 8)).as("20 prompts of 100 tokens").isEqualTo(2000);
        assertThat(sum(load, 9)).isZero();

        assertThat(Files.readString(out.resolve("summary.md")))
                .contains(
                        "SGLang with at most 2,048 running requests and chunked_prefill_size=256, queue in the order lpm")
                .contains("prefix cache contained")
                .containsPattern("; \\d+ retractions");
        assertThat(Files.readAllLines(out.resolve("token_metrics.csv"))).hasSize(1 + 20 * 12);
    }

    private static long sum(List<List<String>> rows, int column) {
        return rows.stream().mapToLong(row -> Long.parseLong(row.get(column))).sum();
    }

    @Test
    void rejectsSettingsThatSglangLacks() {
        runs.scheduler = sglang(Optional.empty(), SchedulePolicy.LPM, true);
        rejected("scheduler.schedule_policy", "has no effect");
        runs.scheduler = sglang(Optional.of(113), SchedulePolicy.FCFS, false);
        rejected("does not fit the KV cache of a replica, 113 tokens", "scheduler.mem_fraction_static");
        runs.scheduler = sglang(Optional.of(40), SchedulePolicy.FCFS, false, 48);
        rejected(
                "scheduler.chunked_prefill_size: is 256, not a multiple of page_size, 48",
                "scheduler.max_total_tokens");
        runs.scheduler = sglang(Optional.empty(), SchedulePolicy.FCFS, false);
        runs.cluster = SimRuns.cluster(1, 1, 2, GlobalPolicy.ROUND_ROBIN, Optional.empty());
        rejected("cluster.num_pipeline_stages", "engine=vllm_v1");
        runs.compat = CompatMode.VIDUR;
        rejected("is sglang, which Vidur lacks");
    }

    @Test
    void coversTheMaximumRequestsOfAStepInAComputedProfile() throws IOException {
        VidurSimStage stage = new VidurSimStage();
        assertThat(stage.upstreams(runs.settings()).get(1).changes()).isEmpty();
        runs.scheduler = engine(Optional.of(700), Optional.empty(), 0, 0.7);
        List<?> sizes =
                (List<?>) stage.upstreams(runs.settings()).get(1).changes().get("profile.grid.batch_sizes");
        assertThat(sizes).hasToString("[1, 16, 128, 192, 288, 432, 648, 700]");
    }

    @Test
    void rejectsSettingsWithoutEffectAndImpossibleOnes() {
        runs.scheduler = engine(Optional.of(8), Optional.empty(), 0, 0.5);
        rejected("scheduler.speculative", "has no effect");
        runs.scheduler = engine(Optional.of(4096), Optional.empty(), 0, 0.7);
        rejected("scheduler.max_num_batched_tokens", "less than max_num_seqs, 4096");
        runs.scheduler = engine(Optional.of(8), Optional.of(5), 0, 0.7);
        rejected("does not fit the KV cache", "scheduler.gpu_memory_utilization");
        runs.scheduler = engine(Optional.of(8), Optional.empty(), 0, 0.7);
        runs.compat = CompatMode.VIDUR;
        rejected("which Vidur lacks");
    }

    /** A turn that extends its request computes the new tokens without rounding to whole blocks. */
    @Test
    void extendsRequestsOfSessionsIfConfigured() throws IOException {
        runs.scheduler = engine(Optional.of(8), Optional.empty(), 0, 0.7);
        runs.resumable = true;
        rejected("simulation.resumable_requests", "has no effect: no prompt begins with");
        runs.turns(20, 100, 12);
        runs.cluster = SimRuns.cluster(2, 1, 1, GlobalPolicy.ROUND_ROBIN, Optional.empty());
        rejected("simulation.resumable_requests", "requires cluster.replicas=1 with one engine");
        runs.cluster = SimRuns.cluster(1, 1, 1, GlobalPolicy.ROUND_ROBIN, Optional.empty());

        assertThat(promptTokens(runs.run())).isEqualTo(10 * 100 + 10 * (142 - 111));
        runs.resumable = false;
        assertThat(promptTokens(runs.run())).isGreaterThan(10 * 100 + 10 * (142 - 111));
    }

    /** Each of eight sessions owns seven blocks after its first turn, so no block is left for a second turn. */
    @Test
    void reportsSessionsThatOccupyTheCache() throws IOException {
        runs.scheduler = engine(Optional.of(8), Optional.of(58), 0, 0.7);
        runs.cluster = SimRuns.cluster(1, 1, 1, GlobalPolicy.ROUND_ROBIN, Optional.empty());
        runs.resumable = true;
        runs.turns(20, 100, 12);
        rejected("never finishes", "1 of 57 blocks", "leave simulation.resumable_requests out");
        runs.resumable = false;
        assertThat(promptTokens(runs.run())).isPositive();
    }

    /** Returns the number of tokens in steps other than pure decode steps. */
    private static long promptTokens(FakeContext context) throws IOException {
        List<String> rows = Files.readAllLines(context.out().resolve("batch_metrics.csv"));
        int at = List.of(rows.get(0).split(",", -1)).indexOf("num_prefill_tokens");
        return rows.stream()
                .skip(1)
                .mapToLong(row -> Long.parseLong(row.split(",", -1)[at]))
                .sum();
    }

    private static VllmV1 together(int engines, boolean hasOwnExperts, int interval) {
        return KeyRecord.with(
                VllmV1.class,
                engine(Optional.of(8), Optional.empty(), 0, 0.7),
                Map.of(
                        "dataParallelSize", engines,
                        "enableExpertParallel", hasOwnExperts,
                        "prefillScheduleInterval", interval));
    }

    @Test
    void countsWavesOfEnginesThatShareExperts() throws IOException {
        runs.subject("qwen3_30b_a3b", "h100");
        runs.scheduler = together(4, true, 1);
        runs.report = true;
        runs.metrics =
                new SimulationSettings.Metrics(Optional.empty(), Optional.empty(), true, false, Optional.empty());

        FakeContext context = runs.run();

        Path out = context.out();
        LocatedJson figures = Json.read(out.resolve("engine.json"));
        long batches = Files.readAllLines(out.resolve("batch_metrics.csv")).size() - 1L;
        long steps = figures.get("group_steps").asLong();
        long dummies = figures.get("dummy_steps").asLong();
        assertThat(figures.get("waves").asLong()).isEqualTo(1);
        assertThat(dummies).isPositive().isEqualTo(4 * steps - batches);
        assertThat(figures.get("wait_seconds").asDouble())
                .isPositive()
                .isLessThan(figures.get("step_seconds").asDouble());
        String words = "Engines that share experts ran " + steps + " steps together in 1 wave, " + dummies
                + " engine steps with a dummy batch";
        assertThat(Files.readString(out.resolve("summary.md"))).contains(words, "1 replica of 4 engines");
        assertThat(Files.readString(out.resolve("report.html"))).contains(words);
        assertThat(context.warnings).anyMatch(line -> line.contains("excludes shared experts"));

        runs.scheduler = together(4, true, 16);
        assertThat(firstTokens(runs.run())).as("prompts wait for their step").isGreaterThan(firstTokens(context));
    }

    /** Returns the sum of the TTFTs of all requests in ns. */
    private static long firstTokens(FakeContext context) throws IOException {
        return sum(SimRuns.rows(context, Tables.REQUEST_METRICS), Tables.REQUEST_METRICS.indexOf("ttft_ns"));
    }

    @Test
    void rejectsExpertsThatEnginesCannotShare() throws IOException {
        runs.scheduler = KeyRecord.with(VllmV1.class, together(1, false, 2), Map.of("version", VllmRules.V0_28));
        rejected("scheduler.prefill_schedule_interval", "has no effect", "scheduler.version=0.33");
        runs.scheduler = KeyRecord.with(VllmV1.class, together(4, false, 2), Map.of("version", VllmRules.V0_28));
        rejected("scheduler.prefill_schedule_interval", "has no effect");
        runs.scheduler = together(4, true, 1);
        rejected("scheduler.enable_expert_parallel", "Qwen3-0.6B has no experts");
        runs.scheduler = together(4, false, 1);
        assertThat(Json.read(runs.run().out().resolve("engine.json")).has("waves"))
                .as("engines of a dense model share no layers")
                .isFalse();
    }

    private static VllmV1 spread(int decode, int prefill, int interleave) {
        return KeyRecord.with(
                VllmV1.class,
                engine(Optional.of(8), Optional.empty(), 0, 0.7),
                Map.of(
                        "decodeContextParallelSize",
                        decode,
                        "prefillContextParallelSize",
                        prefill,
                        "cpKvCacheInterleaveSize",
                        interleave));
    }

    @Test
    void rejectsContextsThatCannotBeSpread() {
        runs.scheduler = spread(1, 1, 2);
        rejected("scheduler.cp_kv_cache_interleave_size", "has no effect");
        runs.scheduler = spread(1, 2, 5);
        rejected("scheduler.cp_kv_cache_interleave_size", "does not divide scheduler.block_size, 16");
        runs.scheduler = spread(2, 1, 1);
        rejected("scheduler.decode_context_parallel_size", "does not divide tensor_parallel_size, 1");
        runs.cluster = SimRuns.cluster(1, 2, 1, GlobalPolicy.ROUND_ROBIN, Optional.empty());
        rejected("is 2, more than the copies of each key-value head", "on 2 tensor-parallel devices, 1");
        runs.model = "gemma3_27b";
        runs.scheduler = spread(1, 2, 1);
        rejected("scheduler.prefill_context_parallel_size", "has layers with windows");
        runs.model = "mixtral_8x7b";
        rejected("scheduler.prefill_context_parallel_size", "expert sharing between groups is not modelled");
    }

    /** Rejects groups of devices on several nodes without a network, and blocks that are too large. */
    @Test
    void rejectsContextsWithoutANetwork() {
        for (String hardware : List.of("rtx_4090", "l40s")) {
            runs.hardware = hardware;
            for (int groups : new int[] {9, 16, 1024}) {
                runs.scheduler = spread(1, groups, 16);
                rejected("prefill_context_parallel_size: is " + groups + ", and ", "has no link", "a node has 8");
            }
        }
        runs.cluster = SimRuns.cluster(1, 8, 1, GlobalPolicy.ROUND_ROBIN, Optional.empty());
        runs.scheduler = spread(1, 2, 16);
        rejected("prefill_context_parallel_size: is 2, and ", "has no link");
        runs.hardware = "a100";
        runs.scheduler = KeyRecord.with(VllmV1.class, spread(8, 1024, 1), Map.of("blockSize", 1 << 18));
        rejected(
                "scheduler.block_size: is 262144 on each of 8 x 1024 context-parallel devices",
                "more than 2^31 - 1 tokens");
    }

    /**
     * Two groups halve the time of long prompts, except the exchange of keys and values, and double the cache. NCCL needs
     * 60 us to gather 2,048 tokens of a layer on two A100. Each of 16 steps gathers new and at most as many cached tokens.
     */
    @Test
    void dividesPromptsBetweenGroups() throws IOException {
        runs.requests(8, 4000, 2);
        runs.scheduler = spread(1, 1, 1);
        Path alone = runs.run().out();
        runs.scheduler = spread(1, 2, 16);
        Path shared = runs.run().out();
        assertThat(Files.readString(shared.resolve("summary.md")))
                .contains("the context of a sequence is sharded over 2 devices, and 2 tensor-parallel groups share its"
                        + " prefill");
        assertThat(capacity(shared)).isCloseTo(2.0 * capacity(alone), withinPercentage(0.1));
        double exchangeNs = 16 * 2 * 36 * 60e3;
        assertThat(end(shared) - end(alone) / 2).isBetween(0.5 * exchangeNs, exchangeNs);
    }

    /** Returns the capacity of the cache in tokens. */
    private static double capacity(Path out) throws IOException {
        var engine = Json.read(out.resolve("engine.json"));
        return engine.get("num_blocks").asDouble() * engine.get("block_size").asDouble();
    }

    private static double end(Path out) throws IOException {
        List<String> rows = Files.readAllLines(out.resolve("request_metrics.csv"));
        int at = List.of(rows.get(0).split(",", -1)).indexOf("completion_time_ns");
        return Double.parseDouble(rows.get(rows.size() - 1).split(",", -1)[at]);
    }

    private void rejected(String... parts) {
        assertThatThrownBy(() -> runs.run())
                .isInstanceOfSatisfying(
                        StageException.class, e -> assertThat(e.getMessage()).contains(parts));
    }
}
