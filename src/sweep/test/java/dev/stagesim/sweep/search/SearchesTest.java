package dev.stagesim.sweep.search;

import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import dev.stagesim.config.bind.SettingsSchema;
import dev.stagesim.config.tree.MapNode;
import dev.stagesim.config.tree.Origin;
import dev.stagesim.config.tree.ScalarNode;
import dev.stagesim.model.Key;
import dev.stagesim.model.KeyRecord;
import dev.stagesim.model.StageException;
import dev.stagesim.pipeline.Pipeline;
import dev.stagesim.pipeline.PipelineListener;
import dev.stagesim.pipeline.StageRegistry;
import dev.stagesim.pipeline.request.ConfigSnapshot;
import dev.stagesim.pipeline.request.RunRequest;
import dev.stagesim.stage.Oracle;
import dev.stagesim.stage.OracleContext;
import dev.stagesim.stage.Stage;
import dev.stagesim.stage.StageContext;
import dev.stagesim.stage.StageSpec;
import dev.stagesim.stage.Upstream;
import dev.stagesim.sweep.SweeperSettings;
import dev.stagesim.sweep.launch.LauncherSettings;
import dev.stagesim.sweep.search.CandidateVerdict.Rank;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Searches over a service with a latency in closed form. */
final class SearchesTest {
    private final Service service = new Service();
    private final Path dir = Jimfs.newFileSystem(Configuration.unix()).getPath("/work");
    private final Pipeline pipeline =
            new Pipeline(new StageRegistry(List.of(service)), dir, dir, PipelineListener.NONE, Clock.systemUTC());

    private static final LauncherSettings HERE = new LauncherSettings.Local(Optional.empty(), Optional.empty());

    /** Seconds of arrivals below which the latency of a run is that of an idle service. */
    private static final int SHORT = 20;

    record Settings(@Key("Service. | {}") Load load, @Key("Workload. | {}") Work workload) {}

    record Work(@Key("Arrivals. | 1000000000") long numRequests) {}

    record Load(
            @Key("Rate. | 1.0") double qps,
            @Key("Devices. | 1") int devices,
            @Key("Seed. | 0") long seed,
            @Key("Noise. | 0.0") double noise,
            @Key("Requests. | 1000000000") long requests) {}

    /** A queue with rate {@code 10 * devices}, latency 100 / (1 - load) ms, and noise by seed. */
    private static final class Service implements Stage<Settings> {
        final AtomicInteger simulations = new AtomicInteger();

        @Override
        public StageSpec<Settings> spec() {
            return new StageSpec<>("service", "Service.", Settings.class, List::of, 1, false);
        }

        @Override
        public List<Upstream> upstreams(Settings settings) {
            return List.of();
        }

        @Override
        public void run(Settings settings, StageContext context) {}

        @Override
        public void check(Settings settings, Path home) {
            if (settings.load().devices() > 8) {
                throw StageException.input(
                        dev.stagesim.model.Problem.of("config error", "load.devices", "there are only 8"));
            }
        }

        @Override
        public Optional<Oracle<Settings>> oracle() {
            return Optional.of(new Oracle<>() {
                @Override
                public SortedMap<String, Double> known(Settings settings) {
                    return new TreeMap<>(
                            Map.of("devices", (double) settings.load().devices()));
                }

                @Override
                public SortedMap<String, Double> figures(Settings settings, OracleContext context) {
                    simulations.incrementAndGet();
                    Load load = settings.load();
                    double share = load.qps() / (10.0 * load.devices());
                    double luck = 1 + load.noise() * new Random(load.seed()).nextGaussian();
                    SortedMap<String, Double> figures = new TreeMap<>(known(settings));
                    boolean isShort = settings.workload().numRequests() < SHORT * load.qps();
                    figures.put("latency_ms", isShort ? 100 : luck * (share < 1 ? 100 / (1 - share) : 1e6));
                    figures.put("too_short", isShort ? 1.0 : 0.0);
                    figures.put("throughput_requests_per_s", load.requests() / (load.requests() / load.qps() + 1));
                    figures.put("throughput", Math.min(load.qps(), 10.0 * load.devices()));
                    return figures;
                }
            });
        }
    }

    private RunRequest compose(List<String> job) {
        MapNode tree = SettingsSchema.of(Settings.class).defaults();
        for (String word : job) {
            String name = word.substring(0, word.indexOf('.'));
            MapNode section = (MapNode) java.util.Objects.requireNonNull(tree.get(name));
            String value = word.substring(word.indexOf('=') + 1);
            Origin origin = Origin.override(1, word);
            tree = tree.with(
                    name,
                    section.with(
                            word.substring(word.indexOf('.') + 1, word.indexOf('=')),
                            value.contains(".")
                                    ? ScalarNode.of(Double.parseDouble(value), value, origin)
                                    : ScalarNode.of(Long.parseLong(value), origin)));
        }
        return RunRequest.of(tree, job);
    }

    /** Returns all files of a search by name. */
    private static Map<String, String> files(SearchResult result) throws IOException {
        Map<String, String> content = new TreeMap<>();
        try (Stream<Path> all = Files.walk(result.dir())) {
            for (Path file : all.filter(Files::isRegularFile).toList()) {
                content.put(result.dir().relativize(file).toString(), Files.readString(file));
            }
        }
        return content;
    }

    @Test
    void resumesAnInterruptedSearchWithTheSameBytes() throws Exception {
        List<List<String>> jobs = new ArrayList<>();
        for (int i = 0; i < 12; i++) {
            jobs.add(List.of("load.devices=" + (1 + i % 9), "load.qps=9." + (10 + i), "load.noise=0.05"));
        }
        SweeperSettings.Searching pareto = new SweeperSettings.Pareto(
                List.of("min devices", "min latency_ms"),
                List.of(),
                List.of(),
                3,
                0.9,
                "load.seed",
                Optional.of(3),
                List.of(),
                List.of());
        Random random = new Random(11);
        for (SweeperSettings.Searching settings : List.of(
                capacity(List.of("latency_ms<=400"), List.of(3, 6), 3),
                best("min latency_ms", List.of("latency_ms<=400"), List.of()),
                pareto)) {
            SearchResult whole = search(settings, jobs);
            Map<String, String> expected = files(whole);
            Path journal = dir.resolve("tmp/.cache/searches/" + whole.id() + ".jsonl");
            String kept = Files.readString(journal);
            assertThat(kept.lines()).hasSize(service.simulations.getAndSet(0));
            for (int i = 0; i < 20; i++) {
                // Truncates at any byte, also within a line.
                String left = kept.substring(0, random.nextInt(kept.length()));
                Files.writeString(journal, left);
                long lines = left.chars().filter(c -> c == '\n').count();
                SearchResult again = search(settings, jobs);
                assertThat(files(again)).isEqualTo(expected);
                assertThat(again.found()).isBetween((int) lines, (int) lines + 1);
                assertThat(service.simulations.getAndSet(0)).isEqualTo(whole.simulations() - again.found());
            }
            new Search(pipeline, service, settings, HERE)
                    .run(
                            new Search(pipeline, service, settings, HERE).candidates(jobs, this::compose),
                            true,
                            count -> {});
            assertThat(service.simulations.getAndSet(0)).as("from the start").isEqualTo(whole.simulations());
        }
    }

    private SearchResult search(SweeperSettings.Searching settings, List<List<String>> jobs) {
        Search search = new Search(pipeline, service, settings, HERE);
        return search.run(search.candidates(jobs, this::compose), false, count -> {});
    }

    private static List<List<String>> devices(int... counts) {
        List<List<String>> jobs = new ArrayList<>();
        for (int count : counts) {
            jobs.add(List.of("load.devices=" + count));
        }
        return jobs;
    }

    private static SweeperSettings.Capacity capacity(List<String> slo, List<Integer> seeds, int threads) {
        return KeyRecord.of(
                SweeperSettings.Capacity.class,
                Map.ofEntries(
                        entry("slo", slo),
                        entry("key", "load.qps"),
                        entry("tolerance", 0.01),
                        entry("seeds", seeds),
                        entry("confidence", 0.9),
                        entry("seedKey", "load.seed"),
                        entry("jobs", Optional.of(threads)),
                        entry("exclude", List.of()),
                        entry("when", List.of())));
    }

    @Test
    void findsTheLoadAtTheBound() throws Exception {
        // 100 / (1 - load) <= 400 is true up to three quarters of the rate.
        SearchResult result = search(capacity(List.of("latency_ms<=400"), List.of(1), 2), devices(1, 2, 9, 4));
        assertThat(result.verdicts())
                .extracting(CandidateVerdict::rank)
                .containsExactly(Rank.LOST, Rank.LOST, Rank.REFUSED, Rank.WON);
        double[] expected = {7.5, 15, 0, 30};
        for (int i = 0; i < 4; i++) {
            if (i != 2) {
                assertThat(result.verdicts().get(i).load()).isBetween(expected[i] * 0.99, expected[i]);
            }
        }
        assertThat(result.verdicts().get(2).why()).contains("there are only 8");
        assertThat(result.verdicts().get(0).why())
                .contains("-75.0 % against #3")
                .contains("bound <=400");
        ConfigSnapshot.Snapshot best = ConfigSnapshot.read(result.configs().get(0));
        assertThat(best.request().config().toString())
                .contains(Double.toString(result.verdicts().get(3).load()));
        assertThat(Files.readString(result.dir().resolve("report.html")))
                .contains(
                        "#3 (load.devices=4): capacity ",
                        "Metrics over the load",
                        "the dotted line is latency_ms&lt;=400")
                .contains("#3, worst seed")
                .doesNotContain("<dt>exclude</dt>");
    }

    @Test
    void findsANoisyCapacityWithConfidenceOnAnyNumberOfThreads() throws Exception {
        List<List<String>> jobs = List.of(List.of("load.noise=0.1"), List.of("load.noise=0.1", "load.devices=3"));
        SearchResult one = search(capacity(List.of("latency_ms<=400"), List.of(3, 12), 1), jobs);
        String table = Files.readString(one.dir().resolve("simulations.csv"));
        String candidates = Files.readString(one.dir().resolve("candidates.csv"));
        SearchResult four = search(capacity(List.of("latency_ms<=400"), List.of(3, 12), 4), jobs);
        assertThat(four.id()).isEqualTo(one.id());
        assertThat(four.dir().resolve("simulations.csv")).hasContent(table);
        assertThat(four.dir().resolve("candidates.csv")).hasContent(candidates);
        assertThat(one.verdicts().get(0).load()).isBetween(6.5, 7.6);
        assertThat(table.lines().count()).isGreaterThan(30);
    }

    @Test
    void findsALoadAtWhichTheWorstSeedMeetsTheBound() throws Exception {
        SearchResult found =
                search(capacity(List.of("latency_ms<=400"), List.of(4, 4), 1), List.of(List.of("load.noise=0.3")));
        CandidateVerdict winner = found.winners().get(0);
        double worst = IntStream.range(0, 4)
                .mapToDouble(seed -> 1 + 0.3 * new Random(seed).nextGaussian())
                .max()
                .orElseThrow();
        double capacity = 10 * (1 - worst * 100 / 400);
        assertThat(winner.load()).isBetween(capacity * 0.98, capacity);
        assertThat(winner.why()).contains("each of 4 seeds meets the SLO");
    }

    @Test
    void reportsAnSloThatNoLoadOrEveryLoadMeets() {
        SearchResult none = search(capacity(List.of("latency_ms<=50"), List.of(1), 1), devices(1));
        assertThat(none.winners()).isEmpty();
        assertThat(none.verdicts().get(0).why()).contains("sustains no load");
        SearchResult all = search(capacity(List.of("throughput>=0"), List.of(1), 1), devices(1));
        assertThat(all.winners().get(0).why()).contains("maximum simulated load");
    }

    @Test
    void simulatesAndReportsTheSameWholeLoad() {
        SweeperSettings.Capacity whole = KeyRecord.with(
                SweeperSettings.Capacity.class,
                capacity(List.of("throughput>=0"), List.of(1), 1),
                Map.of("key", "load.devices", "maxLoad", 6.5));
        CandidateVerdict winner = search(whole, devices(1)).winners().get(0);
        assertThat(winner.load()).isEqualTo(6);
        assertThat(winner.figures()).containsEntry("devices", 6.0);
    }

    @Test
    void ignoresALoadThatEndsBeforeItsRequestsAreServed() {
        // A thousand requests, and the last one takes a second. Above a thousand per second, all arrive before that.
        SearchResult few =
                search(capacity(List.of("throughput>=0"), List.of(1), 1), List.of(List.of("load.requests=1000")));
        assertThat(few.winners().get(0).load()).isBetween(990.0, 1000.0);
        assertThat(few.winners().get(0).why()).contains("too few requests for a decision");
    }

    @Test
    void simulatesMoreRequestsUntilALoadIsDecided() throws Exception {
        SearchResult found = search(
                capacity(List.of("latency_ms<=400"), List.of(1), 1), List.of(List.of("workload.num_requests=100")));
        CandidateVerdict winner = found.winners().get(0);
        assertThat(winner.load()).isBetween(7.5 * 0.99, 7.5);
        assertThat(winner.figures()).containsEntry("requests", 200.0).containsEntry("too_short", 0.0);
        MapNode best = ConfigSnapshot.read(found.configs().get(0)).request().config();
        assertThat(best.get("workload"))
                .isInstanceOfSatisfying(MapNode.class, workload -> assertThat(workload.get("num_requests"))
                        .isInstanceOfSatisfying(ScalarNode.class, count -> assertThat(count.text())
                                .isEqualTo("200")));
        SearchResult never = search(
                capacity(List.of("latency_ms<=400"), List.of(1), 1), List.of(List.of("workload.num_requests=1")));
        assertThat(never.winners().get(0).load()).isBetween(32.0 / SHORT * 0.99, 32.0 / SHORT);
        assertThat(never.winners().get(0).why()).contains("with more requests, the capacity can be higher");
    }

    private static SweeperSettings.Searching best(String goal, List<String> slo, List<String> budget) {
        return KeyRecord.of(
                SweeperSettings.Search.class,
                Map.ofEntries(
                        entry("goal", goal),
                        entry("slo", slo),
                        entry("budget", budget),
                        entry("seeds", 2),
                        entry("confidence", 0.9),
                        entry("seedKey", "load.seed"),
                        entry("jobs", Optional.of(2)),
                        entry("exclude", List.of()),
                        entry("when", List.of())));
    }

    @Test
    void stopsAtTheFirstCandidateThatMeetsAKnownGoal() {
        List<List<String>> jobs = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            jobs.add(List.of("load.devices=" + (1 + i % 8), "load.qps=12." + (10 + i), "load.noise=0.001"));
        }
        SearchResult result = search(best("min devices", List.of("latency_ms<=400"), List.of("devices<=6")), jobs);
        assertThat(result.winners()).singleElement().satisfies(winner -> assertThat(winner.figures())
                .containsEntry("devices", 2.0));
        assertThat(result.verdicts())
                .extracting(CandidateVerdict::rank)
                .contains(Rank.MISSED, Rank.OVER_BUDGET, Rank.PRUNED, Rank.LOST);
        assertThat(service.simulations.get()).as("of 80").isLessThan(40);
    }

    @Test
    void dropsDistantCandidatesAfterTheFirstSeed() {
        List<List<String>> jobs = List.of(
                List.of("load.devices=1", "load.qps=9.9", "load.noise=0.001"),
                List.of("load.devices=2", "load.qps=9.9", "load.noise=0.001"),
                List.of("load.devices=8", "load.qps=9.9", "load.noise=0.001"));
        SearchResult result = search(best("min latency_ms", List.of("latency_ms<=400"), List.of()), jobs);
        assertThat(result.verdicts())
                .extracting(CandidateVerdict::rank)
                .containsExactly(Rank.PRUNED, Rank.LOST, Rank.WON);
        assertThat(result.verdicts().get(0).seeds()).isEqualTo(1);
        assertThat(result.verdicts().get(0).why()).contains("pruned after one seed");
    }

    @Test
    void returnsTheCandidatesThatNoOtherDominates() {
        SweeperSettings.Searching pareto = new SweeperSettings.Pareto(
                List.of("min devices", "min latency_ms"),
                List.of(),
                List.of(),
                1,
                0.9,
                "load.seed",
                Optional.of(1),
                List.of(),
                List.of());
        List<List<String>> jobs = List.of(
                List.of("load.devices=1", "load.qps=5.0"),
                List.of("load.devices=2", "load.qps=5.0"),
                List.of("load.devices=2", "load.qps=6.0"));
        SearchResult result = search(pareto, jobs);
        assertThat(result.verdicts()).extracting(CandidateVerdict::rank).containsExactly(Rank.WON, Rank.WON, Rank.LOST);
        assertThat(result.verdicts().get(2).why()).startsWith("beaten by #1");
        assertThat(result.configs()).hasSize(2);
    }

    @Test
    void rejectsSettingsWithoutEffectAndUnknownMetrics() {
        assertThatThrownBy(() -> search(best("min latncy_ms", List.of(), List.of()), devices(1, 2)))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("latncy_ms");
        assertThatThrownBy(() -> search(best("min latency_ms", List.of(), List.of("latency_ms<=3")), devices(1)))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("sweeper.budget");
        assertThatThrownBy(() -> search(capacity(List.of(), List.of(1), 1), devices(1)))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("sweeper.slo");
        assertThatThrownBy(() -> search(
                        KeyRecord.with(
                                SweeperSettings.Capacity.class,
                                capacity(List.of("latency_ms<=4"), List.of(1), 1),
                                Map.of("key", "load.gps")),
                        devices(1)))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("load.gps");
        assertThatThrownBy(() -> search(best("min latency_ms", List.of(), List.of()), devices(9, 10)))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("there are only 8");
    }
}
