package dev.stagesim.io.measured.formats;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;
import static org.assertj.core.api.Assertions.within;

import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import dev.stagesim.io.json.LocatedJson;
import dev.stagesim.io.measured.Measurement;
import dev.stagesim.io.measured.Operations.Step;
import dev.stagesim.io.measured.Published;
import dev.stagesim.io.measured.ReadOptions;
import dev.stagesim.model.StageException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Logs of an engine's steps, and its metrics. */
class EngineEvidenceTest {
    private static final Path SHIPPED =
            Path.of(System.getProperty("stagesim.home", ".")).resolve("tests-data/measured");
    private static final String TRT =
            "[03/02/2026-09:00:00] [TRT-LLM] [I] iter = %s, global_rank = %s, rank = 0, currank_total_requests = 0/0,"
                    + " %s, timestamp = 2026-03-02 09:00:00, num_scheduled_requests: %s, states = {'num_ctx_requests': %s,"
                    + " 'num_ctx_tokens': %s, 'num_generation_tokens': %s}\n";

    private final Path dir = Jimfs.newFileSystem(Configuration.unix()).getPath("/logs");

    private Measurement read(String format, String text) throws IOException {
        Files.createDirectories(dir);
        Path file = Files.writeString(dir.resolve("evidence.txt"), text);
        assertThat(ResultFormats.of(file, Optional.empty()).name()).isEqualTo(format);
        return ResultFormats.read(file, Optional.empty(), ReadOptions.NONE);
    }

    private static double rate(Measurement m, String name) {
        return new LocatedJson("about", "", m.about()).get("rates").get(name).asDouble();
    }

    private static String vllm(int id, String elapsed) {
        return "INFO 03-02 09:00:11 [core.py:349] Engine 000: Iteration(" + id
                + "): 1 context requests, 64 context tokens, "
                + "2 generation requests, 2 generation tokens, iteration elapsed time: " + elapsed + " ms\n";
    }

    @Test
    void readsCachedTokensOfVllmWhereTheLogNamesTheSizeOfTheCache() throws IOException {
        String size = "INFO 03-02 09:00:01 [kv_cache_utils.py:1] GPU KV cache size: 131,072 tokens, Maximum: 32.00x\n";
        String step = vllm(0, "12.5").replace("\n", ", GPU KV cache usage: 1.5%\n");
        assertThat(read("engine_log", size + step).operations().steps())
                .extracting(Step::cachedTokens)
                .containsExactly(1966L);
        assertThat(read("engine_log", step).operations().steps())
                .extracting(Step::cachedTokens)
                .containsExactly(Step.UNKNOWN);
    }

    private static String vllm(int steps) {
        StringBuilder log = new StringBuilder();
        for (int i = 0; i < steps; i++) {
            log.append(vllm(i, "12.5"));
        }
        return log.toString();
    }

    @Test
    void readsStepTimesOfVllm() throws IOException {
        Measurement log = ResultFormats.read(SHIPPED.resolve("engine_log.txt"), Optional.empty(), ReadOptions.NONE);
        assertThat(log.model()).contains("acme/tiny-1b");
        assertThat(log.operations().steps()).hasSize(4);
        assertThat(log.operations().steps().get(2)).isEqualTo(new Step("0", 2, 1, 64, 2, 2, Step.UNKNOWN, 19.75e6));
        assertThat(rate(log, "max_running_requests")).isEqualTo(3);
        assertThat(rate(log, "prefix_cache_hit_percent")).isEqualTo(12.5);
    }

    @Test
    void recognisesAnEngineOnAProcessor() throws IOException {
        String step = vllm(1, "12.5").replace(" ms", " ms, %s KV cache usage: 1.4%%");
        assertThat(about(read("engine_log", step.formatted("CPU")))
                        .get("async_scheduling")
                        .asBool())
                .isFalse();
        assertThat(about(read("engine_log", step.formatted("GPU"))).has("async_scheduling"))
                .isFalse();
        String rates = "Avg prompt throughput: 10.0 tokens/s, Running: 1 reqs, GPU KV cache usage: 1.4%,"
                + " CPU KV cache usage: 0.0%\n";
        assertThat(about(read("engine_log", rates)).has("async_scheduling"))
                .as("vLLM V0 logs both caches on a GPU")
                .isFalse();
    }

    private static LocatedJson about(Measurement log) {
        return new LocatedJson("about", "", log.about()).get("engine");
    }

    /** Earlier versions do not log the number of scheduled requests, so the padding of graphs looks like requests. */
    @Test
    void readsStepTimesOfTensorRtInTwoUnits() throws IOException {
        String text = TRT.formatted(
                        "1", "0", "host_step_time = 8.5ms, prev_device_step_time = 7.1ms", "10", "1", "32", "16")
                + TRT.formatted("2", "0", "elapsed_time = 0.0125s", "10", "0", "0", "16")
                + TRT.formatted("3", "0", "host_step_time = 0.1ms, prev_device_step_time = N/A", "0", "0", "0", "0");
        Measurement log = read("engine_log", text);
        assertThat(log.operations().steps())
                .containsExactly(
                        new Step("0", 1, 1, 32, 9, 16, Step.UNKNOWN, 8.5e6),
                        new Step("0", 2, 0, 0, 10, 16, Step.UNKNOWN, 12.5e6));
        assertThat(log.warnings()).anyMatch(w -> w.contains("without requests"));
    }

    /** A rate is converted to a step time only if its interval contains no prompt and no change of batch size. */
    @Test
    void derivesStepTimesFromDecodeLinesOfSglang() throws IOException {
        String decode =
                "[2026-03-02 09:00:0%s TP0] Decode batch%s #running-req: %s, #token: %s00, token usage: 0.02, %s"
                        + "cuda graph: True, gen throughput (token/s): %s, #queue-req: 5, \n";
        String prefill =
                "[2026-03-02 09:00:05 TP0] Prefill batch, #new-seq: 1, #new-token: 64, #cached-token: 0, #queue-req: 7,\n";
        String text = decode.formatted(1, ".", 4, 4, "", 100)
                + decode.formatted(2, ",", 4, 6, "", 400)
                + decode.formatted(3, ",", 5, 7, "", 400)
                + prefill
                + decode.formatted(5, ",", 5, 8, "", 250)
                + decode.formatted(6, ",", 5, 9, "accept len: 2.00, ", 1000);
        Measurement log = read("engine_log", text);
        assertThat(log.operations().steps()).extracting(Step::decodeRequests).containsExactly(4L, 5L);
        assertThat(log.operations().steps()).extracting(Step::timeNs).containsExactly(10e6, 10e6);
        assertThat(log.operations().steps()).extracting(Step::cachedTokens).containsExactly(500L, 850L);
        assertThat(log.operations().steps().get(1).decodeTokens()).isEqualTo(10);
        assertThat(rate(log, "max_waiting_requests")).isEqualTo(7);
    }

    @ParameterizedTest
    @ValueSource(strings = {"NaN", "-1", "1e308", "0.00", "twelve", "0.0001"})
    void rejectsAnImpossibleStepTimeWithItsLine(String elapsed) {
        assertThatThrownBy(() -> read("engine_log", vllm(3) + vllm(3, elapsed)))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("evidence.txt:4");
    }

    @Test
    void countsStepsOncePerEngine() throws IOException {
        assertThatThrownBy(() -> read("engine_log", vllm(3) + vllm(2, "12.5")))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("repeats iteration 2");
        assertThat(read("engine_log", vllm(3) + vllm(3).replace("Engine 000", "Engine 001"))
                        .operations()
                        .steps())
                .extracting(Step::engine)
                .contains("0", "1")
                .hasSize(6);
        assertThat(read("engine_log", vllm(4) + vllm(4)).operations().steps()).hasSize(8);
    }

    @Test
    void namesTheExpectedLinesWhenALogHasNone() {
        assertThatThrownBy(() -> read("engine_log", "INFO 03-02 Engine 000: started\n"))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("no line about steps");
    }

    @Test
    void derivesMeansAndPercentileRangesFromHistograms() throws IOException {
        Measurement scrape = ResultFormats.read(SHIPPED.resolve("prometheus.txt"), Optional.empty(), ReadOptions.NONE);
        assertThat(scrape.published())
                .extracting(Published::metric, Published::statistic, Published::valueNs, Published::n)
                .containsExactlyInAnyOrder(
                        tuple("ttft", "mean", 100e6, Optional.of(4L)), tuple("e2e", "mean", 550e6, Optional.of(4L)));
        LocatedJson about = new LocatedJson("about", "", scrape.about());
        assertThat(about.get("samples").get("ttft_p50").asString())
                .contains("0.05")
                .contains("0.1 s");
        assertThat(about.get("samples").get("ttft_p99").asString()).contains("above 0.1");
        assertThat(about.get("settings").get("num_gpu_blocks").asString()).isEqualTo("4096");
        assertThat(rate(scrape, "queue_mean_ms")).isCloseTo(5, within(1e-9));
        assertThat(rate(scrape, "prefix_cache_hit_percent")).isEqualTo(25);
        assertThat(rate(scrape, "preemptions")).isEqualTo(3);
    }

    private static String sglang(String labels, double ttft) {
        String name = "sglang:time_to_first_token_seconds";
        return name + "_bucket{" + labels + "le=\"1.0\"} 2.0\n" + name + "_bucket{" + labels + "le=\"+Inf\"} 2.0\n"
                + name + "_count{" + labels + "} 2.0\n" + name + "_sum{" + labels + "} " + ttft + "\n";
    }

    /** Responses without streaming have no first token. Ranks of data parallelism count as one server. */
    @Test
    void addsSeriesOfStreamedRequests() throws IOException {
        Measurement scrape = read(
                "prometheus",
                sglang("dp_rank=\"0\",is_streaming=\"true\",", 0.2)
                        + sglang("dp_rank=\"1\",is_streaming=\"true\",", 0.4)
                        + sglang("dp_rank=\"0\",is_streaming=\"false\",", 1.9));
        assertThat(scrape.published()).singleElement().satisfies(mean -> assertThat(mean.valueNs())
                .isCloseTo(150e6, within(1.0)));
    }

    @ParameterizedTest
    @CsvSource({
        "sum{engine=\"0\";model_name=\"acme/tiny-1b\"} 0.4 | sum{engine=\"0\";model_name=\"acme/tiny-1b\"} 0.01",
        "sum{engine=\"0\";model_name=\"acme/tiny-1b\"} 0.4 | sum{engine=\"0\";model_name=\"acme/tiny-1b\"} NaN",
        "count{engine=\"0\";model_name=\"acme/tiny-1b\"} 4.0 | count{engine=\"0\";model_name=\"acme/tiny-1b\"} 5.0",
        "le=\"0.1\";model_name=\"acme/tiny-1b\"} 3.0 | le=\"0.1\";model_name=\"acme/tiny-1b\"} 0.0",
        "le=\"0.1\";model_name=\"acme/tiny-1b\"} 3.0 | le=\"0.1\";model_name=\"acme/tiny-1b\"} NaN",
        "le=\"0.1\" | le=\"wide\"",
        "le=\"0.1\" | le=\"0.05\"",
        "le=\"0.1\";model_name=\"acme/tiny-1b\"} 3.0 | le=\"0.1\";model_name=\"acme/tiny-1b\" 3.0",
    })
    void rejectsAContradictoryHistogramWithItsLine(String change) throws IOException {
        String[] words = change.replace(';', ',').split(" \\| ", 2);
        String whole = Files.readString(SHIPPED.resolve("prometheus.txt"));
        assertThat(whole).contains(words[0]);
        String text = whole.replaceFirst(Pattern.quote(words[0]), Matcher.quoteReplacement(words[1]));
        assertThatThrownBy(() -> read("prometheus", text))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("evidence.txt:1");
    }

    @Test
    void rejectsMetricsOfSeveralModelsOrWithoutAnEngine() throws IOException {
        String two = sglang("model_name=\"a\",", 0.2) + sglang("model_name=\"b\",", 0.2);
        assertThatThrownBy(() -> read("prometheus", two)).hasMessageContaining("several models: a, b");
        String none = "# HELP up Whether it is up\n# TYPE up gauge\nup 1\n";
        assertThatThrownBy(() -> read("prometheus", none)).hasMessageContaining("no metric of vLLM");
    }
}
