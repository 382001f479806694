package dev.stagesim.io.measured.formats;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import dev.stagesim.io.json.LocatedJson;
import dev.stagesim.io.measured.Measurement;
import dev.stagesim.io.measured.ReadOptions;
import dev.stagesim.model.StageException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Results of real tools with one contradictory value or another unit. */
final class ContradictionsTest {
    private static final Path SAMPLES = Path.of("tests-data", "measured");
    private final Path dir = Jimfs.newFileSystem(Configuration.unix()).getPath("/results");

    private Measurement read(String sample, String value, String replacement) throws IOException {
        String text = Files.readString(SAMPLES.resolve(sample));
        String changed = text.replaceFirst(value, replacement);
        assertThat(changed).as(value).isNotEqualTo(text);
        return of(sample, changed);
    }

    private Measurement of(String name, String text) throws IOException {
        Files.createDirectories(dir);
        Path file = Files.writeString(dir.resolve(name), text);
        ReadOptions first = new ReadOptions(
                name.matches("(inferencex|llama_bench).*") ? Optional.of(0) : Optional.empty(), Optional.empty());
        return ResultFormats.read(file, Optional.empty(), first);
    }

    private static double rate(Measurement m, String name) {
        return new LocatedJson("about", "", m.about()).get("rates").get(name).asDouble();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '\0',
            value = {
                "engine_log.txt   | 31.50 ms                         | 31.50 furlongs | furlongs",
                "engine_log.txt   | KV cache usage: [\\d.]+%         | KV cache usage: 140% | 140%",
                "genai_perf_summary.json | tokens/sec              | tokens/fortnight | fortnight",
                "nccl_tests.txt   | bandwidth    : 123.295           | bandwidth    : 999.0 | 999.0",
                "prometheus.txt   | (cache_hits_total\\{.*\\}) [\\d.]+ | $1 100000.0 | prefix_cache_hit_percent",
                "benchmark_report.yaml | failures: \\d+ | failures: 60 | 60 failed",
                "vllm.json     | \"total_input_tokens\": \\d+  | \"total_input_tokens\": 5 | total_input_tokens",
                "vllm.json     | \"mean_tpot_ms\": [\\d.]+    | \"mean_tpot_ms\": 2.0 | mean_tpot_ms",
                "sglang.jsonl  | \"concurrency\": [\\d.]+     | \"concurrency\": 900 | concurrency",
                "sglang.jsonl  | \"median_ttft_ms\": [\\d.]+  | \"median_ttft_ms\": 99 | median_ttft_ms",
                "sglang.jsonl  | \"mean_e2e_latency_ms\": [\\d.]+ | \"mean_e2e_latency_ms\": 8.0 | mean_e2e_latency_ms",
                "llmperf.json  | \"inter_token_latency_s\": [\\d.]+ | \"inter_token_latency_s\": 5.0 | inter_token_latency_s",
                "llmperf.json  | \"number_total_tokens\": \\d+ | \"number_total_tokens\": 3 | number_total_tokens",
                "aiperf.jsonl  | (\"inter_token_latency\": ..value.: )[\\d.]+ | $15000.0 | inter_token_latency",
                "llama_bench.csv  | \"25000.0\"                       | \"2500000.0\" | avg_ts",
                "inferencex.json  | \"tp\": \\d                      | \"tp\": 0 | tp",
            })
    void rejectsContradictions(String sample, String value, String replacement, String named) {
        assertThatThrownBy(() -> read(sample, value, replacement))
                .isInstanceOf(StageException.class)
                .hasMessageContainingAll(named, "expected");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '\0',
            value = {
                "aiperf.jsonl        | \"was_cancelled\": false | \"was_cancelled\": true | 1 request cancelled",
                "aiperf.jsonl  | (\"request_end_ns\": )\\d+    | $11786451500076379000 | request_latency",
                "vllm.json           | \"total_token_throughput\": [\\d.]+ | \"total_token_throughput\": 980.4 | total_tokens_per_s",
                "nccl_tests.txt      | 0 OK    | 7 FAILED | 7 FAILED",
                "inferencex.json     | (\"output_tput_per_gpu\": )[\\d.]+ | $18.0 | total_tokens_per_s",
                "trtllm.json         | (\"token_output_speed_tok_s\": )[\\d.]+ | $17460.0 | user_tokens_per_s_decoding",
                "trtllm.json         | (\"system_total_throughput_tok_s\": )[\\d.]+ | $19840.0 | total_tokens_per_s",
                "vllm_offline.json   | (\"tokens_per_second\": )[\\d.]+ | $1212.0 | total_tokens_per_s",
                "inference_perf.json | (\"requests_per_sec\": )3[\\d.]+ | $1387.6 | output_tokens_per_s",
                "mlperf_training.txt | success | aborted  | run_s is left out"
            })
    void reportsBrokenRuns(String sample, String value, String replacement, String named) throws IOException {
        assertThat(read(sample, value, replacement).warnings()).anyMatch(warning -> warning.contains(named));
    }

    /** The mean of rates is above the rate of the mean time: five repetitions, of which the first took nine times as long. */
    @Test
    void acceptsTheMeanRateOfASlowFirstRepetition() throws IOException {
        Measurement slow =
                read("llama_bench.csv", "\"20480000\",\"102400\",\"25000.0\"", "\"53248000\",\"65536000\",\"20555.6\"");
        assertThat(rate(slow, "prompt_tokens_per_s")).isEqualTo(20555.6);
    }

    @Test
    void readsUnits() throws IOException {
        assertThat(read("engine_log.txt", "31.50 ms", "31.50 s")
                        .operations()
                        .steps()
                        .get(0)
                        .timeNs())
                .isEqualTo(31.5e9);
        assertThat(rate(read("genai_perf_summary.json", "tokens/sec", "tokens/min"), "output_tokens_per_s"))
                .isCloseTo(15.5 / 60, within(1e-9));
    }

    @Test
    void reportsGapsThatWereNotMeasured() throws IOException {
        String text = Files.readString(SAMPLES.resolve("vllm.json"));
        String zero = text.replaceAll("(?<=[\\[ ])0\\.013\\d*", "0.0");
        assertThatThrownBy(() -> of("zero.json", zero))
                .isInstanceOf(StageException.class)
                .hasMessageContainingAll("mean_tpot_ms", "13.4 ms", "0.0 ms");
        assertThat(of("gaps.json", zero.replaceAll("\"\\w+_(tpot|itl|e2el)_ms\": [\\d.]+,\\s*", ""))
                        .warnings())
                .anyMatch(warning -> warning.contains("ends at its first token"));
    }

    @Test
    void rejectsTwoValuesOfOneLoadgenResult() throws IOException {
        String text = Files.readString(SAMPLES.resolve("mlperf_loadgen.txt"));
        assertThatThrownBy(() -> of("two.txt", text + text.replace("58000000", "98000000")))
                .isInstanceOf(StageException.class)
                .hasMessageContainingAll("result_mean_latency_ns", "two.txt:", "98000000", "58000000");
        assertThat(read("mlperf_loadgen.txt", "58000000", "98000000").warnings())
                .anyMatch(warning -> warning.contains("above e2e p99"));
    }
}
