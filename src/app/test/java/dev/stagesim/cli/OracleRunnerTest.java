package dev.stagesim.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stagesim.cli.console.Home;
import dev.stagesim.config.ConfigEngine;
import dev.stagesim.config.compose.source.SearchRoot;
import dev.stagesim.io.json.Json;
import dev.stagesim.model.KeyRecord;
import dev.stagesim.model.StageException;
import dev.stagesim.pipeline.OracleRunner;
import dev.stagesim.pipeline.Pipeline;
import dev.stagesim.pipeline.PipelineListener;
import dev.stagesim.pipeline.StageRegistry;
import dev.stagesim.pipeline.request.ConfigSnapshot;
import dev.stagesim.pipeline.request.JobComposer;
import dev.stagesim.pipeline.request.RunOptions;
import dev.stagesim.pipeline.request.RunRequest;
import dev.stagesim.pipeline.store.RunRef;
import dev.stagesim.stage.Stage;
import dev.stagesim.sweep.SweeperSettings;
import dev.stagesim.sweep.launch.LauncherSettings;
import dev.stagesim.sweep.search.Candidate;
import dev.stagesim.sweep.search.CandidateVerdict;
import dev.stagesim.sweep.search.LoadKey;
import dev.stagesim.sweep.search.Search;
import dev.stagesim.sweep.search.SearchResult;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Headline values of a simulation in memory equal the values of a recorded run. */
final class OracleRunnerTest {
    private final Home home = Home.fromEnvironment();
    private final StageRegistry registry = StageRegistry.standard();

    @TempDir
    private Path dir;

    private JobComposer composer(Stage<?> stage) {
        return new JobComposer(
                ConfigEngine.open(List.of(new SearchRoot("main", home.configs()))),
                stage,
                stage.spec().name(),
                Home::shown);
    }

    @Test
    void returnsTheMetricsOfTheRunFromMemory() {
        Stage<?> stage = registry.find("vidur_sim").orElseThrow();
        JobComposer composer = composer(stage);
        Pipeline pipeline = new Pipeline(registry, home.dir(), dir, PipelineListener.NONE, Clock.systemUTC());
        OracleRunner answers = new OracleRunner(pipeline);
        for (String scheduler : List.of("vllm", "sarathi", "lightllm")) {
            RunRequest request = composer.request(
                    List.of("scheduler=" + scheduler, "workload.num_requests=100", "cluster.replicas=2"));
            RunRequest other = request.with(Map.of("arrival.qps", 7.5, "workload.seed", 3L));
            for (RunRequest one : List.of(request, other)) {
                SortedMap<String, Double> figures = answers.figures(stage, one);
                RunRef run = pipeline.run(stage, one, RunOptions.DEFAULT);
                assertThat(figures).containsAllEntriesOf(run.meta().headlines());
                assertThat(figures).containsEntry("devices", 2.0).containsKeys("usd_per_mtok", "tpot_p99_ms");
                // Each device draws 20 to 100 % of its board power.
                double devicesAtFullPower = 1e3 * figures.get("power_kw") / figures.get("throughput_tokens_per_s");
                assertThat(figures.get("joules_per_output_token"))
                        .isBetween(0.2 * devicesAtFullPower, devicesAtFullPower);
                // A workload from a run directory gives the same values.
                RunRequest given = composer.request(List.of(
                        "scheduler=" + scheduler,
                        "cluster.replicas=2",
                        "workload.dir=" + dir.resolve("tmp/workload").resolve(workload(run))));
                assertThat(answers.figures(stage, given)).isEqualTo(figures);
            }
        }
    }

    /** Capacity searches take the metrics of a cluster from memory. */
    @Test
    void findsTheCapacityOfACluster() throws IOException {
        Stage<?> stage = registry.find("cluster_sim").orElseThrow();
        JobComposer composer = composer(stage);
        Pipeline pipeline = new Pipeline(registry, home.dir(), dir, PipelineListener.NONE, Clock.systemUTC());
        SweeperSettings.Capacity settings = KeyRecord.of(
                SweeperSettings.Capacity.class,
                Map.of(
                        "slo",
                        List.of("e2e_p99_ms<=4000"),
                        "start",
                        32.0,
                        "tolerance",
                        0.5,
                        "seeds",
                        List.of(1),
                        "confidence",
                        0.9,
                        "seedKey",
                        "workload.seed"));
        Search search = search(pipeline, stage, settings);
        List<List<String>> jobs =
                List.of(List.of("cluster=round_robin_4", "model=qwen3", "hardware=h100", "workload.num_requests=100"));
        SearchResult result = search.run(search.candidates(jobs, composer::request), false, count -> {});
        CandidateVerdict best = result.verdicts().get(0);
        assertThat(best.rank()).as(best.why()).isEqualTo(CandidateVerdict.Rank.WON);
        assertThat(best.load()).isGreaterThan(1);
        RunRequest winner = ConfigSnapshot.read(result.configs().get(0)).request();
        RunRef run = pipeline.run(stage, winner, RunOptions.DEFAULT);
        assertThat(run.meta().headlines()).isNotEmpty();
        assertThat(new OracleRunner(pipeline).figures(stage, winner))
                .containsAllEntriesOf(run.meta().headlines())
                .containsEntry("devices", 4.0)
                .containsKeys("usd_per_hour", "saturated", "too_short")
                .hasEntrySatisfying("e2e_p99_ms", ms -> assertThat(ms).isLessThanOrEqualTo(4000));
    }

    /** The notes name no rate, because the search sets it. The saved configuration has exactly the rate of the answer. */
    @Test
    void reportsTheNotesOfARunAndKeepsTheExactRate() throws IOException {
        Stage<?> stage = registry.find("vidur_sim").orElseThrow();
        JobComposer composer = composer(stage);
        List<String> notes = new ArrayList<>();
        PipelineListener listener = new PipelineListener() {
            @Override
            public void notice(String source, String message) {
                notes.add(source + ": " + message);
            }
        };
        Pipeline pipeline = new Pipeline(registry, home.dir(), dir, listener, Clock.systemUTC());
        SweeperSettings.Capacity settings = KeyRecord.of(
                SweeperSettings.Capacity.class,
                Map.of("slo", List.of("ttft_p99_ms<=500"), "seeds", List.of(1), "tolerance", 0.5));
        Search search = search(pipeline, stage, settings);
        List<String> job = List.of("model=llama3_8b", "hardware=h100", "workload.num_requests=100");
        List<String> refused = List.of(
                "model=llama3_8b",
                "hardware=h100",
                "workload.num_requests=100",
                "workload.lengths.kind=fixed",
                "workload.lengths.prefill_tokens=100000");
        SearchResult result =
                search.run(search.candidates(List.of(job, refused), composer::request), false, count -> {});
        assertThat(result.verdicts().get(1).rank()).isEqualTo(CandidateVerdict.Rank.REFUSED);
        assertThat(notes)
                .anyMatch(text -> text.startsWith("vidur_sim: requests: log-normal lengths"))
                .anyMatch(text -> text.contains("published error of TPOT"))
                .noneMatch(text -> text.contains("arrivals"));
        RunRequest best = ConfigSnapshot.read(result.configs().get(0)).request();
        assertThat(Json.compact(best.json())).contains("\"exact_rate\":true");
    }

    /** A closed loop offers no rate, so its load is the number of requests in flight. */
    @Test
    void findsTheConcurrencyOfAClosedLoop() throws IOException {
        Stage<?> stage = registry.find("vidur_sim").orElseThrow();
        JobComposer composer = composer(stage);
        Pipeline pipeline = new Pipeline(registry, home.dir(), dir, PipelineListener.NONE, Clock.systemUTC());
        List<String> words = List.of(
                "model=llama3_8b",
                "hardware=h100",
                "workload.num_requests=20",
                "workload.lengths.kind=fixed",
                "workload.lengths.prefill_tokens=1000",
                "workload.lengths.decode_tokens=20");
        SweeperSettings.Capacity settings =
                KeyRecord.of(SweeperSettings.Capacity.class, Map.of("slo", List.of("ttft_p99_ms<=500")));
        for (String key : List.of("auto", "concurrency", "arrival.concurrency")) {
            SweeperSettings.Capacity keyed =
                    KeyRecord.with(SweeperSettings.Capacity.class, settings, Map.of("key", key));
            List<String> job = new ArrayList<>(LoadKey.complete(keyed, words));
            assertThat(job.contains("arrival=closed_loop")).isEqualTo(!key.equals("auto"));
            if (key.equals("auto")) {
                job.add("arrival=closed_loop");
            }
            Search search = search(pipeline, stage, keyed);
            SearchResult result = search.run(search.candidates(List.of(job), composer::request), false, count -> {});
            CandidateVerdict best = result.verdicts().get(0);
            assertThat(best.rank()).as(best.why()).isEqualTo(CandidateVerdict.Rank.WON);
            assertThat(best.why()).contains(" requests in flight, ").contains(" requests/s completed");
            assertThat(best.load()).isEqualTo(Math.rint(best.load())).isGreaterThan(1);
            assertThat(best.seeds()).as("nothing is random").isEqualTo(1);
            String config = Json.compact(
                    ConfigSnapshot.read(result.configs().get(0)).request().json());
            long load = Math.round(best.load());
            assertThat(config)
                    .contains("\"concurrency\":" + load)
                    .contains("\"warmup_requests\":" + load)
                    .contains("\"num_requests\":" + Math.max(20, 10 * load));
        }
        Search rate = search(
                pipeline, stage, KeyRecord.with(SweeperSettings.Capacity.class, settings, Map.of("key", "rate")));
        List<String> closed = new ArrayList<>(words);
        closed.add("arrival=closed_loop");
        List<Candidate> candidates = rate.candidates(List.of(closed), composer::request);
        assertThatThrownBy(() -> rate.run(candidates, false, count -> {}))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("set sweeper.key=arrival.concurrency");
        SweeperSettings.Capacity lax = KeyRecord.with(
                SweeperSettings.Capacity.class, settings, Map.of("slo", List.of("tpot_p99_ms<=1000000")));
        Search endless = search(pipeline, stage, lax);
        SearchResult saturated =
                endless.run(endless.candidates(List.of(closed), composer::request), false, count -> {});
        assertThat(saturated.verdicts().get(0).load()).isLessThan(1000);
        assertThat(saturated.verdicts().get(0).why()).endsWith("hardly more than with fewer requests in flight");
        closed.add("arrival.qps=5");
        Search limited = search(pipeline, stage, settings);
        List<Candidate> paced = limited.candidates(List.of(closed), composer::request);
        assertThatThrownBy(() -> limited.run(paced, false, count -> {}))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("limits the load of the closed loop")
                .hasMessageContaining("omit the rate");
        Search mixed = search(pipeline, stage, settings);
        List<Candidate> both = mixed.candidates(List.of(closed, words), composer::request);
        assertThatThrownBy(() -> mixed.run(both, false, count -> {}))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("no common load");
    }

    private static Search search(Pipeline pipeline, Stage<?> stage, SweeperSettings.Searching settings) {
        return new Search(pipeline, stage, settings, new LauncherSettings.Local(Optional.empty(), Optional.empty()));
    }

    @Test
    void reportsMeanRequestsOncePerSearch() throws IOException {
        List<String> warnings = new ArrayList<>();
        PipelineListener listener = new PipelineListener() {
            @Override
            public void warning(String stage, String message) {
                warnings.add(stage + ": " + message);
            }
        };
        Pipeline pipeline = new Pipeline(registry, home.dir(), dir, listener, Clock.systemUTC());
        ConfigEngine engine = ConfigEngine.open(List.of(new SearchRoot("main", home.configs())));
        Stage<?> measuring = registry.find("real_bench").orElseThrow();
        RunRef measured = pipeline.run(
                measuring,
                new JobComposer(engine, measuring, "real_bench", Home::shown)
                        .request(List.of(
                                "real.file=" + home.dir().resolve("tests-data/measured/inferencex.json"),
                                "real.entry=0",
                                "model=qwen3",
                                "hardware=h100")),
                RunOptions.DEFAULT);
        warnings.clear();
        for (String name : List.of("vidur_sim", "cluster_sim")) {
            Stage<?> stage = registry.find(name).orElseThrow();
            JobComposer composer = new JobComposer(engine, stage, name, Home::shown);
            OracleRunner answers = new OracleRunner(pipeline);
            for (String hardware : List.of("h100", "h200")) {
                List<String> overrides = new ArrayList<>(
                        List.of("model=qwen3", "hardware=" + hardware, "workload.dir=" + measured.dir()));
                if (name.equals("cluster_sim")) {
                    overrides.add("cluster=round_robin_4");
                }
                assertThat(answers.figures(stage, composer.request(overrides))).isNotEmpty();
            }
        }
        assertThat(warnings).hasSize(2).allMatch(text -> text.contains("simulated are 80 requests"));
        assertThat(warnings.get(1)).startsWith("cluster_sim: ");
    }

    private static String workload(RunRef run) {
        return run.meta().inputs().stream()
                .filter(input -> input.role().equals("workload"))
                .findFirst()
                .flatMap(input -> input.runId())
                .orElseThrow();
    }
}
