package dev.stagesim.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assertions.within;

import dev.stagesim.model.StageException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Common commands state what their answer does not show, and errors name the key to set. */
final class FirstAnswersTest {
    @TempDir
    private Path work;

    private Run cluster(String... more) {
        return TestRuns.run(
                work,
                "cluster_sim",
                List.of(
                        "cluster=failing_4",
                        "model=llama3_8b",
                        "hardware=h100",
                        "rate=20",
                        "requests=400",
                        "prompt_tokens=200",
                        "output_tokens=100"),
                more);
    }

    /** A cluster has equal instances unless the user separates prefill and decode. */
    @Test
    void clustersHaveEqualInstancesByDefault() {
        String[] words = {"requests=20", "prompt_tokens=64", "output_tokens=4"};
        assertThat(TestRuns.run(work, "cluster_sim", List.of(words)).figures())
                .containsEntry("devices", 2.0)
                .containsKey("all_busy_share");
        assertThat(TestRuns.run(work, "cluster_sim", List.of(words), "replicas=3")
                        .figures())
                .containsEntry("devices", 3.0);
        assertThat(TestRuns.run(work, "cluster_sim", List.of(words), "cluster=pd_1_1")
                        .figures())
                .containsKeys("prefill_busy_share", "decode_busy_share");
    }

    @Test
    void clustersReportTheirFailures() {
        Run none = cluster("cluster.failures.mtbf_h=2");
        assertThat(none.figures()).containsEntry("failed_instances", 0.0);
        assertThat(none.warnings()).anyMatch(text -> text.contains("lower cluster.failures.mtbf_h"));
        Run some = cluster("cluster.failures.mtbf_h=0.005");
        assertThat(some.figures().get("failed_instances")).isPositive();
        assertThat(some.warnings()).noneMatch(text -> text.contains("no instance failed"));
        assertThatThrownBy(() -> cluster("cluster.failures.kind=listed"))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("give +cluster.failures.times.<name>.instance=<value> "
                        + "+cluster.failures.times.<name>.at_s=<value>");
    }

    private Run serving(String... overrides) {
        return TestRuns.run(work, "vidur_sim", List.of("model=llama3_8b", "hardware=h100"), overrides);
    }

    @Test
    void saturatedRunsNameTheLimitThatHelps() {
        String[] prompts = {"rate=10", "requests=150", "prompt_tokens=8000", "output_tokens=100"};
        assertThat(serving(prompts).warnings())
                .anyMatch(
                        text -> text.matches(".*; limit: compute of prompts \\(FLOPs utilisation \\d+ %\\), then .*"));
        String[] batches = {
            "rate=30", "requests=600", "prompt_tokens=2000", "output_tokens=200", "scheduler.max_num_seqs=8"
        };
        assertThat(serving(batches).warnings())
                .anyMatch(text -> text.startsWith("saturated: ") && text.endsWith("; limit: max_num_seqs=8"));
    }

    @Test
    void runsCloseToTheCapacityNameTheWait() {
        String[] bursts = {"rate=6", "requests=1000", "prompt_tokens=500..2000", "output_tokens=100..300"};
        Run busy =
                TestRuns.run(work, "vidur_sim", List.of("model=llama3_8b", "hardware=l40s", "burstiness=0.3"), bursts);
        assertThat(busy.warnings())
                .anyMatch(text ->
                        text.startsWith("close to the capacity: requests wait ") && text.contains("limit: kv_blocks="));
        assertThat(serving("rate=10", "requests=1000").warnings()).noneMatch(text -> text.contains("capacity"));
    }

    @Test
    void shortRunsOfAFileDoNotAskForMoreDrawnRequests() throws IOException {
        StringBuilder rows = new StringBuilder("timestamp,prompt_tokens,completion_tokens\n");
        IntStream.range(0, 8).forEach(i -> rows.append(i * 0.1 + ",100,1000\n"));
        Path trace = Files.writeString(work.resolve("trace.csv"), rows);
        assertThat(serving("workload=trace", "workload.file=" + trace).warnings())
                .anyMatch(text -> text.contains("too short for a verdict"))
                .noneMatch(text -> text.contains("set requests="));
        assertThat(serving("rate=10", "requests=8", "prompt_tokens=100", "output_tokens=1000")
                        .warnings())
                .anyMatch(text -> text.contains(": set requests="));
    }

    /** A figure "saturated 0" of a run that is too short would say that the load was sustained. */
    @ParameterizedTest
    @ValueSource(strings = {"vidur_sim", "cluster_sim"})
    void shortRunsDoNotLookSustained(String stage) {
        List<String> load = List.of("model=qwen3_8b", "hardware=h100", "prompt_tokens=100", "output_tokens=1000");
        assertThat(TestRuns.run(work, stage, load, "rate=10", "requests=8").figures())
                .containsEntry("too_short", 1.0)
                .doesNotContainKey("saturated");
        assertThat(TestRuns.run(work, stage, load, "rate=1", "requests=200", "output_tokens=20")
                        .figures())
                .containsEntry("saturated", 0.0)
                .doesNotContainKeys("too_short", "makespan_s");
    }

    @ParameterizedTest
    @ValueSource(strings = {"vidur_sim", "cluster_sim"})
    void batchesReportTheirMakespan(String stage) {
        List<String> load = List.of("model=qwen3_8b", "hardware=h100", "prompt_tokens=100", "output_tokens=100");
        Map<String, Double> figures =
                TestRuns.run(work, stage, load, "arrival=static", "requests=50").figures();
        assertThat(figures.get("makespan_s"))
                .isCloseTo(50 / figures.get("throughput_requests_per_s"), within(1e-9))
                .isGreaterThan(figures.get("e2e_p50_ms") / 1000 - 1e-6); // a figure has nine digits
        assertThat(figures).doesNotContainKeys("saturated", "too_short", "offered_requests_per_s");
    }

    private Run collective(String... words) {
        return TestRuns.run(work, "astra_sim", List.of("workload.comm_size=1GiB"), words);
    }

    /** One node, a part of one, and several nodes need no key but the number of GPUs. */
    @ParameterizedTest
    @CsvSource({"8, 449.9", "4, 449.9", "16, 482.1", "64, 362.0"})
    void nodesOfADgxFollowTheNumberOfGpus(int gpus, double bus) {
        Run run = collective("network=dgx_h100", "workload.num_npus=" + gpus);
        assertThat(run.figures().get("finished_npus")).isEqualTo(gpus);
        assertThat(run.figures().get("bus_bandwidth_gbs")).isCloseTo(bus, within(0.5));
    }

    @Test
    void networksWithAllNumbersGiveTheSameTimes() {
        assertThat(collective("network=dgx_h100", "workload.num_npus=16", "network.topology.npus_count=[8,2]")
                        .figures())
                .isEqualTo(
                        collective("network=dgx_h100", "workload.num_npus=16").figures());
        assertThat(collective("network=dgx_h100", "system=direct", "workload.num_npus=8")
                        .figures())
                .containsKey("bus_bandwidth_gbs");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "network=dgx_h100 workload.num_npus=36 | set a multiple of 8 NPUs, or fewer",
                "network=dgx_h100 system=ring workload.num_npus=16 | set system=dgx_h100 or system=dgx_a100",
                "network=switch_8 network.topology.npus_count=[0] | must be at least 2 in each dimension",
                "network=switch_8 workload.num_npus=16 | network.topology.npus_count='[16]'",
                "npus=8 | did you mean  workload.num_npus",
            })
    void networksThatDoNotFitNameTheKey(String words, String message) {
        assertThatThrownBy(() -> collective(words.strip().split(" ")))
                .isInstanceOf(StageException.class)
                .hasMessageContaining(message);
    }

    /** The default of the method is not a value that the user replaced. */
    @Test
    void errorsOfValuesQuoteNoDefault() {
        assertThatThrownBy(() -> TestRuns.run(work, "vidur_sim", List.of("speculative=medusa")))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("none, ngram, eagle")
                .hasMessageNotContaining("was ");
    }

    /** The error for a model of another shape has keys with which fabric prices that model. */
    @Test
    void fabricPricesAnotherModelWithTheKeysOfItsError() {
        List<String> words = new ArrayList<>(List.of("workload=chat_service", "model=llama3_70b"));
        String message = String.valueOf(catchThrowable(() -> TestRuns.run(work, "fabric", words)));
        assertThat(message).contains("workload.params.n_layers=80", "workload.parallelism.tp=4");
        words.addAll(List.of(message.replaceAll("(?s).*for this one, set ([^;]*); or.*", "$1")
                .split(" ")));
        assertThat(TestRuns.run(work, "fabric", words).figures().get("cost_usd"))
                .isGreaterThan(TestRuns.run(work, "fabric", List.of("workload=chat_service"))
                        .figures()
                        .get("cost_usd"));
    }
}
