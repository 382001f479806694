package dev.stagesim.feature.cluster;

import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import dev.stagesim.config.bind.Binder;
import dev.stagesim.config.bind.SettingsContract;
import dev.stagesim.config.tree.MapNode;
import dev.stagesim.config.tree.Origin;
import dev.stagesim.config.tree.ScalarNode;
import dev.stagesim.contract.RunConditions;
import dev.stagesim.contract.TableFormat;
import dev.stagesim.contract.TableSchema;
import dev.stagesim.feature.cluster.autoscaler.FailureSettings;
import dev.stagesim.feature.cluster.autoscaler.Keda;
import dev.stagesim.feature.cluster.autoscaler.ScalerSettings;
import dev.stagesim.feature.cluster.autoscaler.ScalingSettings;
import dev.stagesim.feature.cluster.cache.KvEventBus;
import dev.stagesim.feature.cluster.cache.Tiers;
import dev.stagesim.feature.cluster.engine.ClosedLoopSessions;
import dev.stagesim.feature.cluster.engine.ServingClusterSettings;
import dev.stagesim.feature.cluster.engine.ServingClusterSettings.Loras;
import dev.stagesim.feature.cluster.engine.ServingClusterSettings.Pool;
import dev.stagesim.feature.cluster.engine.ServingClusterSettings.Share;
import dev.stagesim.feature.cluster.engine.ServingClusterSettings.Split;
import dev.stagesim.feature.cluster.engine.ServingClusterSettings.Start;
import dev.stagesim.feature.cluster.engine.ServingClusterSettings.Stragglers;
import dev.stagesim.feature.cluster.engine.ServingClusterSettings.Transfer;
import dev.stagesim.feature.cluster.experts.Eplb;
import dev.stagesim.feature.cluster.experts.ExpertSettings;
import dev.stagesim.feature.cluster.experts.ZipfLoad;
import dev.stagesim.feature.cluster.gateway.Fifo;
import dev.stagesim.feature.cluster.gateway.GatewaySettings;
import dev.stagesim.feature.cluster.gateway.GatewaySettings.Tenant;
import dev.stagesim.feature.cluster.gateway.TokenBucket;
import dev.stagesim.feature.cluster.gateway.Vtc;
import dev.stagesim.feature.cluster.instance.PoolRole;
import dev.stagesim.feature.cluster.instance.Signals;
import dev.stagesim.feature.cluster.report.ClusterTables;
import dev.stagesim.feature.cluster.report.Regret;
import dev.stagesim.feature.cluster.router.AdapterAffinity;
import dev.stagesim.feature.cluster.router.KvCost;
import dev.stagesim.feature.cluster.router.LeastOutstanding;
import dev.stagesim.feature.cluster.router.PowerOfTwo;
import dev.stagesim.feature.cluster.router.PrefixRouter;
import dev.stagesim.feature.cluster.router.RandomChoice;
import dev.stagesim.feature.cluster.router.RoundRobin;
import dev.stagesim.feature.cluster.router.RouterSettings;
import dev.stagesim.feature.cluster.router.SessionHash;
import dev.stagesim.feature.cluster.transfer.KvNetwork;
import dev.stagesim.io.csv.TableFile;
import dev.stagesim.io.csv.TableReader;
import dev.stagesim.io.measured.RequestRow;
import dev.stagesim.measure.EveryKey;
import dev.stagesim.model.KeyRecord;
import dev.stagesim.model.StageException;
import dev.stagesim.model.card.Precision;
import dev.stagesim.serving.tables.RequestTables;
import dev.stagesim.sim.serving.request.RequestTrace;
import dev.stagesim.sim.serving.spec.SchedulerSettings;
import dev.stagesim.stage.FakeContext;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class ClusterStageTest {
    private static final RouterSettings SHORTEST_QUEUE = new LeastOutstanding.Settings();

    private final Path root = Jimfs.newFileSystem(Configuration.unix()).getPath("/run");

    private FakeContext context(String name) throws IOException {
        return context(name, 60);
    }

    private FakeContext context(String name, int size) throws IOException {
        Path workload = Files.createDirectories(root.resolve("workload"));
        RequestTables.lengths(workload, size, i -> "p" + i, i -> 100 + (i * 37L) % 800, i -> 1 + (i * 53L) % 160);
        RequestTables.intervals(workload, size, i -> i * 100_000_000L);
        return new FakeContext(
                        Files.createDirectories(root.resolve(name)), Path.of("").toAbsolutePath())
                .with("workload", workload, "workload");
    }

    private static ServingClusterSettings pools(Pool... pools) {
        Map<String, Pool> named = new java.util.TreeMap<>();
        for (Pool pool : pools) {
            named.put("p" + named.size(), pool);
        }
        return Clusters.of(named, SHORTEST_QUEUE, Optional.empty(), Optional.empty(), Optional.empty());
    }

    @Test
    void bindsEveryKey() {
        Pool pool = KeyRecord.of(
                Pool.class,
                Map.ofEntries(
                        entry("role", PoolRole.DECODE),
                        entry("replicas", 2),
                        entry("engine", "x"),
                        entry("hardware", Optional.of(EveryKey.hardware())),
                        entry("tp", 2),
                        entry("pp", 2),
                        entry("weights", Optional.of(Precision.FP8)),
                        entry("kvCache", Optional.of(Precision.FP8)),
                        entry("scheduler", Optional.of(KeyRecord.defaults(SchedulerSettings.Sglang.class))),
                        entry("maxNumSeqs", Optional.of(7)),
                        entry("maxNumBatchedTokens", Optional.of(9)),
                        entry("memoryUtilization", Optional.of(0.5)),
                        entry(
                                "scaling",
                                Optional.of(new ScalingSettings(
                                        2, 3, 500, new Keda.Settings(ScalerSettings.Metric.KV, 2, 1, 2, 3)))),
                        entry(
                                "tiers",
                                Optional.of(new Tiers(
                                        Optional.of(new Tiers.Tier(1, 2, 3)),
                                        Optional.of(new Tiers.Tier(4, 5, 6)),
                                        Optional.of(new Tiers.Tier(7, 8, 9)),
                                        10,
                                        Optional.of(64)))),
                        entry("sessionRetentionS", 11),
                        entry("loras", Optional.of(new Loras(2, 8))),
                        entry(
                                "experts",
                                Optional.of(new ExpertSettings(
                                        3,
                                        4,
                                        new ZipfLoad(0.5, Optional.of(7.0), 0.2, 9),
                                        new Eplb(2),
                                        Optional.of(new ExpertSettings.Rebalancing(30, false)),
                                        true)))));
        SettingsContract.assertEveryKeyNonDefault(new ClusterSimSettings(
                EveryKey.model(),
                EveryKey.hardware(),
                EveryKey.workload(),
                EveryKey.arrival(),
                Map.of("x", EveryKey.engine()),
                KeyRecord.of(
                        ServingClusterSettings.class,
                        Map.ofEntries(
                                entry("pools", Map.of("a", pool)),
                                entry("router", new PrefixRouter.Settings(3, 2, 8)),
                                entry("decodeRouter", Optional.of(new PowerOfTwo.Settings(1))),
                                entry("signals", Optional.of(new Signals.Settings(40, 3))),
                                entry("kvEvents", Optional.of(new KvEventBus.Settings(1, 0.5, 3))),
                                entry("split", Optional.of(new Split.LongerThan(3))),
                                entry(
                                        "transfer",
                                        Optional.of(new Transfer(
                                                Optional.of(3.0),
                                                1,
                                                Share.EXCLUSIVE,
                                                Optional.of(
                                                        new KvNetwork.Analytical(
                                                                new KvNetwork.Leaves(
                                                                        4, 2, 100, KvNetwork.Placement.MIXED),
                                                                4096))))),
                                entry("start", Optional.of(new Start(1, 2, 3, Optional.of(4.0), 5, 6))),
                                entry("failures", Optional.of(new FailureSettings.Random(1, 2, 3, 4))),
                                entry("stragglers", Optional.of(new Stragglers(0.2, 3, 4))),
                                entry(
                                        "gateway",
                                        Optional.of(new GatewaySettings(
                                                new TokenBucket.Settings(2, 3),
                                                new Vtc.Settings(3, 4),
                                                Optional.of(5),
                                                Optional.of(6),
                                                Map.of(
                                                        "t",
                                                        new Tenant(
                                                                2, 3, 4, Optional.of(5.0), Optional.of(6.0), 0.7, 8)),
                                                9))),
                                entry("sessions", Optional.of(new ClosedLoopSessions.Settings(0.5, 2, 3))),
                                entry("idlePower", 0.5),
                                entry("carbonGPerKwh", Optional.of(400.0)))),
                Optional.of(Path.of("run")),
                Optional.of(new Regret.Settings(5, Regret.Alternatives.BASELINE, 6, 7))));
    }

    /** Only a cluster that the configuration selects by default is called so. */
    @Test
    void statesTheDefaultCluster() throws IOException {
        ClusterSimSettings settings = Clusters.settings(pools(Clusters.pool(PoolRole.BOTH, 3)));
        FakeContext implied = context("implied").choosing("cluster", "round_robin");
        new ClusterStage().run(settings, implied);
        assertThat(implied.output)
                .anyMatch(text -> text.startsWith(
                        "cluster: 3 instances behind a router (cluster=round_robin, the default); replicas="));
        FakeContext chosen = context("chosen").choosing("cluster", "round_robin_4");
        new ClusterStage().run(settings, chosen);
        assertThat(chosen.output).isNotEmpty().noneMatch(text -> text.startsWith("cluster: "));
    }

    /** A rate of failures that the user states is not called an assumption, even if it equals the default. */
    @Test
    void statesAnAssumedRateOfFailures() throws IOException {
        ClusterSimSettings plain = Clusters.settings(pools(Clusters.pool(PoolRole.BOTH, 2)));
        ServingClusterSettings failing = KeyRecord.with(
                ServingClusterSettings.class,
                plain.cluster(),
                Map.of("failures", Optional.of(new FailureSettings.Random(100, 60, 1, 42))));
        ClusterSimSettings settings = KeyRecord.with(ClusterSimSettings.class, plain, Map.of("cluster", failing));
        FakeContext implied = context("implied");
        new ClusterStage().run(settings, implied);
        assertThat(implied.output)
                .anyMatch(text -> text.startsWith("cluster.failures.mtbf_h=100 is assumed: set it to the mean time"));
        FakeContext stated = context("stated").setting("cluster.failures.mtbf_h");
        new ClusterStage().run(settings, stated);
        assertThat(stated.output).isNotEmpty().noneMatch(text -> text.contains("assumed"));
    }

    @Test
    void writesTheSameArtifactsTwice() throws IOException {
        ClusterSimSettings settings =
                Clusters.settings(pools(Clusters.pool(PoolRole.PREFILL, 1), Clusters.pool(PoolRole.DECODE, 2)));
        List<String> texts = new ArrayList<>();
        for (String name : List.of("one", "other")) {
            FakeContext context = context(name);
            new ClusterStage().run(settings, context);
            StringBuilder text = new StringBuilder();
            for (var table : ClusterTables.all().subList(0, 5)) {
                text.append(Files.readString(context.out().resolve(table.name())));
            }
            text.append(Files.readString(context.out().resolve("summary.md")));
            text.append(Files.readString(context.out().resolve("report.html")));
            texts.add(text.toString());
            assertThat(context.headlines).containsKeys("ttft_p99_ms", "transfer_p99_ms", "p1_busy_share");
            assertThat(context.output).last().asString().contains("P99 TTFT", "requests/s; it ");
        }
        assertThat(texts.get(0)).isEqualTo(texts.get(1)).contains("3 devices in pools p0", "Transfers in progress");
        List<RequestRow> times = RequestRow.read(root.resolve("one/request_metrics.csv"));
        try (TableReader table = TableReader.open(root.resolve("one/cluster_requests.csv"), ClusterTables.REQUESTS)) {
            int rows = 0;
            int from = table.column("gateway_ns");
            int to = table.column("interference_ns");
            while (table.next()) {
                long sum = 0;
                for (int column = from; column <= to; column++) {
                    sum += table.longAt(column);
                }
                assertThat(table.longAt(table.column("e2e_ns"))).isEqualTo(sum);
                RequestRow same = times.get(rows);
                assertThat(same.id()).isEqualTo(table.longAt(table.column("request_id")));
                assertThat(same.arrival()).isEqualTo(table.longAt(table.column("arrival_ns")));
                assertThat(same.completion() - same.arrival()).isEqualTo(sum);
                assertThat(same.first() - same.arrival()).isEqualTo(table.longAt(table.column("ttft_ns")));
                assertThat(same.actual())
                        .isEqualTo(same.requested())
                        .isEqualTo(table.longAt(table.column("output_tokens")));
                rows++;
            }
            assertThat(rows).isEqualTo(60);
        }
    }

    @Test
    void splitsTheDifferenceFromABaseline() throws IOException {
        ClusterSimSettings apart =
                Clusters.settings(pools(Clusters.pool(PoolRole.PREFILL, 1), Clusters.pool(PoolRole.DECODE, 1)));
        ClusterSimSettings both = Clusters.settings(pools(Clusters.pool(PoolRole.BOTH, 2)));
        FakeContext there = context("both", 1000);
        new ClusterStage().run(both, there);
        FakeContext context = context("apart", 1000);
        new ClusterStage().run(with(apart, Optional.of(root.resolve("both")), Optional.empty()), context);
        assertThat(Files.readString(context.out().resolve("summary.md")))
                .contains("## Comparison with both", "P99 E2E is", "The baseline is both. ", " ms, baseline ")
                .contains("wait for KV cache (decode)", "Prefill instances transferred ")
                .doesNotContain(" there ");
        Map<String, long[]> sums = new java.util.TreeMap<>();
        List<Long> rests = new ArrayList<>();
        try (TableReader table =
                TableReader.open(context.out().resolve("cluster_baseline.csv"), ClusterTables.BASELINE)) {
            while (table.next()) {
                long[] sum = sums.computeIfAbsent(table.stringAt(table.column("metric")), name -> new long[3]);
                sum[0] += table.longAt(table.column("baseline_ns"));
                sum[1] += table.longAt(table.column("this_ns"));
                sum[2] += table.longAt(table.column("difference_ns"));
                if (table.stringAt(table.column("part")).equals("residual")) {
                    rests.add(table.longAt(table.column("difference_ns")));
                }
            }
        }
        assertThat(sums).hasSize(6).allSatisfy((figure, sum) -> {
            assertThat(sum[0] / 1e6).isEqualTo(figure(there, figure), within(1e-6));
            assertThat(sum[1] / 1e6).isEqualTo(figure(context, figure), within(1e-6));
            assertThat(sum[2]).isEqualTo(sum[1] - sum[0]);
        });
        assertThat(rests).anyMatch(rest -> rest != 0);
    }

    @Test
    void readsABaselineInParquet() throws IOException {
        ClusterSimSettings settings = Clusters.settings(pools(Clusters.pool(PoolRole.BOTH, 1)));
        new ClusterStage().run(settings, context("one", 1000));
        ClusterSimSettings against = with(settings, Optional.of(root.resolve("one")), Optional.empty());
        FakeContext text = context("text", 1000);
        new ClusterStage().run(against, text);
        for (TableSchema schema : List.of(ClusterTables.REQUESTS, ClusterTables.INSTANCES)) {
            TableFile.pack(root.resolve("one").resolve(schema.name()), schema, TableFormat.PARQUET);
        }
        assertThat(new ClusterStage().reads(against, root))
                .singleElement()
                .satisfies(file -> assertThat(file).exists().hasExtension("parquet"));
        FakeContext columns = context("columns", 1000);
        new ClusterStage().run(against, columns);
        assertThat(columns.out().resolve("cluster_baseline.csv"))
                .hasSameBinaryContentAs(text.out().resolve("cluster_baseline.csv"));
    }

    private static ClusterSimSettings with(
            ClusterSimSettings settings, Optional<Path> against, Optional<Regret.Settings> regret) {
        return new ClusterSimSettings(
                settings.model(),
                settings.hardware(),
                settings.workload(),
                settings.arrival(),
                settings.engines(),
                settings.cluster(),
                against,
                regret);
    }

    @Test
    void replaysDecisionsOfTheBaseline() throws IOException {
        Pool pool = Clusters.pool(PoolRole.BOTH, 2);
        ClusterSimSettings least = Clusters.settings(pools(pool));
        new ClusterStage().run(least, context("least"));
        ServingClusterSettings turns = Clusters.of(
                least.cluster().pools(),
                new RoundRobin.Settings(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty());
        Optional<Regret.Settings> regret = Optional.of(new Regret.Settings(8, Regret.Alternatives.BASELINE, 60, 42));
        ClusterSimSettings settings = Clusters.settings(turns);
        assertThatThrownBy(() -> new ClusterStage().check(with(settings, Optional.empty(), regret), root))
                .hasMessageContaining("regret.alternatives: baseline requires a baseline run");
        FakeContext context = context("turns");
        new ClusterStage().run(with(settings, Optional.of(root.resolve("least")), regret), context);
        assertThat(Files.readString(context.out().resolve("summary.md")))
                .contains("8 decisions of ", "replayed with the instance of the baseline");
        long sum = 0;
        try (TableReader table = TableReader.open(context.out().resolve("cluster_regret.csv"), ClusterTables.REGRET)) {
            while (table.next()) {
                sum += table.longAt(table.column("regret_ns"));
                assertThat(table.longAt(table.column("chosen")) + table.longAt(table.column("alternative")))
                        .isEqualTo(1);
            }
        }
        assertThat(sum / 1e6).isPositive().isEqualTo(figure(context, "regret_total"), within(1e-3));
        ClusterSimSettings other = Clusters.settings(pools(pool, pool));
        FakeContext elsewhere = context("other");
        assertThatThrownBy(() ->
                        new ClusterStage().run(with(other, Optional.of(root.resolve("least")), regret), elsewhere))
                .hasMessageContaining("regret.alternatives: the instances of the baseline differ");
    }

    @Test
    void rejectsCachesThatTheEngineLacks() {
        ClusterSimSettings settings =
                Clusters.settings(pools(Clusters.wide(PoolRole.BOTH, 1, 1, Precision.NVFP4)), "llama3_8b", "h200");
        assertThatThrownBy(() -> new ClusterStage().run(settings, context("four")))
                .hasMessageContaining("cluster.pools.p0.kv_cache: is nvfp4, and vLLM has no KV cache");
    }

    @Test
    void rejectsTurnsWithoutConversations() throws IOException {
        FakeContext context = context("single");
        ServingClusterSettings closed = Clusters.withGateway(
                pools(Clusters.pool(PoolRole.BOTH, 1)),
                Optional.empty(),
                Optional.of(new ClosedLoopSessions.Settings(0, 1, 42)));
        assertThatThrownBy(() -> new ClusterStage().run(Clusters.settings(closed), context))
                .hasMessageContaining("cluster.sessions: has no effect: the workload has no sessions");
    }

    @Test
    void listsUnservedRequestsWithTheirReason() throws IOException {
        FakeContext context = context("refusing");
        ServingClusterSettings refusing = Clusters.withGateway(
                pools(Clusters.pool(PoolRole.BOTH, 1)),
                Optional.of(new GatewaySettings(
                        new TokenBucket.Settings(100, 1000),
                        new Fifo.Settings(),
                        Optional.empty(),
                        Optional.empty(),
                        Map.of(),
                        1)),
                Optional.empty());
        new ClusterStage().run(Clusters.settings(refusing), context);
        long refused = 0;
        try (TableReader table =
                TableReader.open(context.out().resolve("cluster_requests.csv"), ClusterTables.REQUESTS)) {
            while (table.next()) {
                boolean isRefused = table.stringAt(table.column("status")).equals("refused");
                assertThat(table.isEmpty(table.column("ttft_ns"))).isEqualTo(isRefused);
                refused += isRefused ? 1 : 0;
            }
        }
        assertThat(refused).isBetween(30L, 58L);
        assertThat(figure(context, "requests_refused", "")).isEqualTo(refused);
    }

    @Test
    void omitsRequestsThatOneRunLost() throws IOException {
        ServingClusterSettings plain = pools(Clusters.pool(PoolRole.BOTH, 1));
        new ClusterStage().run(Clusters.settings(plain), context("plain", 300));
        ServingClusterSettings limited = Clusters.withGateway(
                plain,
                Optional.of(new GatewaySettings(
                        new TokenBucket.Settings(3000, 3000),
                        new Fifo.Settings(),
                        Optional.empty(),
                        Optional.empty(),
                        Map.of(),
                        1)),
                Optional.empty());
        FakeContext context = context("limited", 300);
        ClusterSimSettings settings = Clusters.settings(limited);
        new ClusterStage().run(with(settings, Optional.of(root.resolve("plain")), Optional.empty()), context);
        double refused = figure(context, "requests_refused", "");
        assertThat(refused).isBetween(30.0, 270.0);
        assertThat(Files.readString(context.out().resolve("summary.md")))
                .contains(
                        " of " + (int) (300 - refused) + " requests have their first token",
                        "Left out: " + (int) refused + " requests that were not completed in both runs.");
    }

    @Test
    void namesPoolsOutsideTheCharts() throws IOException {
        FakeContext context = context("many");
        Pool one = Clusters.pool(PoolRole.BOTH, 1);
        new ClusterStage().run(Clusters.settings(pools(one, one, one, one, one)), context);
        assertThat(Files.readString(context.out().resolve("summary.md")))
                .contains("Not drawn: p3, p4; cluster_pools.csv contains all pools.");
    }

    private static double figure(FakeContext context, String name) {
        return figure(context, name, "_ms");
    }

    private static double figure(FakeContext context, String name, String unit) {
        return ((Number) context.headlines.get(name + unit)).doubleValue();
    }

    @ParameterizedTest
    @CsvSource({
        "PREFILL, PREFILL, vllm_v1, has a prefill pool but no decode pool",
        "DECODE, BOTH, vllm_v1, has a decode pool but no prefill pool",
        "PREFILL, DECODE, sglang, engines of different kinds cannot exchange KV blocks",
        "PREFILL, DECODE, vllm, which is not in the section engines"
    })
    void rejectsPoolsThatCannotServe(PoolRole one, PoolRole other, String engine, String what) {
        ClusterSimSettings settings = Clusters.settings(
                pools(Clusters.pool(one, 1, engine, 0.9, 64), Clusters.pool(other, 1, "vllm_v1", 0.9, 64)));
        assertThatThrownBy(() -> new ClusterStage().check(settings, root))
                .isInstanceOf(StageException.class)
                .hasMessageContaining(what);
    }

    @ParameterizedTest
    @CsvSource({"bandwidth_gbs, 1e-300", "bandwidth_gbs, 9e-7", "bandwidth_gbs, 1.1e9", "latency_us, 1e300"})
    void rejectsLinksBeyondTheCards(String key, double value) {
        MapNode tree =
                MapNode.of(Map.of(key, ScalarNode.of(value, Double.toString(value), Origin.DEFAULT)), Origin.DEFAULT);
        assertThatThrownBy(() -> Binder.bind(tree, Transfer.class))
                .isInstanceOf(StageException.class)
                .hasMessageContaining(key);
    }

    @ParameterizedTest
    @CsvSource({"10000, 100000, 1", "100, 100000, 0", "101, 100000, 1", "101, 128, 0"})
    void rejectsHashRingsBeyondMemory(int replicas, int points, int problems) {
        RouterSettings session = new SessionHash.Settings(points);
        ServingClusterSettings both = Clusters.of(
                Map.of("all", Clusters.pool(PoolRole.BOTH, replicas)),
                session,
                Optional.empty(),
                Optional.empty(),
                Optional.empty());
        assertThat(PoolPlans.problems(Clusters.settings(both))).hasSize(problems);
        ServingClusterSettings apart = Clusters.of(
                Map.of("p", Clusters.pool(PoolRole.PREFILL, 1), "d", Clusters.pool(PoolRole.DECODE, replicas)),
                session,
                Optional.of(session),
                Optional.empty(),
                Optional.empty());
        assertThat(PoolPlans.problems(Clusters.settings(apart)))
                .hasSize(problems)
                .allMatch(problem -> problem.where().equals("cluster.decode_router.points"));
    }

    @Test
    void rejectsSettingsWithoutEffect() {
        Map<String, Pool> both = Map.of("all", Clusters.pool(PoolRole.BOTH, 2));
        ClusterSimSettings settings = Clusters.settings(Clusters.of(
                both,
                SHORTEST_QUEUE,
                Optional.of(SHORTEST_QUEUE),
                Optional.of(new Split.Always()),
                Optional.of(Clusters.transfer(1, 1))));
        assertThat(PoolPlans.problems(settings))
                .extracting(problem -> problem.where())
                .containsExactly("cluster.split", "cluster.transfer", "cluster.decode_router");
        ClusterSimSettings idle = Clusters.settings(pools(
                Clusters.pool(PoolRole.PREFILL, 1),
                Clusters.pool(PoolRole.DECODE, 1),
                Clusters.pool(PoolRole.BOTH, 1)));
        assertThat(PoolPlans.problems(idle))
                .singleElement()
                .satisfies(problem -> assertThat(problem.where()).isEqualTo("cluster.pools"))
                .satisfies(problem -> assertThat(problem.what()).startsWith("has pools with role = both"));
    }

    @Test
    void rejectsThePromptWeightWithoutPrompts() {
        Map<String, Pool> apart =
                Map.of("p", Clusters.pool(PoolRole.PREFILL, 1), "d", Clusters.pool(PoolRole.DECODE, 2));
        for (double weight : new double[] {1, 2}) {
            Optional<RouterSettings> router = Optional.of(KvCost.Settings.of(weight, 16));
            assertThat(PoolPlans.problems(Clusters.settings(
                            Clusters.of(apart, SHORTEST_QUEUE, router, Optional.empty(), Optional.empty()))))
                    .extracting(problem -> problem.where())
                    .containsExactlyElementsOf(
                            weight == 1 ? List.of() : List.of("cluster.decode_router.overlap_weight"));
            assertThat(PoolPlans.problems(Clusters.settings(Clusters.of(
                            apart, SHORTEST_QUEUE, router, Optional.of(new Split.LongerThan(512)), Optional.empty()))))
                    .isEmpty();
        }
    }

    @Test
    void rejectsAdaptersWithoutEffect() throws IOException {
        FakeContext context = context("plain");
        Pool vllm = Clusters.adapted(Clusters.pool(PoolRole.BOTH, 1), 4);
        assertThatThrownBy(() -> new ClusterStage().run(Clusters.settings(pools(vllm)), context))
                .hasMessageContaining("cluster.pools.p0.loras: has no effect: no request uses an adapter");
        Pool sglang = Clusters.adapted(Clusters.pool(PoolRole.BOTH, 1, "sglang", 0.9, 64), 4);
        assertThat(PoolPlans.problems(Clusters.settings(pools(sglang))))
                .extracting(problem -> problem.where())
                .containsExactly("cluster.pools.p0.loras");
        ServingClusterSettings knowing = Clusters.of(
                Map.of("a", Clusters.pool(PoolRole.BOTH, 2)),
                new AdapterAffinity.Settings(8),
                Optional.empty(),
                Optional.empty(),
                Optional.empty());
        assertThat(PoolPlans.problems(Clusters.settings(knowing)))
                .extracting(problem -> problem.where())
                .containsExactly("cluster.router.kind");
    }

    @Test
    void namesBothLimitsOfTooSmallBatches() {
        ClusterSimSettings settings = Clusters.settings(pools(Clusters.pool(PoolRole.BOTH, 1, "vllm_v1", 0.9, 4096)));
        assertThatThrownBy(() -> new ClusterStage().check(settings, root))
                .hasMessageContaining("cluster.pools.p0.max_num_batched_tokens: is 2048, less than max_num_seqs, 4096");
    }

    @Test
    void rejectsABaselineOfAnotherStage() throws IOException {
        ClusterSimSettings settings = Clusters.settings(pools(Clusters.pool(PoolRole.BOTH, 1)));
        Path workload = context("one").out().resolve("../workload").normalize();
        for (Path against : List.of(workload, root.resolve("none"))) {
            ClusterSimSettings to = with(settings, Optional.of(against), Optional.empty());
            assertThat(new ClusterStage().reads(to, root)).isEmpty();
            assertThatThrownBy(() -> new ClusterStage().check(to, root))
                    .isInstanceOf(StageException.class)
                    .hasMessageContaining("baseline: " + against + " is not a run of cluster_sim")
                    .hasMessageContaining("stage runs list");
        }
    }

    @Test
    void rejectsAmbiguousNamesAndWarnsOfARouterWithoutChoice() {
        for (String name : List.of("links", "A", "a b")) {
            ClusterSimSettings settings = Clusters.settings(Clusters.of(
                    Map.of(name, Clusters.pool(PoolRole.BOTH, 1)),
                    new RoundRobin.Settings(),
                    Optional.empty(),
                    Optional.empty(),
                    Optional.empty()));
            assertThat(PoolPlans.problems(settings)).hasSize(1);
            assertThat(PoolPlans.warnings(settings)).hasSize(1);
        }
        assertThat(PoolPlans.warnings(Clusters.settings(pools(Clusters.pool(PoolRole.BOTH, 1)))))
                .isEmpty();
    }

    @Test
    void namesTheNetworkOnlyOfPoolsOverSeveralNodes() {
        ClusterSimSettings settings = Clusters.settings(
                pools(Clusters.pool(PoolRole.BOTH, 1), Clusters.wide(PoolRole.BOTH, 1, 16, Precision.BF16)));
        RequestTrace trace = Clusters.requests(9, 1, 0, 3);
        RunConditions conditions = new ClusterConditions(
                        settings, PoolPlans.of(settings, 4096), trace, Optional.empty(), "arrivals")
                .all();
        assertThat(conditions.hardware())
                .startsWith("17 × H100-SXM-80GB, between nodes of 8 devices ")
                .doesNotContain(", ,");
    }

    @Test
    void namesAPoolTooSmallForTheModel() {
        ClusterSimSettings settings = Clusters.settings(pools(Clusters.pool(PoolRole.BOTH, 1, "vllm_v1", 0.1, 64)));
        assertThatThrownBy(() -> PoolPlans.of(settings, 4096))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("cluster.pools.p0")
                .hasMessageContaining(
                        "not enough memory for a single request: 79.2 GiB with gpu_memory_utilization=0.1,");
    }

    @Test
    void bindsDefaults() {
        SettingsContract.assertDefaults(new PrefixRouter.Settings(2, 1, 16));
        SettingsContract.assertDefaults(KvCost.Settings.of(1, 16));
        SettingsContract.assertDefaults(new SessionHash.Settings(128));
        SettingsContract.assertDefaults(new PowerOfTwo.Settings(42));
        SettingsContract.assertDefaults(new RandomChoice.Settings(42));
        SettingsContract.assertDefaults(new Split.LongerThan(512));
        SettingsContract.assertDefaults(new Loras(4, 16));
        SettingsContract.assertDefaults(new AdapterAffinity.Settings(8));
        SettingsContract.assertDefaults(new Regret.Settings(64, Regret.Alternatives.RUNNER_UP, 60, 42));
    }
}
