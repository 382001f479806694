package dev.stagesim.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;
import static org.assertj.core.api.Assertions.withinPercentage;

import dev.stagesim.io.csv.LooseTable;
import dev.stagesim.model.StageException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Stages keep the requests of a closed loop in flight, and report their times of entry. */
final class ClosedLoopRunTest {
    @TempDir
    private Path work;

    private Run run(String stage, String... more) {
        return TestRuns.run(
                work,
                stage,
                List.of("model=qwen3_8b", "hardware=h100", "requests=64", "prompt_tokens=400", "output_tokens=50"),
                more);
    }

    private static double figure(Run run, String name) {
        return run.figures().getOrDefault(name, Double.NaN);
    }

    private static LooseTable requests(Run run) throws IOException {
        return LooseTable.read(run.dir().resolve("request_metrics.csv"));
    }

    @Test
    void namesASmallCacheBeforeTheLengthOfTheRun() {
        Run run = run("vidur_sim", "concurrency=32", "scheduler.num_gpu_blocks_override=200");
        assertThat(figure(run, "restarts")).isGreaterThan(6);
        assertThat(run.warnings().get(0))
                .contains("room for 3,200 tokens, about 7 requests of this load", "restarts of 64 requests: raise tp");
        assertThat(run.warnings()).noneMatch(text -> text.contains("set requests="));
    }

    @ParameterizedTest
    @ValueSource(strings = {"vllm_v1", "sglang", "sarathi"})
    void reportsTheTimesOfEntry(String engine) throws IOException {
        Run run = run("vidur_sim", "engine=" + engine, "concurrency=8");
        LooseTable rows = requests(run);
        assertThat(rows.size()).isEqualTo(64);
        double seconds = 0;
        for (int i = 0; i < 64; i++) {
            assertThat(rows.number(i, "arrival_time_ns") > 0).isEqualTo(i >= 8);
            assertThat(rows.number(i, "e2e_time_ns"))
                    .isEqualTo(rows.number(i, "completion_time_ns") - rows.number(i, "arrival_time_ns"));
            seconds += rows.number(i, "e2e_time_ns") / 1e9 / 64;
        }
        assertThat(figure(run, "throughput_requests_per_s") * seconds).isCloseTo(8, within(0.4));
        assertThat(run.figures()).doesNotContainKeys("offered_requests_per_s", "saturated");
        assertThat(Files.readString(run.dir().resolve("summary.md")))
                .contains("closed loop, 8 in flight: served ", "arrivals: closed loop, 8 in flight");
    }

    @Test
    void warnsAboutLoopsThatAreMostlyStartAndEnd() throws IOException {
        assertThat(Files.readString(run("vidur_sim", "concurrency=64").dir().resolve("summary.md")))
                .contains(
                        "all 64 requests start at once, and none follows, so latencies and throughput are of this start: set"
                                + " requests=640 or more and arrival.warmup_requests=64");
        assertThat(Files.readString(run("vidur_sim", "concurrency=16").dir().resolve("summary.md")))
                .contains("which lower the throughput: set requests=160 or more");
        assertThat(Files.readString(run("vidur_sim", "concurrency=6").dir().resolve("summary.md")))
                .doesNotContain("or more");
    }

    @Test
    void excludesTheWarmUpFromMetrics() throws IOException {
        String[] loop = {"engine=vllm_v1", "concurrency=8", "arrival.ramp_up_s=0.4"};
        Run whole = run("vidur_sim", loop);
        Run warm = run("vidur_sim", loop[0], loop[1], loop[2], "arrival.warmup_requests=16");
        LooseTable all = requests(whole);
        LooseTable left = requests(warm);
        assertThat(left.size()).isEqualTo(48);
        double first = left.number(0, "arrival_time_ns");
        double last = 0;
        for (int i = 0; i < 48; i++) {
            assertThat(left.text(i, "completion_time_ns")).isEqualTo(all.text(i + 16, "completion_time_ns"));
            last = Math.max(last, left.number(i, "completion_time_ns"));
        }
        assertThat(all.number(1, "arrival_time_ns")).isEqualTo(50_000_000);
        double served = 48;
        for (int i = 0; i < 16; i++) { // a warm-up request that is in flight counts with its remaining share
            double end = all.number(i, "completion_time_ns");
            served += Math.max(0, end - first) / (end - all.number(i, "arrival_time_ns"));
        }
        assertThat(served).isGreaterThan(50);
        assertThat(figure(warm, "throughput_requests_per_s")).isCloseTo(1e9 * served / (last - first), within(1e-6));
        assertThat(figure(warm, "throughput_tokens_per_s") / figure(whole, "throughput_tokens_per_s"))
                .isBetween(0.95, 1.1);
        assertThat(Files.readString(warm.dir().resolve("summary.md"))).contains("first 16 requests are a warm-up");
    }

    @Test
    void limitsTheRequestsInFlightOfARate() throws IOException {
        Run run = run("vidur_sim", "engine=vllm_v1", "rate=1000", "concurrency=4");
        Run free = run("vidur_sim", "engine=vllm_v1", "rate=1000", "concurrency=64");
        Run open = run("vidur_sim", "engine=vllm_v1", "rate=1000");
        assertThat(requests(free).text(63, "completion_time_ns"))
                .isEqualTo(requests(open).text(63, "completion_time_ns"));
        assertThat(figure(run, "throughput_requests_per_s")).isLessThan(figure(open, "throughput_requests_per_s"));
    }

    @Test
    void drawsLengthsAndBurstyArrivals() throws IOException {
        LooseTable rows = requests(run(
                "vidur_sim",
                "engine=vllm_v1",
                "prompt_tokens=100..200",
                "output_tokens=lognormal(mean=20,cv=0.5,max=60)",
                "rate=50",
                "burstiness=0.25"));
        double squares = 0;
        double sum = 0;
        for (int i = 0; i < rows.size(); i++) {
            assertThat(rows.number(i, "num_prefill_tokens")).isBetween(100.0, 200.0);
            assertThat(rows.number(i, "num_decode_tokens")).isBetween(1.0, 60.0);
            double gap = i == 0 ? 0 : rows.number(i, "inter_arrival_delay_ns");
            sum += gap;
            squares += gap * gap;
        }
        assertThat(squares * 63 / (sum * sum) - 1).as("squared variation, 4").isBetween(2.0, 8.0);
    }

    @ParameterizedTest
    @ValueSource(strings = {"cluster=pd_1_1", "cluster=round_robin_4"})
    void keepsRequestsInFlightInACluster(String cluster) throws IOException {
        Run run = run("cluster_sim", cluster, "concurrency=6", "arrival.warmup_requests=10");
        LooseTable rows = requests(run);
        assertThat(rows.size()).isEqualTo(54);
        double seconds = 0;
        for (int i = 0; i < rows.size(); i++) {
            double entry = rows.number(i, "arrival_time_ns");
            long before = IntStream.range(0, i)
                    .filter(other -> rows.number(other, "completion_time_ns") > entry)
                    .count();
            assertThat(before).isLessThan(6);
            seconds += rows.number(i, "e2e_time_ns") / 1e9 / rows.size();
        }
        assertThat(figure(run, "throughput_requests_per_s") * seconds).isCloseTo(6, within(0.9));
        assertThat(run.figures()).doesNotContainKey("offered_requests_per_s");
        assertThat(Files.readString(run.dir().resolve("summary.md")))
                .contains("requests/s served; closed loop, 6 in flight");
    }

    @Test
    void definesRatesOfAClusterAsThoseOfItsOnlyInstance() {
        List<String> names =
                List.of("throughput_requests_per_s", "throughput_tokens_per_s", "offered_requests_per_s", "saturated");
        Run cluster = run("cluster_sim", "cluster=round_robin", "replicas=1", "rate=100", "output_tokens=200");
        Run single = run("vidur_sim", "rate=100", "output_tokens=200");
        for (String name : names) {
            assertThat(figure(cluster, name)).as(name).isCloseTo(figure(single, name), withinPercentage(0.5));
        }
        assertThat(cluster.warnings()).anyMatch(text -> text.contains("too short for a verdict"));
        assertThat(single.warnings()).anyMatch(text -> text.contains("too short for a verdict"));
    }

    private Run plan(String... more) {
        return run(
                "plan",
                Stream.concat(
                                Stream.of(
                                        "requests=320",
                                        "tp=1",
                                        "search.weights=[bf16]",
                                        "search.kv_cache=[bf16]",
                                        "search.max_num_seqs=[64]",
                                        "search.max_num_batched_tokens=[2048]"),
                                Stream.of(more))
                        .toArray(String[]::new));
    }

    @ParameterizedTest
    @ValueSource(strings = {"throughput", "latency"})
    void plansGoalsForRequestsInFlight(String goal) {
        Run run = plan("concurrency=64", "devices=2", "goal=" + goal);
        assertThat(figure(run, "devices")).isEqualTo(2);
        double rate = figure(run, "tokens_s_device") * 2 / 50;
        assertThat(rate * figure(run, "e2e_p99_ms") / 1e3).isBetween(58.0, 90.0);
        assertThat(run.figures()).doesNotContainKey("max_load");
    }

    @Test
    void plansForRequestsInFlight() throws IOException {
        Run loose = plan("concurrency=64");
        Run strict = plan("concurrency=64", "slo='tpot_p99_ms<8.2'");
        assertThat(figure(loose, "replicas")).isEqualTo(1);
        assertThat(figure(strict, "replicas")).isGreaterThan(1);
        for (Run run : new Run[] {loose, strict}) {
            double rate = figure(run, "tokens_s_device") * figure(run, "devices") / 50;
            assertThat(rate * figure(run, "e2e_p99_ms") / 1e3).isBetween(58.0, 90.0);
            assertThat(figure(run, "max_load")).isGreaterThanOrEqualTo(64);
        }
        assertThat(figure(strict, "tpot_p99_ms")).isLessThan(8.2);
        assertThat(Files.readString(strict.dir().resolve("summary.md")))
                .contains(
                        "at 64 requests in flight (",
                        "| Requests in flight |",
                        "closed loop, 64 in flight; the first wave of requests is excluded");
    }

    /** Without a bound on the TTFT, requests may wait for a batch of 16; more of them in flight would only wait. */
    @Test
    void namesRequestsThatWaitInTheEngine() throws IOException {
        Run run = plan(
                "concurrency=64",
                "search.max_num_seqs=[16]",
                "slo='tpot_p99_ms<50'",
                "search.engines=[vllm_v1,sglang]");
        assertThat(run.figures()).containsEntry("max_load", 64.0).containsEntry("load_headroom_pct", 0.0);
        String summary = Files.readString(run.dir().resolve("summary.md"));
        assertThat(summary)
                .containsPattern("headroom none in load and \\d+ % in the SLO; only 1[0-6] of the 64 requests in flight"
                        + " run at once, the others wait in the engine's queue: P99 TTFT \\S+ s \\(add ttft_p99_ms to")
                .contains("| P99 TPOT (ms) | P99 TTFT (ms) | Tokens/s per user |")
                .doesNotContain("Headroom: ");
        LooseTable candidates = LooseTable.read(run.dir().resolve("plan_candidates.csv"));
        assertThat(candidates.text(1, "status")).isEqualTo("feasible");
        assertThat(candidates.number(0, "devices")).isEqualTo(candidates.number(1, "devices"));
        assertThat(candidates.number(0, "tokens_s_device")).isGreaterThan(candidates.number(1, "tokens_s_device"));
        assertThat(Files.readString(plan("concurrency=64").dir().resolve("summary.md")))
                .doesNotContain("run at once");
    }

    /** Requests beyond the batch limit wait for their first token, so four copies are the first that is simulated. */
    @Test
    void predictsTheWaitForTheBatch() {
        Run run = plan("concurrency=64", "search.max_num_seqs=[16]", "slo='ttft_p99_ms<400'", "search.simulations=1");
        assertThat(figure(run, "replicas")).isEqualTo(4);
    }

    @ParameterizedTest
    @CsvSource({
        "rate=20, set either rate or concurrency",
        "search.pools=true, requires a request rate",
        "turns=3, cannot count sessions in plan",
    })
    void rejectsPlansThatRequireARate(String override, String message) {
        assertThatThrownBy(() -> plan("concurrency=64", override))
                .isInstanceOf(StageException.class)
                .hasMessageContaining(message);
    }

    @ParameterizedTest
    @CsvSource({
        "arrival.warmup_requests=64, no request is left",
        "workload.sharing.kind=agents workload.sharing.token_time_s=1, a call follows the simulated answer",
        "workload.duration=5, all requests arrive at once",
        "workload.seed=5, has no effect",
        "burstiness=0.5, set arrival.qps",
        "output_tokens=5..2, an ascending range",
    })
    void rejectsWhatHasNoEffect(String override, String message) {
        assertThatThrownBy(() -> run("vidur_sim", ("engine=vllm_v1 concurrency=4 " + override).split(" ")))
                .isInstanceOf(StageException.class)
                .hasMessageContaining(message);
    }

    @Test
    void rejectsSimultaneousTurns() {
        assertThatThrownBy(() -> run("vidur_sim", "turns=2", "think_time=0"))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("must be positive unless a turn follows the previous answer");
    }

    @Test
    void keepsSessionsInFlightInEveryStage() throws IOException {
        String[] load = {"turns=3", "concurrency=4", "think_time=0.5", "requests=60"};
        LooseTable alone = requests(run("vidur_sim", load));
        LooseTable pooled = requests(run(
                "cluster_sim",
                Stream.concat(Stream.of(load), Stream.of("cluster=round_robin_4", "replicas=1"))
                        .toArray(String[]::new)));
        for (int i = 0; i < 60; i++) {
            for (String time : List.of("arrival_time_ns", "first_token_time_ns", "completion_time_ns")) {
                assertThat(pooled.number(i, time))
                        .as("%s of %d", time, i)
                        .isCloseTo(alone.number(i, time), within(2.0));
            }
        }
        long[] entered = IntStream.range(0, 20)
                .mapToLong(i -> (long) alone.number(i, "arrival_time_ns"))
                .toArray();
        assertThat(entered).startsWith(0, 0, 0, 0);
        assertThat(entered[4]).isPositive();
        assertThat(IntStream.range(0, 60).map(i -> inFlight(alone, i)).max().orElse(0))
                .isBetween(2, 4);
        assertThat(Files.readString(run("vidur_sim", load).dir().resolve("summary.md")))
                .contains("closed loop, 4 sessions in flight: served ", "0.5 s on average after the previous answer");
    }

    /** Returns the requests in flight when a request enters. */
    private static int inFlight(LooseTable rows, int request) {
        double at = rows.number(request, "arrival_time_ns");
        return (int) IntStream.range(0, rows.size())
                .filter(i -> rows.number(i, "arrival_time_ns") <= at && rows.number(i, "completion_time_ns") > at)
                .count();
    }
}
