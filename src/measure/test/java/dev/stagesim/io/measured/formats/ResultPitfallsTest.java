package dev.stagesim.io.measured.formats;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;
import static org.assertj.core.api.Assertions.within;

import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import dev.stagesim.contract.RequestStatus;
import dev.stagesim.io.json.LocatedJson;
import dev.stagesim.io.measured.Measurement;
import dev.stagesim.io.measured.Operations;
import dev.stagesim.io.measured.Operations.Collective;
import dev.stagesim.io.measured.Published;
import dev.stagesim.io.measured.ReadOptions;
import dev.stagesim.io.measured.Requests.Request;
import dev.stagesim.model.StageException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Pitfalls of formats: versions, options and accompanying files. */
class ResultPitfallsTest {
    private static final Path HOME = Path.of(System.getProperty("stagesim.home", "."));
    private static final double MS = 1e6;

    private final Path dir = Jimfs.newFileSystem(Configuration.unix()).getPath("/results");

    private Path write(String name, String text) throws IOException {
        Path file = dir.resolve(name);
        Files.createDirectories(file.getParent());
        return Files.writeString(file, text);
    }

    private Measurement read(String format, String name, String text) throws IOException {
        return read(format, write(name, text), ReadOptions.NONE);
    }

    private static Measurement read(String format, Path file, ReadOptions options) throws IOException {
        assertThat(ResultFormats.of(file, Optional.empty()).name())
                .as("recognised by its content")
                .isEqualTo(format);
        Measurement reported = ResultFormats.read(file, Optional.of(format), options);
        Measurement found = ResultFormats.read(file, Optional.empty(), options);
        assertThat(reported.published())
                .as("and read the same when it is named")
                .isEqualTo(found.published());
        return found;
    }

    private static ReadOptions entry(int number) {
        return new ReadOptions(Optional.of(number), Optional.empty());
    }

    private static double published(Measurement m, String metric, String statistic) {
        return m.published().stream()
                .filter(p -> p.metric().equals(metric) && p.statistic().equals(statistic))
                .findFirst()
                .orElseThrow(() -> new AssertionError("no " + metric + " " + statistic + " in " + m.published()))
                .valueNs();
    }

    @Test
    void readsReplicasOfSarathiAndSkipsIgnoredRequests() throws IOException {
        Path file = HOME.resolve("tests-data/measured/sequence_metrics.csv");
        Measurement m = read("vidur", file, ReadOptions.NONE);
        assertThat(m.requests().all())
                .as("0_10 precedes 0_2 in the file, but arrived later")
                .extracting(Request::promptId, Request::arrival, Request::first, Request::completion)
                .containsExactly(
                        tuple("0_0", 0L, 100_000_000L, 500_000_000L),
                        tuple("0_2", 500_000_000L, 650_000_000L, 900_000_000L),
                        tuple("0_10", 1_000_000_000L, 1_200_000_000L, 1_300_000_000L));
        assertThat(m.requests().all().get(1).prefill()).isEqualTo(30);
        assertThat(m.warnings()).containsExactly("left out: 2 requests without lengths, ignored or never ended");
        String text = Files.readString(file);
        write("run/sequence_metrics.csv", text.replace("0_10,", "1_0,").replace("0_11,", "1_1,"));
        Measurement two = read("vidur", dir.resolve("run"), ReadOptions.NONE);
        assertThat(two.requests().all())
                .as("each replica counts its own delays")
                .extracting(Request::promptId, Request::arrival)
                .containsExactly(tuple("0_0", 0L), tuple("0_2", 500_000_000L), tuple("1_0", 500_000_000L));
        assertThat(two.warnings()).anyMatch(w -> w.contains("delays are counted in each replica"));
        Path named = write("named.csv", text.replace("0_2,", "cmpl-x,"));
        assertThatThrownBy(() -> read("vidur", named, ReadOptions.NONE))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("request 'cmpl-x' has no number");
    }

    private static LocatedJson about(Measurement m) {
        return new LocatedJson("about", "", m.about());
    }

    @Test
    void listsTheRunsOfAVllmSweep() throws IOException {
        Path sweep = HOME.resolve("tests-data/measured/vllm_sweep");
        assertThatThrownBy(() -> read("vllm", sweep, ReadOptions.NONE))
                .isInstanceOf(StageException.class)
                .hasMessageContainingAll("2 results", "run=0.json, run 0", "run=1.json, run 1")
                .hasMessageNotContainingAny("warmup", "summary.json", "pytorch");
        Measurement m = read("vllm", sweep, entry(1));
        assertThat(published(m, "ttft", "p50")).isCloseTo(17.4 * 1.1 * MS, within(1.0));
        assertThat(published(m, "e2e", "mean")).isCloseTo(58.6 * 1.1 * MS, within(1.0));
        LocatedJson settings = about(m).get("settings");
        assertThat(settings.get("run_number").asLong()).isEqualTo(1);
        assertThat(settings.get("max_num_seqs").asLong()).isEqualTo(64);
        assertThat(settings.has("mean_ttft_ms")).isFalse();
        assertThat(settings.has("output_throughput")).isFalse();
        assertThat(about(m).get("rates").get("max_output_chunks_per_s").asDouble())
                .as("buckets count chunks")
                .isEqualTo(19);
        assertThat(m.warnings()).anyMatch(w -> w.startsWith("1 run of the sweep failed"));
    }

    @Test
    void rejectsAVllmSweepWithAMalformedRun() throws IOException {
        Path sweep = write("run=0.json", "{\"model_id\":\"m\",\"num_prompts\":2,\"completed\":2}")
                .getParent();
        write("run=1.json", "{\"model_id\":\"m\",");
        assertThatThrownBy(() -> read("vllm", sweep, ReadOptions.NONE))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("run=1.json");
    }

    @Test
    void readsAggregatesOfVllmRecordsForPytorch() throws IOException {
        Path file = HOME.resolve("tests-data/measured/vllm_pytorch.json");
        Measurement m = read("vllm_pytorch", file, ReadOptions.NONE);
        assertThat(m.model()).contains("Qwen/Qwen3-0.6B");
        assertThat(published(m, "ttft", "p50")).isCloseTo(17.4 * MS, within(1.0));
        assertThat(m.published()).noneMatch(p -> p.statistic().startsWith("std"));
        assertThat(about(m).get("settings").get("tensor_parallel_size").asLong())
                .isEqualTo(1);
        assertThat(m.warnings()).anyMatch(w -> w.contains("next to the"));
    }

    @Test
    void readsTheAcceptanceRateOfVllmInPercent() throws IOException {
        Measurement m = read(
                "vllm",
                "v.json",
                "{\"model_id\":\"m\",\"num_prompts\":2,\"completed\":1,\"failed\":1,\"mean_ttft_ms\":5.0,"
                        + "\"spec_decode_acceptance_rate\":71.5,\"spec_decode_acceptance_length\":2.4,"
                        + "\"mean_client_queue_time_ms\":9.0,\"mean_e2el_including_client_queue_ms\":90.0,"
                        + "\"rtfx\":NaN,\"request_goodput\":null}");
        assertThat(about(m).get("rates").get("accepted_draft_tokens_percent").asDouble())
                .isEqualTo(71.5);
        assertThat(m.published()).as("queueing in the client is excluded").hasSize(1);
        assertThat(m.warnings()).anyMatch(w -> w.startsWith("1 request failed"));
    }

    @Test
    void readsSglangWithoutStreamingWithoutTtft() throws IOException {
        String head = "{\"backend\":\"sglang\",\"request_rate\":Infinity,\"sharegpt_output_len\":null,\"completed\":1,"
                + "\"concurrency\":3.7,\"mean_e2e_latency_ms\":800.0,\"server_info\":{\"version\":\"0.5.1\","
                + "\"chunked_prefill_size\":8192,\"max_total_num_tokens\":90000},";
        Measurement m = read(
                "sglang",
                "s.jsonl",
                head + "\"mean_ttft_ms\":800.0,\"median_ttft_ms\":800.0,\"input_lens\":[5],\"output_lens\":[9],"
                        + "\"ttfts\":[0.8],\"itls\":[[]],\"errors\":[\"\"]}");
        assertThat(about(m).get("rates").get("mean_concurrency").asDouble()).isEqualTo(3.7);
        LocatedJson settings = about(m).get("settings");
        assertThat(settings.has("concurrency")).isFalse();
        assertThat(settings.get("chunked_prefill_size").asLong()).isEqualTo(8192);
        assertThat(about(m).get("engine").get("version").asString()).isEqualTo("0.5.1");
        assertThat(m.requests().size()).isZero();
        assertThat(m.published()).extracting(Published::metric).containsOnly("e2e");
        assertThat(m.warnings()).anyMatch(w -> w.contains("not streamed"));
    }

    @Test
    void readsTheCsvOfAiperf() throws IOException {
        Measurement m = read(
                "genai_perf_summary",
                "profile_export_aiperf.csv",
                """
                Metric,avg,min,max,p99,p90,p50
                Time to First Token (ms),18.64,15.8,23.1,23.0,21.9,17.4
                Inter Token Latency (ms),13.40,13.2,13.6,13.6,13.5,13.4
                Request Latency (ms),"1,058.00",29.0,"2,083.9","2,083.0","2,080.0",57.0
                Output Sequence Length (tokens),4,2,6,6,5,4

                Metric,Value
                Request Count,5
                Request Throughput (requests/sec),3.876
                Output Token Throughput (tokens/sec),15.5
                """);
        assertThat(published(m, "e2e", "mean")).isEqualTo(1058 * MS);
        assertThat(published(m, "ttft", "p90")).isEqualTo(21.9 * MS);
        assertThat(about(m).get("rates").get("output_tokens_per_s").asDouble()).isEqualTo(15.5);
    }

    @Test
    void readsSettingsInTheDirectoryOfAiperf() throws IOException {
        write(
                "run/profile_export.jsonl",
                "{\"metadata\":{\"request_start_ns\":5,\"was_cancelled\":false},\"metrics\":{"
                        + "\"output_sequence_length\":{\"value\":2,\"unit\":\"tokens\"},"
                        + "\"time_to_first_token\":{\"value\":2,\"unit\":\"ms\"},"
                        + "\"request_latency\":{\"value\":9,\"unit\":\"ms\"}},\"error\":null}\n");
        write(
                "run/profile_export_aiperf.json",
                "{\"input_config\":{\"endpoint\":{\"type\":\"chat\",\"streaming\":true},\"loadgen\":{\"concurrency\":4}}}");
        Measurement m = read("aiperf", dir.resolve("run"), ReadOptions.NONE);
        assertThat(m.requests().all().get(0).first()).isEqualTo(2_000_000);
        assertThat(about(m).get("settings").get("concurrency").asLong()).isEqualTo(4);
    }

    @Test
    void readsTheFirstSchemaOfGuidellm() throws IOException {
        Measurement m = read(
                "guidellm",
                "benchmarks.json",
                """
                {"benchmarks":[{"type_":"generative_benchmark","args":{"strategy":{"type_":"constant","rate":4.0},"max_number":5},
                  "metrics":{
                    "request_latency":{"successful":{"mean":1.5,"median":1.4,"count":50,"percentiles":
                      {"p001":0.1,"p01":0.2,"p05":0.3,"p10":0.4,"p25":0.5,"p75":1.6,"p90":1.7,"p95":1.8,"p99":1.9,"p999":2.0}},
                      "incomplete":{"count":2},"errored":{"count":0}},
                    "time_to_first_token_ms":{"successful":{"mean":20.0,"median":19.0,"percentiles":{"p90":30.0}}},
                    "requests_per_second":{"successful":{"mean":4.0}}},
                  "requests":{"successful":[{},{},{}],"incomplete":[],"errored":[]}}]}
                """);
        assertThat(published(m, "e2e", "p50")).isEqualTo(1.4e9);
        assertThat(published(m, "ttft", "p50")).isEqualTo(19 * MS);
        assertThat(published(m, "e2e", "p99.9")).isEqualTo(2e9);
        assertThat(about(m).get("settings").get("max_number").asLong()).isEqualTo(5);
        assertThat(m.warnings())
                .anyMatch(w -> w.contains("2 requests that ended as incomplete"))
                .anyMatch(w -> w.startsWith("the file keeps 3 of 50 requests: a sample"));
    }

    @Test
    void readsRequestsOfInferencePerfIfStored() throws IOException {
        write("run/config.yaml", "server: {type: vllm, model_name: org/m, base_url: 'http://x'}\n");
        write("run/summary_lifecycle_metrics.json", "{\"load_summary\":{},\"successes\":{\"latency\":{}}}");
        write(
                "run/per_request_lifecycle_metrics.json",
                """
                [{"start_time":100.5,"end_time":100.9,"request":"{}","response":"","info":{"input_tokens":7,"output_tokens":0,
                  "output_token_times":[]},"error":{"error_type":"Timeout","error_msg":"x"}},
                 {"start_time":100.0,"end_time":100.4,"request":"{}","response":"{}","info":{"input_tokens":9,"output_tokens":2,
                  "output_token_times":[100.1,100.1001,100.3,100.3001]},"error":null}]
                """);
        Measurement m = read("inference_perf", dir.resolve("run"), ReadOptions.NONE);
        List<Request> all = m.requests().all();
        assertThat(all).extracting(Request::arrival).as("in order of arrival").containsExactly(0L, 500_000_000L);
        assertThat(all.get(0).first()).isCloseTo(100_000_000L, within(1L));
        assertThat(all.get(0).actual()).isEqualTo(2);
        assertThat(all.get(0).wholeTokens()).as("two events per token").isFalse();
        assertThat(all.get(1).status()).isEqualTo(RequestStatus.FAILED);
        assertThat(m.model()).contains("org/m");
        Measurement alone =
                read("inference_perf", dir.resolve("run/per_request_lifecycle_metrics.json"), ReadOptions.NONE);
        assertThat(alone.requests().size()).isEqualTo(2);
    }

    @Test
    void readsEngineArgumentsOfTheSecondBenchmarkReport() throws IOException {
        Measurement m = read(
                "benchmark_report",
                "report.yaml",
                """
                version: '0.2'
                run: {uid: u}
                scenario:
                  stack:
                  - {standardized: {kind: other, role: router, tool: epp}}
                  - metadata: {label: vllm-svc-0}
                    standardized: {kind: inference_engine, tool: vllm, tool_version: v0.12, model: {name: org/m},
                      accelerator: {model: H100, count: 8}, parallelism: {tp: 8, dp: 1}}
                    native: {args: {--max-num-seqs: 256, --block-size: 64}}
                  load:
                    standardized: {tool: inference-perf, rate_qps: 4}
                results:
                  request_performance:
                    aggregate:
                      requests: {total: 100, failures: 3}
                      latency:
                        time_to_first_token: {units: s, mean: 0.02, p50: 0.018, p99p9: 0.09}
                        inter_token_latency: {units: ms/token, mean: 13.4}
                      throughput: {output_token_rate: {units: tokens/s, mean: 15.5}, request_rate: {units: queries/s, mean: 4}}
                """);
        assertThat(m.model()).contains("org/m");
        assertThat(published(m, "ttft", "p99.9")).isCloseTo(90 * MS, within(1.0));
        assertThat(published(m, "token_gap", "mean")).isCloseTo(13.4 * MS, within(1.0));
        assertThat(about(m).get("settings").get("max_num_seqs").asLong()).isEqualTo(256);
        assertThat(about(m).get("settings").get("tp").asLong()).isEqualTo(8);
        assertThat(about(m).get("engine").get("version").asString()).isEqualTo("v0.12");
        assertThat(about(m).get("rates").get("requests_per_s").asDouble()).isEqualTo(4);
        assertThat(m.warnings()).anyMatch(w -> w.startsWith("3 requests failed"));
    }

    @Test
    void readsNestedAndFlatSummariesOfLlmperf() throws IOException {
        Measurement nested = read(
                "llmperf",
                "m_summary.json",
                """
                {"model":"org/m","num_concurrent_requests":2,"results":{"error_rate":0.25,"mean_output_throughput_token_per_s":12.5,
                 "ttft_s":{"quantiles":{"p25":0.1,"p50":0.2,"p99":0.4},"mean":0.21,"min":0.1,"max":0.5,"stddev":0.1},
                 "inter_token_latency_s":{"quantiles":{"p50":0.03},"mean":0.03},
                 "end_to_end_latency_s":{"quantiles":{"p50":1.5},"mean":1.6}}}
                """);
        assertThat(published(nested, "ttft", "p99")).isEqualTo(400 * MS);
        assertThat(published(nested, "norm_latency", "p50")).isEqualTo(30 * MS);
        assertThat(about(nested).get("rates").get("output_tokens_per_s").asDouble())
                .isEqualTo(12.5);
        assertThat(nested.warnings()).anyMatch(w -> w.startsWith("a share of 0.25"));
        Measurement flat = read(
                "llmperf",
                "f_summary.json",
                "{\"model\":\"org/m\",\"results_ttft_s_quantiles_p50\":0.2,\"results_ttft_s_mean\":0.21}");
        assertThat(published(flat, "ttft", "p50")).isEqualTo(200 * MS);
        assertThat(about(flat).has("settings")).as("results are no settings").isTrue();
        assertThat(about(flat).get("settings").has("results_ttft_s_mean")).isFalse();
    }

    @Test
    void reportsOverflowsAndErrorsOfLoadgen() throws IOException {
        String line = ":::MLLOG {\"key\": \"%s\", \"value\": %s, \"time_ms\": %s, \"namespace\": \"mlperf::logging\","
                + " \"event_type\": \"POINT_IN_TIME\", \"metadata\": {\"is_error\": %s, \"file\": \"loadgen.cc\"}}%n";
        String text = String.format(line, "result_validity", "\"VALID\"", "0.002363", false)
                + String.format(line, "result_first_token_max_latency_ns", "18446744073709254000", "0.1", false)
                + String.format(line, "result_first_token_mean_latency_ns", "5000000", "0.1", false)
                + String.format(line, "result_completed_samples_per_sec", "3.5", "0.1", false)
                + String.format(
                                line,
                                "error_runtime",
                                "\"Number of Tokens should be more than 1\"",
                                "18446744073709.254",
                                true)
                        .repeat(2);
        Measurement m = read("mlperf_loadgen", "mlperf_log_detail.txt", text);
        assertThat(m.published()).as("the mean includes the overflowed time").noneMatch(p -> p.metric()
                .equals("ttft"));
        assertThat(m.warnings())
                .anyMatch(w -> w.contains("2 values of ttft are left out") && w.contains("beyond any time"))
                .anyMatch(w -> w.contains("(2 times): Number of Tokens"));
        assertThat(about(m).get("rates").get("requests_per_s").asDouble()).isEqualTo(3.5);
    }

    @Test
    void readsTheSummaryOfLoadgenLikeItsLog() throws IOException {
        Measurement m = read(
                "mlperf_loadgen",
                "mlperf_log_summary.txt",
                """
                ================================================
                MLPerf Results Summary
                ================================================
                SUT name : PySUT
                Scenario : Server
                Mode     : PerformanceOnly
                Completed samples per second    : 3.88
                Completed tokens per second: 15.50
                Result is : INVALID
                  Min duration satisfied : NO
                ================================================
                Additional Stats
                ================================================
                Min latency (ns)                : 29000000
                Mean latency (ns)               : 58000000
                99.00 percentile latency (ns)   : 90000000
                Mean First Token latency (ns)               : 18640000
                99.90 percentile first token latency (ns)   : 23000000
                Mean Time per Output Token (ns)                : 13400000
                99.00 percentile time to output token (ns)   : 13600000
                """);
        assertThat(published(m, "e2e", "mean")).isEqualTo(58 * MS);
        assertThat(published(m, "e2e", "p99")).isEqualTo(90 * MS);
        assertThat(published(m, "ttft", "p99.9")).isEqualTo(23 * MS);
        assertThat(published(m, "tpot", "mean")).isEqualTo(13.4 * MS);
        assertThat(published(m, "tpot", "p99")).isEqualTo(13.6 * MS);
        assertThat(about(m).get("rates").get("completed_tokens_per_s").asDouble())
                .isEqualTo(15.5);
        assertThat(m.warnings()).anyMatch(w -> w.contains("INVALID"));
    }

    @Test
    void readsTheFirstRoundOfMlperfTraining() throws IOException {
        Measurement m = read(
                "mlperf_training",
                "ncf.txt",
                """
                NCF_RAW_:::MLPv0.5.0 ncf 1538678100.5 (./main.py:10) run_start
                :::MLPv0.5.0 ncf 1538678101 (./main.py:12) input_batch_size: 2048
                I0122 :::MLPv0.5.0 ncf 1538678150.25 (./main.py:99) eval_accuracy: 0.6355
                :::MLPv0.5.0 ncf 1538678160.5 (./main.py:120) run_stop: {"success": true}
                """);
        assertThat(about(m).get("rates").get("run_s").asDouble()).isCloseTo(60, within(1e-6));
        assertThat(about(m).get("rates").get("eval_accuracy").asDouble()).isEqualTo(0.6355);
        assertThat(about(m).get("engine").get("global_batch_size").asLong()).isEqualTo(2048);
    }

    private List<Collective> nccl(String test, String table) throws IOException {
        return read(
                        "nccl_tests",
                        test + ".txt",
                        String.format(
                                """
                # nccl-tests version 2.17.1
                # Collective test starting: %s
                #  Rank  0 Group  0 Pid 1 on host device  0 [0000:0f:00] NVIDIA H100
                #  Rank  1 Group  0 Pid 1 on host device  1 [0000:1f:00] NVIDIA H100
                %s
                # Out of bounds values : 0 OK
                """,
                                test, table))
                .operations()
                .collectives();
    }

    @Test
    void excludesWaitingFromCollectivesOfSeveralRanks() throws IOException {
        String trace = "{\"schemaVersion\":1,%s\"displayTimeUnit\":\"ms\",\"traceEvents\":["
                + "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"record_param_comms\",\"ts\":1,\"dur\":900,"
                + "\"args\":{\"External Id\":5,\"Collective name\":\"allreduce\",\"In msg nelems\":1000}},"
                + "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"ncclDevKernel_AllReduce\",\"ts\":2,\"dur\":%s,"
                + "\"args\":{\"External id\":5,\"Collective name\":\"allreduce\",\"In msg nelems\":1000,"
                + "\"Out msg nelems\":1000,\"Group size\":2,\"dtype\":\"BFloat16\",\"grid\":[2,1,1]}},"
                + "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"ncclDevKernel_AllGather\",\"ts\":3,\"dur\":10,"
                + "\"args\":{\"Collective name\":\"_allgather_base\",\"In msg nelems\":500,"
                + "\"Out msg nelems\":1000,\"Group size\":2,\"dtype\":\"Float\"}},"
                + "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"gemm\",\"ts\":4,\"dur\":%s,\"args\":{\"stream\":7}}]}";
        write("ranks/rank0.json", String.format(trace, "\"baseTimeNanoseconds\":5,", 8, 3));
        write("ranks/rank1.json", String.format(trace, "", 108, 5));
        Measurement m = read("chrome_trace", dir.resolve("ranks"), ReadOptions.NONE);
        assertThat(m.operations().collectives())
                .containsExactly(
                        new Collective("all_gather", 2, 4000, false, 10_000, 0.4, 0.2, -1),
                        new Collective("all_reduce", 2, 2000, false, 8000, 0.25, 0.25, -1));
        assertThat(about(m).get("rates").get("collective_skew_us").asDouble()).isEqualTo(50);
        assertThat(m.operations().rows())
                .contains(new Operations.Operator("gpu", "kernel", "gemm", 1, 4000, 3000, 5000));
        assertThat(m.warnings()).anyMatch(w -> w.contains("means over 2 ranks"));
        Measurement alone = read("chrome_trace", dir.resolve("ranks/rank1.json"), ReadOptions.NONE);
        assertThat(alone.warnings()).anyMatch(w -> w.contains("waiting for the slowest rank"));
        assertThat(alone.operations().collectives()).hasSize(2);
    }

    @Test
    void omitsWarmUpRequestsOfABlisHeader() throws IOException {
        write("t/trace.yaml", "trace_version: 2\ntime_unit: microseconds\nmode: real\nwarm_up_requests: 1\n");
        write(
                "t/trace.csv",
                "request_id,input_tokens,output_tokens,arrival_time_us,send_time_us,first_chunk_time_us,last_chunk_time_us,status\n"
                        + "0,10,4,100,150,90000,95000,ok\n1,10,4,200000,200010,200400,200900,ok\n");
        Measurement m = read("blis", dir.resolve("t"), ReadOptions.NONE);
        assertThat(m.requests().all()).singleElement().satisfies(r -> {
            assertThat(r.arrival()).isZero();
            assertThat(r.first()).isEqualTo(400_000);
        });
        assertThat(m.warnings()).anyMatch(w -> w.startsWith("the first 1 requests"));
        assertThat(about(m).get("settings").get("mode").asString()).isEqualTo("real");
    }

    @Test
    void readsBothUserSpeedsOfTrtllm() throws IOException {
        Measurement m = read(
                "trtllm",
                "r.json",
                "{\"engine\":{\"model\":\"m\"},\"world_info\":{\"tp_size\":2},"
                        + "\"performance\":{\"output_throughput_per_user_tok_s\":40.0},"
                        + "\"streaming_metrics\":{\"token_output_speed_tok_s\":75.0}}");
        LocatedJson rates = about(m).get("rates");
        assertThat(rates.get("user_tokens_per_s_with_prompt").asDouble()).isEqualTo(40);
        assertThat(rates.get("user_tokens_per_s_decoding").asDouble()).isEqualTo(75);
    }

    @Test
    void readsColumnsOfNcclOptions() throws IOException {
        List<Collective> each = nccl(
                "all_gather_perf",
                """
                #       size   count  type redop root  time algbw busbw #wrong i_min i_max i_p99 i_cv% time algbw busbw #wrong i_min i_max i_p99 i_cv%
                     1048576  262144 float  none   -1 40.50 25.89 12.9 0 39 45 44 1.2 1.2e+03 0.87 0.44 N/A 1e+06 2e+06 2e+06 3.1""");
        assertThat(each.get(0)).isEqualTo(new Collective("all_gather", 2, 1048576, false, 40500, 25.89, 12.9, 0));
        assertThat(each.get(1)).isEqualTo(new Collective("all_gather", 2, 1048576, true, 1.2e6, 0.87, 0.44, -1));
        List<Collective> stamped = nccl(
                "sendrecv_perf",
                """
                #       size   count  type redop root  time algbw busbw #wrong time algbw busbw #wrong timestamp
                     1048576  262144 float   sum   -1 40.50 25.89 25.89 0 39.0 26.89 26.89 0  2026-08-11 10:15:00""");
        assertThat(stamped.get(1)).isEqualTo(new Collective("send_recv", 2, 1048576, true, 39000, 26.89, 26.89, 0));
        List<Collective> replayed = nccl(
                "all_reduce_perf",
                """
                #       size   count  type redop root  cputime algbw busbw #wrong cputime algbw busbw #wrong
                     1048576  262144 float   sum   -1                                39.0 26.89 26.89 0""");
        assertThat(replayed).containsExactly(new Collective("all_reduce", 2, 1048576, true, 39000, 26.89, 26.89, 0));
    }

    @Test
    void rejectsAnNcclHeaderWithoutTheOperation() {
        assertThatThrownBy(
                        () -> nccl(
                                "all_reduce_perf",
                                """
                        #       size   count  type operator root  time algbw busbw #wrong time algbw busbw #wrong
                             1048576  262144 float   sum   -1 40.50 25.89 25.89 0 39.0 26.89 26.89 0"""))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("the header lacks one of redop");
    }

    @Test
    void readsTheJsonOfNcclLikeItsLog() throws IOException {
        Measurement m = read(
                "nccl_tests",
                "nccl.json",
                """
                {"version":2,"start_time":"2026-08-11 10:15:00","args":["./build/all_reduce_perf","-J","nccl.json"],"env":[],
                 "nccl_version":22703,"config":{"nthreads":1,"ngpus":2,"devices":[{"rank":0},{"rank":1}]},
                 "results":[{"size":1048576,"count":262144,"type":"float","redop":"sum","root":"    -1",
                   "out_of_place":{"time":40.5,"alg_bw":25.89,"bus_bw":25.89,"nwrong":null},
                   "in_place":{"time":39.0,"alg_bw":26.89,"bus_bw":26.89,"nwrong":0.0}},
                  {"size":2097152,"count":524288,"type":"float","redop":"sum","root":"    -1","out_of_place":null,
                   "in_place":{"cpu_time":78.0,"alg_bw":26.9,"bus_bw":26.9,"nwrong":2.0}}],
                 "average_bus_bandwidth":{"bandwidth":26.0,"okay":"unchecked"}}
                """);
        assertThat(m.operations().collectives())
                .containsExactly(
                        new Collective("all_reduce", 2, 1048576, false, 40500, 25.89, 25.89, -1),
                        new Collective("all_reduce", 2, 1048576, true, 39000, 26.89, 26.89, 0),
                        new Collective("all_reduce", 2, 2097152, true, 78000, 26.9, 26.9, 2));
        assertThat(m.warnings()).anyMatch(w -> w.contains("wrong"));
    }
}
