package dev.stagesim.io.measured.formats;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import dev.stagesim.io.measured.Measurement;
import dev.stagesim.io.measured.Published;
import dev.stagesim.io.measured.ReadOptions;
import dev.stagesim.io.measured.Requests.Request;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Requests that engines themselves record: spans of vLLM, and timings of llama.cpp. */
class RequestEvidenceTest {
    private static final Path SHIPPED =
            Path.of(System.getProperty("stagesim.home", ".")).resolve("tests-data/measured");

    /** One request in the JSON of Jaeger. */
    private static final String JAEGER =
            """
            {"data": [{"traceID": "a", "spans": [{"operationName": "llm_request", "startTime": 1772442000000000,
             "duration": 531240, "tags": [
              {"key": "gen_ai.latency.time_to_first_token", "type": "float64", "value": 0.0412},
              {"key": "gen_ai.latency.e2e", "type": "float64", "value": 0.5312},
              {"key": "gen_ai.usage.prompt_tokens", "type": "int64", "value": 128},
              {"key": "gen_ai.usage.completion_tokens", "type": "int64", "value": 50}]}]}]}
            """;

    private static final String SERVER =
            """
            slot print_timing: id  0 | task 7 | %n\
            prompt eval time =     240.00 ms /   128 tokens (    1.88 ms per token,   533.33 tokens per second)
                   eval time =    1240.00 ms /    32 tokens (   38.75 ms per token,    25.81 tokens per second)
                  total time =    1480.00 ms /   160 tokens
            """
                    .formatted();

    private static final String COMMAND =
            """
            llama_perf_context_print: prompt eval time =     240.00 ms /   128 tokens (    1.88 ms per token)
            llama_perf_context_print:        eval time =    1240.00 ms /    31 runs   (   40.00 ms per token)
            """;

    private final Path dir = Jimfs.newFileSystem(Configuration.unix()).getPath("/evidence");

    private Measurement read(String format, String text) throws IOException {
        Files.createDirectories(dir);
        return read(format, Files.writeString(dir.resolve("file"), text));
    }

    private static Measurement read(String format, Path file) throws IOException {
        assertThat(ResultFormats.of(file, Optional.empty()).name()).isEqualTo(format);
        return ResultFormats.read(file, Optional.empty(), ReadOptions.NONE);
    }

    private static double ms(Measurement measurement, String metric) {
        return measurement.published().stream()
                        .filter(value -> value.metric().equals(metric)
                                && value.statistic().equals("mean"))
                        .mapToDouble(Published::valueNs)
                        .findFirst()
                        .orElseThrow()
                / 1e6;
    }

    @Test
    void readsTheRequestsOfACollector() throws IOException {
        Measurement spans = read("otlp_spans", SHIPPED.resolve("otlp_spans.jsonl"));

        assertThat(spans.requests().all())
                .extracting(Request::arrival, Request::first, Request::completion, Request::prefill, Request::actual)
                .containsExactly(
                        tuple(0L, 41_200_000L, 531_200_000L, 128L, 50L),
                        tuple(250_000_000L, 315_500_000L, 1_315_500_000L, 512L, 101L),
                        tuple(1_000_000_000L, 1_038_800_000L, 1_238_800_000L, 64L, 21L));
        assertThat(spans.warnings()).anyMatch(text -> text.startsWith("1 span without gen_ai.latency.e2e"));
    }

    @Test
    void readsTheDownloadOfJaeger() throws IOException {
        Request request = read("otlp_spans", JAEGER).requests().all().get(0);

        assertThat(request.first()).isEqualTo(41_200_000);
        assertThat(request.completion()).isEqualTo(531_200_000);
        assertThat(request.actual()).isEqualTo(50);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    gen_ai.latency.e2e              | span.e2e              | no span with gen_ai.latency.e2e
                    gen_ai.usage.prompt_tokens      | input                 | no gen_ai.usage.prompt_tokens
                    "value": 128                    | "value": -1           | a number from 0
                    "value": 50}                    | "value": "many"}      | a whole number
                    "startTime": 1772442000000000   | "startTime": 9000000000000000000 | a time in us
                    """)
    void namesWhatASpanLacks(String from, String to, String message) {
        assertThatThrownBy(() -> read("otlp_spans", JAEGER.replace(from, to))).hasMessageContaining(message);
    }

    @Test
    void refusesSpansOfSeveralModels() {
        String two = withModels("a", "alias") + withModels("b", "alias");

        assertThatThrownBy(() -> read("otlp_spans", two)).hasMessageContaining("several models: a, b");
    }

    @Test
    void prefersTheModelThatAnswered() throws IOException {
        assertThat(read("otlp_spans", withModels("a", "alias")).model()).contains("a");
    }

    private static String withModels(String answered, String requested) {
        return JAEGER.replace(
                "\"tags\": [",
                "\"tags\": [{\"key\": \"gen_ai.response.model\", \"value\": \"" + answered + "\"},"
                        + "{\"key\": \"gen_ai.request.model\", \"value\": \"" + requested + "\"},");
    }

    @Test
    void pairsTheTimesOfTasksThatOverlap() throws IOException {
        Measurement log = read("llama_log", SHIPPED.resolve("llama_log.txt"));

        assertThat(ms(log, "ttft")).isEqualTo(360);
        assertThat(ms(log, "tpot")).isEqualTo(40);
        assertThat(ms(log, "e2e")).isEqualTo(2240);
        assertThat(log.model()).contains("Meta Llama 3 8B");
    }

    /** The server counts tokens, the command line tool the steps after the first token. */
    @Test
    void readsTheServerAndTheCommandLineTool() throws IOException {
        assertThat(ms(read("llama_log", SERVER), "tpot")).isEqualTo(40);
        assertThat(ms(read("llama_log", COMMAND), "tpot")).isEqualTo(40);
    }

    @Test
    void warnsAboutATruncatedLog() throws IOException {
        Measurement log =
                read("llama_log", SERVER.substring(SERVER.indexOf("       eval")) + SERVER + COMMAND.split("\n", 2)[0]);

        assertThat(ms(log, "tpot")).isEqualTo(40);
        assertThat(log.warnings())
                .anyMatch(text -> text.contains("file:1 has the time of an output without its prompt"))
                .anyMatch(text -> text.startsWith("1 prompt without the time of an output"));
        assertThatThrownBy(() -> read("llama_log", COMMAND.split("\n", 2)[0]))
                .hasMessageContaining("no time of an output");
    }
}
