package dev.stagesim.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stagesim.contract.RunConditions;
import dev.stagesim.io.json.Json;
import dev.stagesim.model.StageException;
import dev.stagesim.report.Numbers;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Verdicts state their conditions, computed times cover the lengths of a run, and requests beyond the context are
 * rejected.
 */
final class RunConditionsTest {
    private static final Path HOME =
            Path.of(System.getProperty("stagesim.home", "")).toAbsolutePath();
    private static final String[] FIXED = {
        "workload.num_requests=3",
        "workload.max_tokens=null",
        "workload.lengths.kind=fixed",
        "workload.lengths.decode_tokens=2"
    };

    @TempDir
    private Path work;

    private Run run(String stage, Stream<String> more) {
        return Stagesim.open(HOME, work).run(stage, more.toArray(String[]::new));
    }

    private Run run(String stage, String... more) {
        return run(stage, Stream.concat(Stream.of("hardware=h100"), Stream.of(more)));
    }

    private Run fixed(String stage, int prompt, String... more) {
        return run(
                stage,
                Stream.of(
                                Stream.of("hardware=h100").filter(word -> Stream.of(more)
                                        .noneMatch(other -> other.startsWith("hardware="))),
                                Stream.of("workload.lengths.prefill_tokens=" + prompt),
                                Stream.of(FIXED),
                                Stream.of(more))
                        .flatMap(words -> words));
    }

    private static RunConditions conditions(Run run) throws IOException {
        return Json.readDocument(run.dir(), RunConditions.class).orElseThrow();
    }

    @Test
    void statesDevicesAndNetworkOfCopiesThatSpanNodes() throws IOException {
        String[] pipeline = {"model=llama3_8b", "tp=8", "pp=2", "hardware.link.node_us=12"};
        Run run = fixed("vidur_sim", 10, pipeline);
        assertThat(run.figures()).containsEntry("devices", 16.0);
        assertThat(conditions(run).hardware())
                .startsWith("16 × H100-SXM-80GB, between nodes of 8 devices 400 Gbit/s per device"
                        + " (hardware.nic_gbps_per_accel_typ) at 70" + Numbers.SPACE + "% (hardware.link.network_share)"
                        + " and 12 µs (hardware.link.node_us)");
        assertThat(conditions(fixed("vidur_sim", 10, "model=llama3_8b", "tp=8")).hardware())
                .isEqualTo("8 × H100-SXM-80GB");
    }

    @Test
    void statesTheNetworkOfTransfers() throws IOException {
        assertThat(conditions(fixed("cluster_sim", 10, "model=llama3_8b", "cluster=pd_1_1"))
                        .hardware())
                .isEqualTo("2 × H100-SXM-80GB, KV transfers at 400 Gbit/s per device"
                        + " (hardware.nic_gbps_per_accel_typ) and 50 µs (cluster.transfer.latency_us)");
        String[] stated = {
            "model=llama3_8b", "cluster=pd_1_1", "+cluster.transfer.bandwidth_gbs=25", "cluster.transfer.latency_us=9"
        };
        assertThat(conditions(fixed("cluster_sim", 10, stated)).hardware())
                .endsWith(", KV transfers at 25 GB/s per device (cluster.transfer.bandwidth_gbs) and 9 µs"
                        + " (cluster.transfer.latency_us)");
        assertThat(conditions(fixed("cluster_sim", 10, "model=llama3_8b", "replicas=4"))
                        .hardware())
                .isEqualTo("4 × H100-SXM-80GB");
    }

    /** Devices without FP8 units convert an FP8 cache, whose time no stage models. */
    @ParameterizedTest
    @ValueSource(strings = {"vidur_sim", "cluster_sim", "plan"})
    void namesTheConversionOfACache(String stage) throws IOException {
        String[] words = {
            "model=llama3_8b", "kv_cache=fp8", "rate=1", "requests=100", "prompt_tokens=64", "output_tokens=4"
        };
        String conversion = "conversion of the FP8 KV cache in software";
        Run converted = run(stage, Stream.concat(Stream.of("hardware=a100"), Stream.of(words)));
        assertThat(conditions(converted).notModelled()).contains(conversion);
        assertThat(converted.warnings()).anyMatch(text -> text.contains("A100-SXM-80GB has no FP8 units"));
        Run read = run(stage, words);
        assertThat(conditions(read).notModelled()).doesNotContain(conversion);
        assertThat(read.warnings()).noneMatch(text -> text.contains("has no FP8 units"));
    }

    @Test
    void statesWhetherTurnsWaitForAnswers() throws IOException {
        String[] turns = {"model=llama3_8b", "turns=2", "workload.max_tokens=4096", "cluster=sessions_4"};
        assertThat(conditions(run("cluster_sim", turns)).load())
                .contains("without waiting for its answer (workload.sharing.think_time_s); with cluster.sessions,");
    }

    @ParameterizedTest
    @ValueSource(strings = {"vidur_sim", "cluster_sim"})
    void reportsTruncationOfTheWorkloadInLaterStages(String stage) throws IOException {
        Run made = Stagesim.open(HOME, work)
                .run(
                        "workload",
                        "workload.num_requests=20",
                        "workload.max_tokens=300",
                        "workload.lengths.prefill.median=400");
        Run run = run(stage, "model=llama3_8b", "workload.dir=" + made.dir());
        String cut = conditions(made).truncated().get(0);
        assertThat(conditions(run).truncated()).containsExactly(cut);
        for (String file : new String[] {"summary.md", "report.html"}) {
            assertThat(Files.readString(run.dir().resolve(file)))
                    .as(file)
                    .contains(cut, "P99", "seed 42", "8,192 tokens (model)", "step times of");
        }
    }

    @ParameterizedTest
    @CsvSource({"vllm_v1, 100000", "sglang, 50000", "sarathi, 40000"})
    void coversTheContextWithComputedTimes(String engine, int prompt) throws IOException {
        Run run = fixed("vidur_sim", prompt, "model=llama3_1_8b", "engine=" + engine);
        assertThat(run.figures()).containsKey("ttft_p50_ms");
        assertThat(conditions(run).extrapolated()).isEmpty();
    }

    @Test
    void coversWholePromptsOfManyRequests() {
        Run run = fixed("vidur_sim", 3000, "model=llama3_8b", "engine=none", "scheduler=orca", "arrival=static");
        assertThat(run.figures().get("ttft_p50_ms")).isPositive();
    }

    @Test
    void coversTheContextWithAFinishedWorkload() {
        Run made = Stagesim.open(HOME, work)
                .run(
                        "workload",
                        Stream.concat(Stream.of("workload.lengths.prefill_tokens=50000"), Stream.of(FIXED))
                                .toArray(String[]::new));
        Run run = run("vidur_sim", "model=llama3_1_8b", "engine=vllm_v1", "workload.dir=" + made.dir());
        assertThat(run.figures().get("ttft_p50_ms")).isPositive();
    }

    @Test
    void profilesTensorParallelismBeyondTheDefaults() {
        Run run = fixed("vidur_sim", 100, "model=llama3_1_405b", "engine=vllm_v1", "cluster.tensor_parallel_size=16");
        assertThat(run.figures().get("tpot_p50_ms")).isPositive();
        assertThatThrownBy(() ->
                        fixed("vidur_sim", 100, "model=llama3_8b", "hardware=l40", "cluster.tensor_parallel_size=32"))
                .isInstanceOf(StageException.class)
                .hasMessageContainingAll("cluster.tensor_parallel_size", "no link");
    }

    @ParameterizedTest
    @ValueSource(strings = {"vidur_sim", "cluster_sim"})
    void rejectsRequestsBeyondTheContext(String stage) {
        assertThatThrownBy(() -> fixed(stage, 8191, "model=llama3_8b"))
                .isInstanceOf(StageException.class)
                .hasMessageContainingAll("3 of 3", "8192", "workload.max_tokens=8192", "model.max_position=8193");
        assertThat(fixed(stage, 8190, "model=llama3_8b").figures()).isNotEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "vidur_sim, engine=vllm_v1, hardware.mem_bw_gbs=0.000001",
        "vidur_sim, engine=sglang, hardware.mem_bw_gbs=0.000001",
        "vidur_sim, cluster.num_pipeline_stages=2, hardware.mem_bw_gbs=0.000001",
        "cluster_sim, arrival=static, hardware.mem_bw_gbs=0.000001"
    })
    void rejectsTimesThatOverflowNanoseconds(String stage, String more, String rate) {
        assertThatThrownBy(() -> run(stage, "model=llama3_8b", "workload.num_requests=2", more, rate))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("9223372037 s");
    }

    @Test
    void reportsExtrapolationOfMeasuredTimes() throws IOException {
        Run run = fixed(
                "vidur_sim",
                600,
                "model=llama3_8b",
                "profile.grid.kv_tokens=[0,128,256,512]",
                "predictor.kind=linear_regression",
                "predictor.range.max_tokens=20000");
        assertThat(conditions(run).extrapolated()).anyMatch(text -> text.contains("max_tokens=20000"));
        assertThat(Files.readString(run.dir().resolve("summary.md"))).contains("Extrapolated:");
    }
}
