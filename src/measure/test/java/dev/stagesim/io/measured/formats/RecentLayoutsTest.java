package dev.stagesim.io.measured.formats;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;
import static org.assertj.core.api.Assertions.within;

import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import dev.stagesim.contract.RequestStatus;
import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.LocatedJson;
import dev.stagesim.io.measured.Measurement;
import dev.stagesim.io.measured.Operations.Collective;
import dev.stagesim.io.measured.Published;
import dev.stagesim.io.measured.ReadOptions;
import dev.stagesim.io.measured.Requests.Request;
import dev.stagesim.model.ArrivalTime;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Layouts of tool versions since 2026, and of the versions before. */
class RecentLayoutsTest {
    private static final double MS = 1e6;
    private static final Path REAL =
            Path.of(System.getProperty("stagesim.home", ".")).resolve("tests-data/real");

    private final Path dir = Jimfs.newFileSystem(Configuration.unix()).getPath("/results");

    private Path write(String name, String text) throws IOException {
        Path file = dir.resolve(name);
        Files.createDirectories(file.getParent());
        return Files.writeString(file, text);
    }

    private static Measurement read(String format, Path file, ReadOptions options) throws IOException {
        assertThat(ResultFormats.of(file, Optional.empty()).name()).isEqualTo(format);
        return ResultFormats.read(file, Optional.empty(), options);
    }

    private Measurement read(String format, String name, String text) throws IOException {
        return read(format, write(name, text), ReadOptions.NONE);
    }

    private static double published(Measurement m, String metric, String statistic) {
        return m.published().stream()
                .filter(p -> p.metric().equals(metric) && p.statistic().equals(statistic))
                .findFirst()
                .orElseThrow(() -> new AssertionError("no " + metric + " " + statistic + " in " + m.published()))
                .valueNs();
    }

    private static LocatedJson settings(Measurement m) {
        return new LocatedJson("about", "", m.about()).get("settings");
    }

    @Test
    void readsResponsesInEitherMemberOfInferencePerf() throws IOException {
        Measurement recent = read("inference_perf", REAL.resolve("inference_perf_requests.json"), ReadOptions.NONE);
        assertThat(recent.requests().all())
                .hasSize(4)
                .allMatch(Request::completed)
                .allSatisfy(r -> assertThat(r.first() - r.arrival()).isEqualTo(100_000_000));
        Measurement older = read(
                "inference_perf",
                "per_request.json",
                """
                [{"start_time":1.0,"end_time":1.3,"request":"","response":"","info":{"input_tokens":7,"output_tokens":2,
                  "output_token_times":[1.1,1.3]},"error":null}]
                """);
        assertThat(older.requests().all()).singleElement().satisfies(r -> {
            assertThat(r.completion()).isEqualTo(300_000_000);
            assertThat(r.prefill()).isEqualTo(7);
        });
    }

    @Test
    void readsRequestsWithoutTokenTimesAsCompleted() throws IOException {
        String record = "{\"start_time\":1.0,\"end_time\":1.3,\"info\":{\"input_tokens\":7,\"response_metrics\":"
                + "{\"output_tokens\":2,\"output_token_times\":%s}},\"error\":%s}";
        String plain = record.formatted("[]", "null");
        Measurement none = read("inference_perf", "none.json", "[" + plain + "," + plain + "]");
        assertThat(none.requests().size()).isZero();
        assertThat(published(none, "e2e", "p50")).isCloseTo(300 * MS, within(1.0));
        assertThat(none.published())
                .noneMatch(p -> p.metric().equals("ttft") || p.metric().equals("tpot"));
        assertThat(none.warnings())
                .anyMatch(w -> w.contains("no record has token times"))
                .noneMatch(w -> w.contains("failed"));
        String timed = record.formatted("[1.1,1.2]", "null");
        String failed = record.formatted("[]", "{\"error_type\":\"Timeout\"}");
        Measurement some = read("inference_perf", "some.json", "[" + plain + "," + timed + "," + failed + "]");
        assertThat(some.requests().all())
                .extracting(Request::status)
                .containsExactlyInAnyOrder(RequestStatus.COMPLETED, RequestStatus.FAILED);
        assertThat(some.warnings()).anyMatch(w -> w.startsWith("left out: 1 request without an error"));
    }

    @Test
    void readsGuidellmRequestsWhenAllAreStored() throws IOException {
        Path file = REAL.resolve("guidellm_requests.json");
        Measurement m = read("guidellm", file, ReadOptions.NONE);
        assertThat(m.model()).contains("Qwen/Qwen3-0.6B");
        assertThat(settings(m).get("prompt_tokens").asLong()).isEqualTo(256);
        assertThat(settings(m).get("rate").asDouble()).isEqualTo(2);
        assertThat(m.requests().size()).isEqualTo(6);
        Request second = m.requests().all().get(1);
        assertThat(second.arrival()).isEqualTo(500_000_000);
        assertThat(second.first() - second.arrival()).isEqualTo(85_000_000);
        assertThat(second.completion() - second.arrival()).isEqualTo(1_100_000_000);
        assertThat(m.published())
                .filteredOn(p -> p.metric().equals("tpot"))
                .isNotEmpty()
                .allMatch(p -> p.method().equals(Optional.of(Published.WEIGHTED)));
        assertThat(m.published()).filteredOn(p -> p.metric().equals("ttft")).allMatch(p -> p.method()
                .equals(Optional.of(Published.INVERSE)));
        String sample = Files.readString(file).replace("\"count\": 6", "\"count\": 60");
        assertThat(read("guidellm", "sample.json", sample).requests().size()).isZero();
    }

    @Test
    void readsRequestsOfGuidellmWithTheEarlierNameOfTheirStart() throws IOException {
        Path file = REAL.resolve("guidellm_requests.json");
        String earlier = Files.readString(file).replace("\"request_start_time\"", "\"start_time\"");
        Measurement m = read("guidellm", "earlier.json", earlier);
        assertThat(m.requests().all())
                .extracting(Request::arrival, Request::first, Request::completion)
                .isEqualTo(read("guidellm", file, ReadOptions.NONE).requests().all().stream()
                        .map(r -> tuple(r.arrival(), r.first(), r.completion()))
                        .toList())
                .hasSize(6);
    }

    @Test
    void warnsOfMissingDetailsOfVllmOnlyOnce() throws IOException {
        String head =
                "{\"model_id\":\"org/m\",\"num_prompts\":1,\"completed\":1,\"request_rate\":2.0,\"mean_ttft_ms\":50.0";
        assertThat(read("vllm", "aggregates.json", head + "}").warnings())
                .filteredOn(w -> w.contains("--save-detailed"))
                .singleElement()
                .asString()
                .contains("was run without");
        assertThat(read("vllm", "undated.json", head + ",\"input_lens\":[7],\"output_lens\":[3],\"ttfts\":[0.05]}")
                        .warnings())
                .filteredOn(w -> w.contains("--save-detailed"))
                .singleElement()
                .asString()
                .contains("there is no 'start_times'");
    }

    @Test
    void repeatsWarningsOfGuidellm() throws IOException {
        String text = Files.readString(REAL.resolve("guidellm_requests.json"))
                .replace(
                        "\"warnings\": []",
                        "\"warnings\": [{\"code\": \"x\", \"note\": \"the client was slow\"}, \"plain\"]");
        assertThat(read("guidellm", "warned.json", text).warnings())
                .contains("GuideLLM warns: the client was slow", "GuideLLM warns: plain");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{'models':{'items':[{'name':'org/m'}]},'phases':[{'kind':'warmup','requests':3},{'kind':'profiling','requests':24,'rate':2.0}]}",
                "{'endpoint':{'model_names':['org/m'],'type':'chat'},'phases':[{'kind':'profiling','requests':24}]}",
                "{'model_names':['org/m'],'phases':[{'requests':24}]}",
                "{'model':'org/m','phases':[{'requests':24}]}",
                "{'model':'org/m','endpoint':'chat','perf_analyzer':'default','phases':[{'requests':24}]}"
            })
    void readsModelAndLoadInEverySchemaOfAiperf(String config) throws IOException {
        String summary = "{\"request_latency\":{\"unit\":\"ms\",\"avg\":100.0},\"request_throughput\":"
                + "{\"unit\":\"requests/sec\",\"avg\":3.5},\"input_config\":" + config.replace('\'', '"') + "}";
        Measurement m = read("genai_perf_summary", "profile_export_aiperf.json", summary);
        assertThat(m.model()).contains("org/m");
        assertThat(settings(m).get("num_requests").asLong()).isEqualTo(24);
        write(
                "run/profile_export.jsonl",
                "{\"metadata\":{\"request_start_ns\":5},\"metrics\":{\"input_sequence_length\":{\"value\":7,\"unit\":\"t\"},"
                        + "\"output_sequence_length\":{\"value\":3,\"unit\":\"t\"},\"request_latency\":{\"value\":5,\"unit\":\"ms\"},"
                        + "\"time_to_first_token\":{\"value\":2,\"unit\":\"ms\"}}}\n");
        write("run/profile_export_aiperf.json", summary);
        assertThat(read("aiperf", dir.resolve("run"), ReadOptions.NONE).model()).contains("org/m");
        assertThat(read("aiperf", dir.resolve("run/profile_export.jsonl"), ReadOptions.NONE)
                        .model())
                .as("the file also names the summary")
                .contains("org/m");
    }

    @Test
    void countsLatencyFromTheSendTimeInAClosedLoopOfVllm() throws IOException {
        String text = Files.readString(REAL.resolve("vllm_queued.json"))
                .replace("\"request_rate\": 10.0", "\"request_rate\": \"inf\"");
        Measurement m = read("vllm", "closed.json", text);
        assertThat(m.requests().all())
                .extracting(r -> r.first() - r.arrival())
                .containsExactly(500_000_000L, 500_000_000L, 250_000_000L);
        assertThat(m.warnings()).anyMatch(w -> w.startsWith("a closed loop of 1 requests"));
        ReadOptions intended = new ReadOptions(Optional.empty(), Optional.of(ArrivalTime.INTENDED));
        Measurement waited = read("vllm", dir.resolve("closed.json"), intended);
        assertThat(waited.requests().all().get(1).first()
                        - waited.requests().all().get(1).arrival())
                .isGreaterThan(1_000_000_000L);
        assertThat(waited.warnings()).noneMatch(w -> w.contains("closed loop"));
    }

    @ParameterizedTest
    @CsvSource({
        "Mean Time to Output Token (ns), mean",
        "Mean Time per Output Token (ns), mean",
        "Max Time per Output Token (ns), max",
        "99.00 percentile time to output token (ns), p99",
        "99.90 percentile time per output token (ns), p99.9"
    })
    void readsBothSpellingsOfTpotInLoadgen(String line, String statistic) throws IOException {
        Measurement m = read("mlperf_loadgen", "mlperf_log_summary.txt", summary(line + "   : 15000000"));
        assertThat(published(m, "tpot", statistic)).isEqualTo(15 * MS);
    }

    @Test
    void readsOtherScenariosOfLoadgen() throws IOException {
        Measurement m = read(
                "mlperf_loadgen",
                "mlperf_log_summary.txt",
                summary("90th percentile latency (ns) : 500\n99th first token percentile latency (ns) : 100\n"
                        + "QPS w/ loadgen overhead         : 4.5\nTPS w/ loadgen overhead         : 90"));
        assertThat(published(m, "e2e", "p90")).isEqualTo(500);
        assertThat(published(m, "ttft", "p99")).isEqualTo(100);
        assertThat(new LocatedJson("about", "", m.about())
                        .get("rates")
                        .get("output_tokens_per_s")
                        .asDouble())
                .isEqualTo(90);
    }

    private static String summary(String lines) {
        return "====\nMLPerf Results Summary\n====\nSUT name : PySUT\nScenario : Server\nResult is : VALID\n" + lines
                + "\n";
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            quoteCharacter = '"',
            value = {
                "inferencex.json; {'closed_loop':8,'output_tokens':128.0,'prompt_tokens':512.0,'requests':80}",
                "guidellm.json; {'output_tokens':4.0,'prompt_tokens':21.4,'request_rate':4.0,'requests':5}",
                "genai_perf_summary.json; {'output_tokens':4.0,'prompt_tokens':21.4,'request_rate':4.0,'requests':5}",
                "trtllm.json; {'closed_loop':1,'output_tokens':4.0,'prompt_tokens':21.4,'requests':5}",
                "llmperf.json; {'output_tokens':4.0,'prompt_tokens':21.4,'requests':5}",
                "llmperf_summary.json; {'closed_loop':1,'output_tokens':4.0,'prompt_tokens':21.4,'requests':5}",
                "inference_perf.json; {'output_tokens':4.0,'prompt_tokens':21.0,'request_rate':4.0,'requests':5}"
            })
    void keepsTheLoadOfAggregates(String name, String load) throws IOException {
        Optional<Integer> entry = name.startsWith("inferencex") ? Optional.of(0) : Optional.empty();
        Measurement m = ResultFormats.read(
                REAL.resolveSibling("measured").resolve(name),
                Optional.empty(),
                new ReadOptions(entry, Optional.empty()));
        assertThat(Json.compact(m.about().get("workload").orElseThrow()).replace('"', '\''))
                .isEqualTo(load);
    }

    @Test
    void keepsTheLoadOfNvidiaSummaries() throws IOException {
        String summary =
                "{'request_latency':{'unit':'ms','avg':50},'request_throughput':{'unit':'requests/sec','avg':4},"
                        + "'input_sequence_length':{'unit':'tokens','avg':64},'request_count':{'unit':'requests','avg':6},"
                        + "'output_sequence_length':{'unit':'tokens','avg':4},'input_config':{'loadgen':{'request_rate':4}}}";
        Measurement m = read("genai_perf_summary", "profile_export_aiperf.json", summary.replace('\'', '"'));
        assertThat(Json.compact(m.about().get("workload").orElseThrow()).replace('"', '\''))
                .isEqualTo("{'output_tokens':4.0,'prompt_tokens':64.0,'request_rate':4,'requests':6}");
    }

    @Test
    void readsRatesPerGpuAndSecondsOfInferencex() throws IOException {
        String run = "{'hw':'h200','conc':64,'model':'org/m','framework':'vllm','isl':1024,'osl':1024,%s,"
                + "'tput_per_gpu':100.0,'output_tput_per_gpu':50.0,'mean_ttft':0.08,'median_tpot':0.01,'median_intvty':%s}";
        String one = run.formatted("'tp':4,'pp':2", "100.0").replace('\'', '"');
        Measurement m = read("inferencex", "agg_one.json", one);
        assertThat(published(m, "ttft", "mean")).isEqualTo(80 * MS);
        assertThat(published(m, "tpot", "p50")).isEqualTo(10 * MS);
        LocatedJson rates = new LocatedJson("about", "", m.about()).get("rates");
        assertThat(rates.get("total_tokens_per_s").asDouble()).isEqualTo(800);
        String split =
                run.formatted("'num_prefill_gpu':2,'num_decode_gpu':6", "100.0").replace('\'', '"');
        LocatedJson parts = new LocatedJson(
                        "about", "", read("inferencex", "agg_split.json", split).about())
                .get("rates");
        assertThat(parts.get("total_tokens_per_s").asDouble()).isEqualTo(800);
        assertThat(parts.get("output_tokens_per_s").asDouble())
                .as("per decode GPU")
                .isEqualTo(300);
        String wrong = run.formatted("'tp':4", "42.0").replace('\'', '"');
        assertThatThrownBy(() -> read("inferencex", "agg_wrong.json", wrong))
                .hasMessageContainingAll("median_intvty", "median_tpot");
        assertThatThrownBy(() -> read("inferencex", "agg_two.json", "[" + one + "," + split + "]"))
                .hasMessageContainingAll("real.entry", "conc 64");
    }

    @Test
    void readsRanksOfRccl() throws IOException {
        String line = "{\"#wrong\":%s,\"algBw\":100.0,\"busBw\":%s,\"inPlace\":1,\"name\":\"AllReduce\",\"ranks\":8,"
                + "\"redop\":\"sum\",\"size\":1000000,\"time\":10.0,\"type\":\"float\"}\n";
        Measurement m =
                read("rccl_tests", "a.json", line.formatted("\"N/A\"", "175.0") + line.formatted("\"2\"", "175.0"));
        assertThat(m.operations().collectives())
                .containsExactly(
                        new Collective("all_reduce", 8, 1_000_000, true, 10_000, 100, 175, -1),
                        new Collective("all_reduce", 8, 1_000_000, true, 10_000, 100, 175, 2));
        assertThat(m.warnings()).anyMatch(w -> w.contains("some results were wrong"));
        Measurement table = read(
                "rccl_tests",
                "c.csv",
                "numCycle,name,nodes,ranks,ranksPerNode,gpusPerRank,size,type,redop,inPlace,time,algBw,busBw,#wrong\n"
                        + "0,AllGather,1,8,8,1,1000000,float,none,0,10.0,100.0,87.5,0\n");
        assertThat(table.operations().collectives())
                .containsExactly(new Collective("all_gather", 8, 1_000_000, false, 10_000, 100, 87.5, 0));
        assertThatThrownBy(() -> read("rccl_tests", "b.json", line.formatted("0", "87.5")))
                .hasMessageContainingAll("b.json:1", "1.75");
    }

    private static Optional<Long> clients(Measurement m) {
        return new LocatedJson("about", "", m.about())
                .find("workload", "closed_loop")
                .map(LocatedJson::asLong);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "'max_concurrency':8,'request_rate':'inf' | 8",
                "'max_concurrency':8,'request_rate':Infinity | 8",
                "'max_concurrency':8 | 8",
                "'max_concurrency':8,'request_rate':2.5 |",
                "'max_concurrency':null,'request_rate':'inf' |",
            })
    void detectsAClosedLoopOfVllm(String load, Long expected) throws IOException {
        Measurement m = read(
                "vllm",
                "vllm.json",
                ("{'date':'x','backend':'vllm','model_id':'m','completed':2,'duration':1.0,'total_input_tokens':4,"
                                + "'total_output_tokens':4,'request_throughput':2.0,'mean_ttft_ms':10,'mean_tpot_ms':5,"
                                + load
                                + "}")
                        .replace('\'', '"'));
        assertThat(clients(m)).isEqualTo(Optional.ofNullable(expected));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "'loadgen':{'concurrency':4} | 4",
                "'loadgen':{'concurrency':4,'request_rate':3.0} |",
                "'phases':[{'kind':'warmup','type':'concurrency','concurrency':1},{'type':'concurrency','concurrency':6}] | 6",
                "'phases':[{'type':'poisson','rate':3.0,'concurrency':6}] |",
            })
    void detectsAClosedLoopOfAiperf(String load, Long expected) throws IOException {
        Measurement m = read(
                "genai_perf_summary",
                "profile_export_aiperf.json",
                ("{'input_config':{'endpoint':{'model_names':['m']}," + load
                                + "},'request_latency':{'unit':'ms','avg':100.0},"
                                + "'request_throughput':{'unit':'requests/sec','avg':3.5}}")
                        .replace('\'', '"'));
        assertThat(clients(m)).isEqualTo(Optional.ofNullable(expected));
    }
}
