package dev.stagesim.io.measured.formats;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import dev.stagesim.contract.RequestStatus;
import dev.stagesim.io.json.LocatedJson;
import dev.stagesim.io.measured.Measurement;
import dev.stagesim.io.measured.Operations;
import dev.stagesim.io.measured.Operations.Collective;
import dev.stagesim.io.measured.ReadOptions;
import dev.stagesim.io.measured.Requests;
import dev.stagesim.io.measured.Requests.Request;
import dev.stagesim.model.ArrivalTime;
import dev.stagesim.model.StageException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;

/** Reads a file of every format with the pitfalls of its tool. */
class ResultFormatsTest {
    private static final double MS = 1e6;

    private final Path dir = Jimfs.newFileSystem(Configuration.unix()).getPath("/results");

    private Measurement read(String format, String text) throws IOException {
        return read(format, "file", text.getBytes(StandardCharsets.UTF_8), ReadOptions.NONE);
    }

    private Measurement read(String format, String name, byte[] content, ReadOptions options) throws IOException {
        Files.createDirectories(dir);
        Path file = Files.write(dir.resolve(name), content);
        assertThat(ResultFormats.of(file, Optional.empty()).name())
                .as("recognised by its content")
                .isEqualTo(format);
        return ResultFormats.read(file, Optional.empty(), options);
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

    private static String definition(Measurement m, String metric) {
        return m.published().stream()
                .filter(p -> p.metric().equals(metric))
                .findFirst()
                .orElseThrow()
                .definition();
    }

    private static double rate(Measurement m, String name) {
        return new LocatedJson("about", "", m.about()).get("rates").get(name).asDouble();
    }

    @Test
    void documentsEveryFormat() throws IOException {
        String page = Files.readString(Path.of("specs/measurements.md"));
        assertThat(ResultFormats.names()).doesNotHaveDuplicates().allMatch(name -> page.contains("| `" + name + "` |"));
    }

    @Test
    void listsTheFormatsWhenAFileIsUnknown() {
        assertThatThrownBy(() -> read("none", "hello"))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("the format is not supported")
                .hasMessageContaining("trtllm-bench");
    }

    @Test
    void rejectsAnEmptyFileAsEmpty() {
        assertThatThrownBy(() -> read("none", " \n"))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("the file is empty")
                .hasMessageNotContaining("trtllm-bench");
    }

    @Test
    void reportsTruncatedJsonAsTruncated() {
        assertThatThrownBy(() -> read("none", "{\n \"model_id\": \"m\",\n \"ttfts\": [0.1, 0."))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("file:3:")
                .hasMessageContaining("not valid JSON")
                .hasMessageContaining("the file may be truncated")
                .hasMessageNotContaining("known format");
    }

    @Test
    void readsAggregatesOfSglangAtAFiniteRate() throws IOException {
        Measurement m = read(
                "sglang",
                """
                {"backend":"sglang","request_rate":4.0,"sharegpt_output_len":null,"completed":2,"median_ttft_ms":12.5,
                 "mean_itl_ms":3.0,"p99_e2e_latency_ms":800.0,"output_throughput":55.5,"ttfts":[0.01,0.02]}
                """);
        assertThat(m.aggregatesOnly()).isTrue();
        assertThat(published(m, "ttft", "p50")).isEqualTo(12.5 * MS);
        assertThat(definition(m, "token_gap")).as("it changed with the version").isEqualTo("B or C");
        assertThat(published(m, "e2e", "p99")).isEqualTo(800 * MS);
        assertThat(rate(m, "output_tokens_per_s")).isEqualTo(55.5);
    }

    @Test
    void readsRequestsOfSglangAtInfiniteRate() throws IOException {
        Measurement m = read(
                "sglang",
                """
                {"backend":"sglang","request_rate":Infinity,"max_concurrency":null,"sharegpt_output_len":null,"completed":1,
                 "median_ttft_ms":10,"input_lens":[5,6],"output_lens":[3,0],"ttfts":[0.010,0.0],"itls":[[0.002,0.003],[]],
                 "errors":["",""]}
                """);
        Request first = m.requests().all().get(0);
        assertThat(first.first()).isEqualTo(10_000_000);
        assertThat(first.completion()).isEqualTo(15_000_000);
        assertThat(m.requests().all().get(1).status()).isEqualTo(RequestStatus.FAILED);
    }

    @Test
    void rejectsAFileOfSeveralRunsWithoutASelection() throws IOException {
        String two = "{\"elapsed_time\":2.0,\"num_requests\":4,\"total_num_tokens\":100,\"requests_per_second\":2.0,"
                + "\"tokens_per_second\":50.0}\n";
        assertThatThrownBy(() -> read("vllm_offline", two + two))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("real.entry")
                .hasMessageContaining("2 results");
        Measurement m = read("vllm_offline", "file", (two + two).getBytes(StandardCharsets.UTF_8), entry(1));
        assertThat(rate(m, "total_tokens_per_s"))
                .as("prompt and output together")
                .isEqualTo(50);
    }

    @Test
    void readsBatchLatenciesOfVllm() throws IOException {
        Measurement m =
                read("vllm_offline", "{\"avg_latency\":0.2,\"latencies\":[0.1,0.3],\"percentiles\":{\"50\":0.2}}");
        assertThat(published(m, "e2e", "p50")).isCloseTo(200 * MS, within(1.0));
    }

    @Test
    void readsDurationsRatherThanStampDifferencesOfAiperf() throws IOException {
        String record = "{\"metadata\":{\"x_request_id\":\"%s\",\"request_start_ns\":%d,\"request_end_ns\":9,"
                + "\"benchmark_phase\":\"%s\",\"was_cancelled\":%s},\"metrics\":{"
                + "\"input_sequence_length\":{\"value\":7,\"unit\":\"tokens\"},"
                + "\"output_sequence_length\":{\"value\":3,\"unit\":\"tokens\"},"
                + "\"time_to_first_token\":{\"value\":2,\"unit\":\"ms\"},"
                + "\"inter_chunk_latency\":{\"value\":[1.5,1.5],\"unit\":\"ms\"},"
                + "\"request_latency\":{\"value\":5000,\"unit\":\"us\"}},\"error\":null}\n";
        String text = String.format(Locale.ROOT, record, "w", 5L, "warmup", false)
                + String.format(Locale.ROOT, record, "a", 1_000_000_000L, "profiling", false)
                + String.format(Locale.ROOT, record, "b", 1_000_500_000L, "profiling", true);
        Measurement m = read("aiperf", text);
        assertThat(m.requests().size()).as("the warm-up is left out").isEqualTo(2);
        Request a = m.requests().all().get(0);
        assertThat(a.arrival()).isZero();
        assertThat(a.first()).isEqualTo(2_000_000);
        assertThat(a.completion()).as("each value has its unit").isEqualTo(5_000_000);
        assertThat(a.chunks()).containsExactly(2_000_000, 3_500_000, 5_000_000);
        assertThat(m.requests().all().get(1).status()).isEqualTo(RequestStatus.CANCELLED);
        assertThat(m.requests().all().get(1).arrival()).isEqualTo(500_000);
    }

    @Test
    void readsTheMeanGapOfNvidiaAsTpot() throws IOException {
        Measurement m = read(
                "genai_perf_summary",
                """
                {"request_throughput":{"unit":"requests/sec","avg":3.5},
                 "request_latency":{"unit":"ms","avg":100.0,"p99":250.0},
                 "time_to_first_token":{"unit":"ms","avg":10.0,"p50":9.0},
                 "inter_token_latency":{"unit":"ms","avg":2.0}}
                """);
        assertThat(definition(m, "tpot")).isEqualTo("A");
        assertThat(published(m, "ttft", "p50")).isEqualTo(9 * MS);
        assertThat(rate(m, "requests_per_s")).isEqualTo(3.5);
    }

    @Test
    void countsResponsesRatherThanTokensOfGenaiPerf() throws IOException {
        Measurement m = read(
                "genai_perf",
                """
                {"experiments":[{"experiment":{"mode":"request_rate","value":2.0},"requests":[
                  {"timestamp":1000,"response_timestamps":[1500,1700,2000]},
                  {"timestamp":2000,"response_timestamps":[]}]}]}
                """);
        assertThat(published(m, "ttft", "mean")).isEqualTo(500);
        assertThat(published(m, "e2e", "max")).isEqualTo(1000);
        assertThat(published(m, "token_gap", "mean")).isEqualTo(250);
        assertThat(m.warnings()).anyMatch(w -> w.startsWith("1 request had no response"));
    }

    @Test
    void readsBothTokenTimeDefinitionsOfGuidellm() throws IOException {
        Measurement m = read(
                "guidellm",
                """
                {"metadata":{"version":2,"guidellm_version":"0.4"},"config":{"model":"m"},"benchmarks":[{"metrics":{
                  "request_latency":{"successful":{"mean":1.5,"percentiles":{"p50":1.25,"p01":0.1,"p001":0.05}}},
                  "inter_token_latency_ms":{"successful":{"mean":20.0,"percentiles":{"p99":30.0}}},
                  "time_per_output_token_ms":{"successful":{"mean":25.0}},
                  "requests_per_second":{"successful":{"mean":4.0}}}}]}
                """);
        assertThat(published(m, "e2e", "p50")).as("latencies are seconds").isEqualTo(1.25e9);
        assertThat(published(m, "tpot", "p99")).isEqualTo(30 * MS);
        assertThat(definition(m, "norm_latency")).isEqualTo("D");
        assertThat(m.published())
                .noneMatch(p -> p.statistic().equals("p001") || p.statistic().equals("p01"));
    }

    @Test
    void readsSecondsOfInferencePerfWithoutPairedGaps() throws IOException {
        String text =
                """
                {"load_summary":{"count":10,"requested_rate":2.0},"failures":{"count":1},"successes":{"count":9,
                 "latency":{"time_to_first_token":{"mean":0.05,"median":0.04,"p99":0.2},
                 "time_per_output_token":{"median":0.007},"inter_token_latency":{"median":%s}},
                 "throughput":{"output_tokens_per_sec":90.0}}}
                """;
        Measurement paired = read("inference_perf", String.format(Locale.ROOT, text, "0.000034"));
        assertThat(published(paired, "ttft", "p50")).isEqualTo(40 * MS);
        assertThat(paired.published()).noneMatch(p -> p.metric().equals("token_gap"));
        assertThat(paired.warnings()).anyMatch(w -> w.contains("two events per token"));
        assertThat(published(read("inference_perf", String.format(Locale.ROOT, text, "0.0069")), "token_gap", "p50"))
                .isCloseTo(6.9 * MS, within(1.0));
    }

    @Test
    void readsTheUnitOfEachMetricInABenchmarkReport() throws IOException {
        Measurement m = read(
                "benchmark_report",
                """
                version: '0.1'
                scenario:
                  model: {name: org/m}
                  platform:
                    engine: [{name: vllm, version: v0.9}]
                metrics:
                  latency:
                    time_to_first_token: {units: ms, mean: 12.5, p99: 40}
                    time_per_output_token: {units: s/token, mean: 0.01}
                  throughput: {output_tokens_per_sec: 100.0}
                """);
        assertThat(m.model()).contains("org/m");
        assertThat(published(m, "ttft", "mean")).isEqualTo(12.5 * MS);
        assertThat(published(m, "tpot", "mean")).isEqualTo(10 * MS);
    }

    @Test
    void readsTheLatencyPerTokenOfLlmperf() throws IOException {
        Measurement m = read(
                "llmperf",
                """
                [{"error_code":null,"error_msg":"","inter_token_latency_s":0.05,"ttft_s":0.1,"end_to_end_latency_s":0.5,
                  "number_input_tokens":10,"number_output_tokens":5},
                 {"error_code":500,"error_msg":"x","ttft_s":0,"end_to_end_latency_s":0,"number_output_tokens":0}]
                """);
        assertThat(published(m, "norm_latency", "mean")).isEqualTo(100 * MS);
        assertThat(published(m, "tpot", "mean")).isEqualTo(100 * MS);
        assertThat(published(m, "ttft", "max")).isEqualTo(100 * MS);
        assertThat(m.warnings()).anyMatch(w -> w.startsWith("1 request failed"));
    }

    @Test
    void readsEngineAndWorldSizeOfTrtllm() throws IOException {
        Measurement m = read(
                "trtllm",
                """
                {"engine":{"model":"org/m","version":"1.0","kv_cache_dtype":"FP8"},"world_info":{"tp_size":2,"max_num_tokens":8192},
                 "performance":{"system_output_throughput_tok_s":1000.0,"request_latency_percentiles_ms":{"p50":10.0,"maximum":40.0}},
                 "streaming_metrics":{"avg_tpot_ms":5.0,"ttft_percentiles":{"p99":30.0}}}
                """);
        assertThat(published(m, "e2e", "max")).isEqualTo(40 * MS);
        assertThat(published(m, "ttft", "p99")).isEqualTo(30 * MS);
        LocatedJson about = new LocatedJson("about", "", m.about());
        assertThat(about.get("engine").get("kv_cache_dtype").asString()).isEqualTo("FP8");
        assertThat(about.get("settings").get("max_num_tokens").asLong()).isEqualTo(8192);
    }

    @Test
    void readsNanosecondsOfLoadgen() throws IOException {
        String line =
                ":::MLLOG {\"key\": \"%s\", \"value\": %s, \"time_ms\": 0.002363, \"namespace\": \"mlperf::logging\","
                        + " \"event_type\": \"POINT_IN_TIME\", \"metadata\": {\"file\": \"loadgen.cc\"}}\n";
        String text = String.format(Locale.ROOT, line, "result_validity", "\"INVALID\"")
                + String.format(Locale.ROOT, line, "result_first_token_99.00_percentile_latency_ns", "2000000")
                + String.format(Locale.ROOT, line, "result_time_per_output_token_99.90_percentile_ns", "70000")
                + String.format(Locale.ROOT, line, "result_mean_latency_ns", "5000000");
        Measurement m = read("mlperf_loadgen", text);
        assertThat(published(m, "ttft", "p99")).isEqualTo(2 * MS);
        assertThat(published(m, "tpot", "p99.9")).isEqualTo(70000);
        assertThat(published(m, "e2e", "mean")).isEqualTo(5 * MS);
        assertThat(m.warnings()).anyMatch(w -> w.contains("INVALID"));
    }

    @Test
    void findsTrainingLogsInOtherText() throws IOException {
        String mark =
                "[rank0] 12:00 :::MLLOG {\"namespace\":\"\",\"time_ms\":%d,\"event_type\":\"%s\",\"key\":\"%s\",\"value\":%s,"
                        + "\"metadata\":{}}\n";
        String text = "loading\n" + String.format(Locale.ROOT, mark, 1000, "INTERVAL_START", "run_start", "null")
                + String.format(Locale.ROOT, mark, 1000, "POINT_IN_TIME", "global_batch_size", "256")
                + String.format(Locale.ROOT, mark, 5500, "POINT_IN_TIME", "tracked_stats", "{\"throughput\": 12.5}")
                + String.format(Locale.ROOT, mark, 61000, "INTERVAL_END", "run_stop", "null");
        Measurement m = read("mlperf_training", text);
        assertThat(rate(m, "run_s")).isEqualTo(60);
        assertThat(rate(m, "samples_per_s")).isEqualTo(12.5);
    }

    @Test
    void readsRowsOfLlamaBenchByKind() throws IOException {
        String csv = "build_commit,n_prompt,n_gen,avg_ts,model_type\n\"abc\",\"512\",\"0\",\"1234.5\",\"tiny\"\n"
                + "\"abc\",\"0\",\"128\",\"99.5\",\"tiny\"\n";
        byte[] bytes = csv.getBytes(StandardCharsets.UTF_8);
        assertThat(rate(read("llama_bench", "a.csv", bytes, entry(0)), "prompt_tokens_per_s"))
                .isEqualTo(1234.5);
        assertThat(rate(read("llama_bench", "a.csv", bytes, entry(1)), "output_tokens_per_s"))
                .isEqualTo(99.5);
        String json = "[{\"build_commit\":\"abc\",\"n_prompt\":16,\"n_gen\":8,\"avg_ts\":5.5}]";
        assertThat(rate(read("llama_bench", json), "total_tokens_per_s")).isEqualTo(5.5);
    }

    @Test
    void measuresBlisTracesFromArrivalOrSendTime() throws IOException {
        String csv = "request_id,input_tokens,output_tokens,server_input_tokens,arrival_time_us,send_time_us,"
                + "first_chunk_time_us,last_chunk_time_us,status\n0,10,4,12,100,150,400,900,ok\n1,10,4,0,200,260,0,0,timeout\n";
        byte[] bytes = csv.getBytes(StandardCharsets.UTF_8);
        Request intended =
                read("blis", "t.csv", bytes, ReadOptions.NONE).requests().all().get(0);
        assertThat(intended.first()).isEqualTo(300_000);
        assertThat(intended.prefill()).as("as the server counted").isEqualTo(12);
        ReadOptions sent = new ReadOptions(Optional.empty(), Optional.of(ArrivalTime.SENT));
        Requests requests = read("blis", "t.csv", bytes, sent).requests();
        assertThat(requests.all().get(0).first()).isEqualTo(250_000);
        assertThat(requests.all().get(1).status()).isEqualTo(RequestStatus.FAILED);
    }

    @Test
    void sumsDelaysToArrivalsOfVidur() throws IOException {
        Measurement m = read(
                "vidur",
                """
                Request Id,request_e2e_time,prefill_e2e_time,request_inter_arrival_delay,request_num_prefill_tokens,request_num_decode_tokens
                1,0.5,0.1,0.25,374.0,12.0
                0,0.4,0.2,,10.0,3.0
                2,,,0.25,5.0,5.0
                """);
        List<Request> all = m.requests().all();
        assertThat(all).extracting(Request::arrival).containsExactly(0L, 250_000_000L, 500_000_000L);
        assertThat(all.get(1).first()).isEqualTo(350_000_000);
        assertThat(all.get(1).prefill()).isEqualTo(374);
        assertThat(all.get(2).status()).isEqualTo(RequestStatus.UNFINISHED);
    }

    @Test
    void readsMillisecondsOfHfBenchmarker() throws IOException {
        Measurement m = read(
                "hf_benchmarker",
                """
                {"config":{"model_name":"org/m"},"results":[{"id":"r","request_rate":2.0,"failed_requests":0,
                 "time_to_first_token_ms":{"p50":11.0,"avg":12.0},"e2e_latency_ms":{"p99":99.0}}]}
                """);
        assertThat(published(m, "ttft", "mean")).isEqualTo(12 * MS);
        assertThat(m.model()).contains("org/m");
    }

    @Test
    void readsMicrosecondsOfNcclWithNewColumns() throws IOException {
        String text =
                """
                # nccl-tests: ./build/all_reduce_perf -b 8 -e 128M -f 2 -g 1
                #  Rank  0 Group  0 Pid 1 on host device  0 [0x0f] NVIDIA H100
                #  Rank  1 Group  0 Pid 1 on host device  1 [0x1f] NVIDIA H100
                #       size   count  type redop root  time algbw busbw #wrong time algbw busbw #wrong
                     1048576  262144 float   sum   -1 40.50 25.89 25.89 0 39.0 26.89 26.89 N/A
                     1.2e+06  262144 float   sum   -1 not read as it has no whole size
                # Out of bounds values : 0 OK
                """;
        List<Collective> rows = read("nccl_tests", text).operations().collectives();
        assertThat(rows).hasSize(2);
        assertThat(rows.get(0)).isEqualTo(new Collective("all_reduce", 2, 1048576, false, 40500, 25.89, 25.89, 0));
        assertThat(rows.get(1).wrong()).isEqualTo(-1);
    }

    @Test
    void readsCompressedAndTruncatedTraces() throws IOException {
        String whole =
                "{\"schemaVersion\":1,\"displayTimeUnit\":\"ms\",\"deviceProperties\":[{\"id\":0}],\"traceEvents\":["
                        + "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"gemm\",\"ts\":1.5,\"dur\":2.5,\"args\":{\"stream\":7}},"
                        + "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"gemm\",\"ts\":9,\"dur\":1.0},"
                        + "{\"ph\":\"i\",\"name\":\"mark\",\"ts\":9},"
                        + "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"aten::mm\",\"ts\":0,\"dur\":10}]}";
        Measurement m = read("chrome_trace", "t.json.gz", packed(whole), ReadOptions.NONE);
        assertThat(m.operations().rows())
                .containsExactly(
                        new Operations.Operator("cpu", "cpu_op", "aten::mm", 1, 10_000, 10_000, 10_000),
                        new Operations.Operator("gpu", "kernel", "gemm", 2, 3_500, 1_000, 2_500));
        Measurement cut = read("chrome_trace", whole.substring(0, whole.indexOf("aten") + 2));
        assertThat(cut.operations().rows()).hasSize(1);
        assertThat(cut.warnings()).anyMatch(w -> w.contains("truncated"));
    }

    @Test
    void readsACompressedTraceUpToItsTruncation() throws IOException {
        byte[] whole = Files.readAllBytes(
                Path.of(System.getProperty("stagesim.home", "."), "tests-data/measured/chrome_trace.json.gz"));
        byte[] part = Arrays.copyOf(whole, whole.length * 6 / 10);
        long all = calls(read("chrome_trace", "whole.json.gz", whole, ReadOptions.NONE));
        Measurement cut = read("chrome_trace", "cut.json.gz", part, ReadOptions.NONE);
        assertThat(calls(cut)).isPositive().isLessThan(all);
        assertThat(cut.warnings()).anyMatch(w -> w.contains("truncated"));
        Path file = Files.write(dir.resolve("cut.csv.gz"), Arrays.copyOf(packed("a,b\n1,2\n"), 5));
        assertThatThrownBy(() -> ResultFormats.read(file, Optional.empty(), ReadOptions.NONE))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("cut.csv.gz")
                .hasMessageContaining("the file is truncated, or its compression is damaged");
        Path folder = Files.createDirectory(dir.resolve("folder"));
        byte[] result = packed("{\"a\":\"" + "0123456789".repeat(1000) + "\"}");
        Files.write(folder.resolve("cut.json.gz"), Arrays.copyOf(result, result.length - 20));
        assertThatThrownBy(() -> ResultFormats.read(folder, Optional.empty(), ReadOptions.NONE))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("cut.json.gz");
    }

    private static long calls(Measurement m) {
        return m.operations().rows().stream()
                .mapToLong(Operations.Operator::count)
                .sum();
    }

    private static byte[] packed(String text) throws IOException {
        ByteArrayOutputStream packed = new ByteArrayOutputStream();
        try (GZIPOutputStream out = new GZIPOutputStream(packed)) {
            out.write(text.getBytes(StandardCharsets.UTF_8));
        }
        return packed.toByteArray();
    }

    @Test
    void readsTheUnitInTheHeaderOfNsight() throws IOException {
        Measurement m = read(
                "nsight",
                """
                Time (%),Total Time (us),Instances,Avg (us),Med (us),Min (us),Max (us),StdDev (us),Name
                90.0,120.5,3,40.1,40.0,39.5,41.0,0.5,gemm
                """);
        assertThat(m.operations().rows())
                .containsExactly(new Operations.Operator("gpu", "kernel", "gemm", 3, 120_500, 39_500, 41_000));
    }

    @Test
    void rejectsAnOptionWithoutEffect() {
        assertThatThrownBy(() -> read(
                        "nsight",
                        "n.csv",
                        "Total Time (ns),Instances,Name\n1,1,a\n".getBytes(StandardCharsets.UTF_8),
                        entry(0)))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("real.entry");
    }

    private static final String AT_ONCE =
            """
            {"backend":"sglang","request_rate":Infinity,"max_concurrency":null,"sharegpt_output_len":null,"completed":1,
             "median_ttft_ms":10,"input_lens":INPUTS,"output_lens":OUTPUTS,"ttfts":[0.010,0.02],"itls":GAPS,
             "errors":ERRORS}
            """;

    private static String atOnce(String inputs, String outputs, String gaps, String errors) {
        return AT_ONCE.replace("INPUTS", inputs)
                .replace("OUTPUTS", outputs)
                .replace("GAPS", gaps)
                .replace("ERRORS", errors);
    }

    @Test
    void rejectsArraysOfUnequalLengthAndImpossibleRequests() throws IOException {
        String gaps = "[[0.002],[0.001]]";
        assertThat(read("sglang", atOnce("[5,6]", "[2,2]", gaps, "[\"\",\"\"]"))
                        .requests()
                        .size())
                .isEqualTo(2);
        for (String bad : List.of(
                atOnce("[5]", "[2,2]", gaps, "[\"\",\"\"]"),
                atOnce("[5,6]", "[2,2,2]", gaps, "[\"\",\"\"]"),
                atOnce("[5,6]", "[2,2]", "[[0.002]]", "[\"\",\"\"]"),
                atOnce("[5,6]", "[2,2]", gaps, "[\"\"]"),
                atOnce("[5,6]", "[2,0]", gaps, "[\"\",\"\"]"),
                atOnce("[5,6]", "[2,2]", "[[0.002],[-1]]", "[\"\",\"\"]"),
                atOnce("[5,6]", "[2,2]", "[[0.002],[1e300]]", "[\"\",\"\"]"),
                atOnce("[5,-6]", "[2,2]", gaps, "[\"\",\"\"]"),
                atOnce("[5,6]", "[2,99999999999]", gaps, "[\"\",\"\"]"))) {
            assertThatThrownBy(() -> read("sglang", bad))
                    .as(bad)
                    .isInstanceOfSatisfying(
                            StageException.class, e -> assertThat(e.kind()).isEqualTo(StageException.Kind.INPUT));
        }
    }

    @Test
    void readsAggregatesOfAVllmResultWithoutSendTimes() throws IOException {
        String detailed =
                """
                {"backend":"vllm","model_id":"m","num_prompts":2,"request_rate":RATE,"completed":2,"duration":1.0,
                 "median_ttft_ms":12.5,"mean_ttft_ms":12.5,"request_throughput":2.0,
                 "input_lens":[5,6],"output_lens":[2,2],"ttfts":[0.01,0.015],"itls":[[0.002],[0.003]],"errors":["",""]}
                """;
        Measurement finite = read("vllm", detailed.replace("RATE", "4.0"));
        assertThat(finite.aggregatesOnly()).isTrue();
        assertThat(published(finite, "ttft", "p50")).isEqualTo(12.5 * MS);
        assertThat(finite.warnings()).anyMatch(warning -> warning.contains("start_times"));
        assertThat(read("vllm", detailed.replace("RATE", "\"inf\"")).requests().size())
                .isEqualTo(2);
    }
}
