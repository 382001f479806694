package dev.stagesim.feature.plan;

import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import dev.stagesim.io.csv.TableReader;
import dev.stagesim.model.Feature;
import dev.stagesim.model.KeyRecord;
import dev.stagesim.model.card.CardFiles;
import dev.stagesim.model.card.Precision;
import dev.stagesim.model.hardware.HardwareCard;
import dev.stagesim.serving.PoolSimulator;
import dev.stagesim.serving.PoolSimulator.Pool;
import dev.stagesim.serving.PoolSimulator.Router;
import dev.stagesim.serving.evidence.ReplicaSource.NamedReplica;
import dev.stagesim.sim.serving.metrics.SustainedLoad.Verdict;
import dev.stagesim.stage.FakeContext;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The search of prefill and decode pools and of routers. */
final class PoolSearchTest {
    private final Path root = Jimfs.newFileSystem(Configuration.unix()).getPath("/run");
    private final PoolSimulator simulator = Feature.all(PoolSimulator.class).get(0);

    private static PlanSettings settings(
            double load, String slo, List<Router> routers, boolean pools, Optional<HardwareCard> outputs) {
        return settings("vllm_v1", load, slo, routers, pools, outputs);
    }

    private static PlanSettings settings(
            String engine,
            double load,
            String slo,
            List<Router> routers,
            boolean pools,
            Optional<HardwareCard> outputs) {
        PlanSettings.Search search = KeyRecord.of(
                PlanSettings.Search.class,
                Map.ofEntries(
                        entry("tp", List.of(1)),
                        entry("pp", List.of(1)),
                        entry("weights", List.of(Precision.BF16)),
                        entry("kvCache", List.of(Precision.BF16)),
                        entry("maxNumSeqs", List.of(256)),
                        entry("maxNumBatchedTokens", List.of(512)),
                        entry("maxReplicas", 64),
                        entry("prefillScheduleInterval", List.of(1)),
                        entry("finalists", 4),
                        entry("simulations", 200),
                        entry("routers", routers),
                        entry("pools", pools),
                        entry("outputHardware", outputs),
                        entry("poolSimulations", 40)));
        return Plans.settings("llama3_8b", "h100", load, slo, search, engine);
    }

    private List<PoolConfiguration> search(PlanSettings settings, RequestSamples requests) {
        Slo slo = Slo.parse(settings.slo());
        SimulationCache simulations = new SimulationCache(requests, slo);
        List<DeploymentCandidate> ranked = new DeploymentSearch(settings, slo, simulations, done -> {})
                .run(new Estimator(settings, requests, slo).all());
        return new PoolSearch(settings, requests, slo, simulations, simulator, done -> {}).run(ranked);
    }

    /** Compares with a full simulation of all smaller pools. None of them meets the SLO. */
    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {"60; ttft_p99_ms<120,tpot_p99_ms<9", "150; ttft_p99_ms<200,tpot_p99_ms<12", "30; tpot_p99_ms<9"})
    @Tag("acceptance")
    void findsTheSmallestFeasiblePools(double load, String bounds) throws IOException {
        PlanSettings settings = settings(load, bounds, List.of(), true, Optional.empty());
        RequestSamples requests = Plans.read(root);
        PoolConfiguration best = search(settings, requests).get(0);
        assertThat(best.meetsSlo()).isTrue();
        SimulationCache simulations = new SimulationCache(requests, Slo.parse(bounds));
        for (int first = 1; first < best.devices(); first++) {
            for (int second = 1; first + second < best.devices(); second++) {
                Pool prompts =
                        new Pool(first, best.prompts().replica(), best.prompts().deployment());
                Pool own = best.outputs().orElseThrow();
                Pool outputs = new Pool(second, own.replica(), own.deployment());
                assertThat(simulations
                                .of(simulator, prompts, Optional.of(outputs), best.router(), load)
                                .meetsSlo())
                        .as("%d for prompts and %d for outputs", first, second)
                        .isFalse();
            }
        }
    }

    /** The best shapes for prefill and for decode are chosen separately, also if one copy of a shape misses the SLO. */
    @Test
    void combinesPoolsOfDifferentParallelism() throws IOException {
        PlanSettings one = settings(60, "ttft_p99_ms<200,tpot_p99_ms<5", List.of(), true, Optional.empty());
        PlanSettings.Search search =
                KeyRecord.with(PlanSettings.Search.class, one.search(), Map.of("tp", List.of(1, 4)));
        List<PoolConfiguration> found =
                search(KeyRecord.with(PlanSettings.class, one, Map.of("search", search)), Plans.read(root));
        assertThat(found).anySatisfy(pools -> {
            assertThat(pools.meetsSlo()).isTrue();
            assertThat(pools.prompts().deployment().shape().tp()).isEqualTo(1);
            assertThat(pools.outputs().orElseThrow().deployment().shape().tp()).isEqualTo(4);
        });
    }

    /** A pool of one instance behaves like a single engine, so both simulations return the same metrics. */
    @Test
    void matchesASingleCopyWithAPoolOfOne() throws IOException {
        PlanSettings settings = settings(10, "ttft_p99_ms<500", List.of(), false, Optional.empty());
        RequestSamples requests = Plans.read(root);
        Slo slo = Slo.parse(settings.slo());
        DeploymentCandidate one =
                new Estimator(settings, requests, slo).all().get(0).get(0);
        SimulationCache simulations = new SimulationCache(requests, slo);
        Pool pool = new Pool(1, one.replica().orElseThrow(), one.deployment());
        assertThat(simulations.of(simulator, pool, Optional.empty(), Router.ROUND_ROBIN, 10))
                .isEqualTo(simulations.of(one.replica().orElseThrow(), one.deployment(), 1, 10));
    }

    /** A run of four instances may have four times as many requests as a run of one. */
    @Test
    void repeatsTheRequestsOfEachInstance() throws IOException {
        PlanSettings settings = settings(1, "ttft_p99_ms<500", List.of(), true, Optional.empty());
        RequestSamples requests = Plans.read(root);
        Slo slo = Slo.parse(settings.slo());
        DeploymentCandidate one =
                new Estimator(settings, requests, slo).all().get(0).get(0);
        PoolSimulator undecided = (prompts, outputs, router, trace, limit) -> {
            double[] times = IntStream.range(0, trace.size())
                    .mapToDouble(trace::arrivalSeconds)
                    .toArray();
            return new PoolSimulator.Served(times, times, true, Verdict.TOO_SHORT);
        };
        SimulationCache simulations = new SimulationCache(requests, slo);
        Pool pool = new Pool(1, one.replica().orElseThrow(), one.deployment());
        Pool two = new Pool(2, pool.replica(), pool.deployment());
        int single = simulations
                .of(undecided, pool, Optional.empty(), Router.ROUND_ROBIN, 1)
                .repetitions();
        assertThat(simulations
                        .of(undecided, two, Optional.of(two), Router.ROUND_ROBIN, 1)
                        .repetitions())
                .isEqualTo(4 * single);
    }

    /** The recommended pools are read from the run with all their properties. */
    @ParameterizedTest
    @ValueSource(strings = {"vllm_v1", "trtllm", "sglang"})
    void returnsTheReplicasOfTheAnswer(String engine) throws IOException {
        Path out = Files.createDirectories(root.resolve("plan"));
        FakeContext context = new FakeContext(out, Path.of("").toAbsolutePath())
                .with("workload", Plans.requests(root.resolve("workload")), "workload")
                .with("workload_2", Plans.requests(root.resolve("workload")), "workload");
        PlanSettings settings =
                settings(engine, 40, "ttft_p99_ms<200,tpot_p99_ms<9", List.of(), true, Optional.empty());
        new PlanStage().run(settings, context);
        List<NamedReplica> replicas = new PlanStage().replicas(settings, out);
        boolean hasPools = context.headlines.containsKey("devices_without_pools");
        assertThat(hasPools).as("only the pools of SGLang are cheaper").isEqualTo(engine.equals("sglang"));
        assertThat(replicas).hasSize(hasPools ? 2 : 1).allSatisfy(replica -> {
            assertThat(replica.engine()).isEqualTo(engine);
            assertThat(replica.replica().model().name())
                    .isEqualTo(settings.model().name());
        });
        assertThat(replicas.get(0).name()).endsWith(hasPools ? " for prefill" : "KV cache");
    }

    @Test
    void needsNoMoreCopiesWithABetterRouter() throws IOException {
        PlanSettings settings = settings(
                90,
                "ttft_p99_ms<300,tpot_p99_ms<20",
                List.of(Router.LEAST_OUTSTANDING, Router.KV_COST),
                false,
                Optional.empty());
        RequestSamples requests = Plans.read(root);
        List<PoolConfiguration> found = search(settings, requests);
        assertThat(found).hasSize(2).allSatisfy(one -> assertThat(one.outputs()).isEmpty());
        assertThat(found.get(0).meetsSlo()).isTrue();
    }

    @Test
    void writesThePoolsWithTheirDevices() throws IOException {
        Path out = Files.createDirectories(root.resolve("plan"));
        FakeContext context = new FakeContext(out, Path.of("").toAbsolutePath())
                .with("workload", Plans.requests(root.resolve("workload")), "workload")
                .with("workload_2", Plans.requests(root.resolve("workload")), "workload");
        PlanSettings settings =
                settings(40, "ttft_p99_ms<200,tpot_p99_ms<9", List.of(), true, Optional.of(CardFiles.hardware("h200")));
        new PlanStage().run(settings, context);
        assertThat(Files.readString(out.resolve("best/outputs.sh"))).contains("NixlConnector", "kv_consumer", "× H200");
        assertThat(Files.readString(out.resolve("best/prompts.sh"))).contains("NixlConnector", "kv_producer", "× H100");
        assertThat(Files.readString(out.resolve("without_pools/command.sh"))).doesNotContain("NixlConnector");
        assertThat(out.resolve("without_pools/kubernetes.yaml")).exists();
        assertThat(files(out.resolve("best")))
                .containsExactlyInAnyOrder("prompts.sh", "outputs.sh", "dynamo.yaml", "llm-d-values.yaml");
        assertThat(Files.readString(out.resolve("summary.md")))
                .contains(
                        "## Pools and routers",
                        " for prefill and ",
                        "Alternative without pools: ",
                        "Files in without_pools/.",
                        "Files in best/: prompts.sh, outputs.sh, dynamo.yaml, llm-d-values.yaml.");
        describesTheLoadsOfTheAnswer(out, context);
        try (TableReader table = TableReader.open(out.resolve("plan_pools.csv"), PlanTables.POOLS)) {
            assertThat(table.next()).isTrue();
            long first = table.longAt(table.column("prompt_copies"));
            long second = table.longAt(table.column("output_copies"));
            double usd = table.doubleAt(table.column("usd_per_month"));
            double price = CardFiles.hardware("h200").costs().priceUsdHrTyp().orElseThrow();
            assertThat(usd).isEqualTo((first * 2.95 + second * price) * ServingPlan.HOURS_PER_MONTH);
            assertThat(context.headlines).containsEntry("usd_per_month", usd);
            assertThat(context.headlines.get("devices"))
                    .isEqualTo(first + second)
                    .isLessThan(context.headlines.get("devices_without_pools"));
            assertThat(Files.readString(out.resolve("conditions.json"))).contains(" for prefill and ");
        }
    }

    private static List<String> files(Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.map(file -> file.getFileName().toString()).toList();
        }
    }

    /** The headroom in load belongs to the answer, and a higher load was simulated to find it. */
    private static void describesTheLoadsOfTheAnswer(Path out, FakeContext context) throws IOException {
        double max = 0;
        double last = 0;
        try (TableReader table = TableReader.open(out.resolve("loads.csv"), PlanTables.LOADS)) {
            while (table.next()) {
                last = table.doubleAt(table.column("load"));
                max = table.stringAt(table.column("meets_slo")).equals("true") ? last : max;
            }
        }
        assertThat(max).isGreaterThanOrEqualTo(40);
        assertThat(last).isGreaterThan(max);
        assertThat(context.headlines).containsEntry("max_load", max);
        assertThat(Files.readString(out.resolve("summary.md")))
                .contains("Headroom: " + PlanAnswer.percent(max / 40 - 1) + " in load (up to ");
    }

    /** The files start the copies of the answer, which are fewer than with round robin, and name their router. */
    @Test
    void writesTheCopiesOfACheaperRouter() throws IOException {
        Path out = Files.createDirectories(root.resolve("plan"));
        FakeContext context = new FakeContext(out, Path.of("").toAbsolutePath())
                .with("workload", Plans.requests(root.resolve("workload")), "workload")
                .with("workload_2", Plans.requests(root.resolve("workload")), "workload");
        new PlanStage()
                .run(
                        settings(
                                250,
                                "ttft_p99_ms<120,tpot_p99_ms<12",
                                List.of(Router.LEAST_OUTSTANDING),
                                false,
                                Optional.empty()),
                        context);
        int answer = context.headlines.get("devices").intValue();
        int before = context.headlines.get("devices_without_pools").intValue();
        assertThat(answer).isLessThan(before);
        assertThat(Files.readString(out.resolve("best/command.sh")))
                .contains("One of " + answer + " copies", "Requires the router least_outstanding");
        assertThat(Files.readString(out.resolve("best/kubernetes.yaml")))
                .contains("Requires the router least_outstanding", "replicas: " + answer);
        assertThat(Files.readString(out.resolve("with_round_robin/command.sh")))
                .contains("One of " + before + " copies")
                .doesNotContain("Requires the router");
        assertThat(Files.readString(out.resolve("conditions.json"))).doesNotContain("KV transfers");
        assertThat(Files.readString(out.resolve("summary.md")))
                .contains("copies behind least_outstanding were not compared with published measurements")
                .doesNotContain("pools were not compared");
    }

    /** This device would need more copies than an int can count. */
    @ParameterizedTest
    @ValueSource(strings = {"mem_bw_gbs=0.000001", "mem_bw_gbs=0.01", "mem_bw_gbs=1"})
    void limitsTheCopiesOfPools(String slowdowns) throws IOException {
        HardwareCard card = CardFiles.hardware("h200", "hardware." + slowdowns);
        PlanSettings settings = settings(40, "ttft_p99_ms<200,tpot_p99_ms<9", List.of(), true, Optional.of(card));
        assertThat(search(settings, Plans.read(root)))
                .allSatisfy(found -> assertThat(found.outputs().orElseThrow().copies())
                        .isBetween(1, settings.search().maxReplicas()));
    }

    @Test
    void rejectsSettingsWithoutEffect() {
        Optional<HardwareCard> h200 = Optional.of(CardFiles.hardware("h200"));
        PlanSettings without = settings(10, "ttft_p99_ms<500", List.of(), false, h200);
        assertThatThrownBy(() -> new PlanStage().check(without, root))
                .hasMessageContaining("search.output_hardware: has no effect without search.pools=true");
        PlanSettings pools = settings(10, "ttft_p99_ms<500", List.of(), true, Optional.empty());
        PlanSettings old = Plans.settings("llama3_8b", "h100", 10, "ttft_p99_ms<500", pools.search(), "vllm_v0");
        assertThatThrownBy(() -> new PlanStage().check(old, root))
                .hasMessageContaining("search.pools: has no effect: pools and routers require vLLM V1, SGLang");
        PlanSettings few = settings(10, "ttft_p99_ms<500", List.of(), false, Optional.empty());
        assertThatThrownBy(() -> new PlanStage().check(few, root))
                .hasMessageContaining("search.pool_simulations: has no effect without search.pools or search.routers");
        new PlanStage().check(settings(10, "ttft_p99_ms<500", List.of(Router.KV_COST), false, Optional.empty()), root);
    }

    /** Without this check, pools with a price in devices would be compared with copies with a price in USD. */
    @Test
    void requiresAPriceOfDecodeDevicesIfOthersHaveOne() {
        HardwareCard card = CardFiles.hardware("h200", "hardware.price_usd_hr_typ=null");
        assertThat(card.costs().priceUsdHrTyp()).isEmpty();
        PlanSettings settings = settings(10, "ttft_p99_ms<500", List.of(), true, Optional.of(card));
        assertThatThrownBy(() -> new PlanStage().check(settings, root))
                .hasMessageContaining("search.output_hardware.price_usd_hr_typ: is missing: the card of H200")
                .hasMessageContaining("set search.output_hardware.price_usd_hr_typ, in USD/h");
        new PlanStage().check(settings.on(CardFiles.hardware("h100", "hardware.price_usd_hr_typ=null")), root);
    }
}
