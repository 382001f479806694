package dev.stagesim.io.measured.formats;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
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

/** Results of real tools with one value replaced by an impossible or an unlikely one. */
final class RunCheckTest {
    private static final Path SAMPLES = Path.of("tests-data", "measured");
    private final Path dir = Jimfs.newFileSystem(Configuration.unix()).getPath("/results");

    private Measurement read(String sample, String value, String replacement) throws IOException {
        String text = Files.readString(SAMPLES.resolve(sample));
        String changed = text.replaceFirst(value, replacement);
        assertThat(changed).as(value).isNotEqualTo(text);
        Files.createDirectories(dir);
        Path file = Files.writeString(dir.resolve(Path.of(sample).getFileName().toString()), changed);
        ReadOptions first =
                new ReadOptions(sample.startsWith("inferencex") ? Optional.of(0) : Optional.empty(), Optional.empty());
        return ResultFormats.read(file, Optional.empty(), first);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '\0',
            value = {
                "sglang.jsonl          | \"duration\": [\\d.]+          | \"duration\": 0.01           | duration",
                "sglang.jsonl          | \"completed\": \\d+            | \"completed\": -2            | completed",
                "hf_benchmarker.json   | \"total_requests\": \\d+       | \"total_requests\": 1        | total_requests",
                "hf_benchmarker.json   | \"duration_ms\": \\d+          | \"duration_ms\": 3           | duration_ms",
                "benchmark_report.yaml | duration: 1.29                 | duration: 0                  | duration",
                "inference_perf.json   | \"count\": 6                   | \"count\": 1                 | load_summary",
                "trtllm.json           | \"total_latency_ms\": [\\d.]+  | \"total_latency_ms\": 5.0    | total_latency_ms",
                "inferencex.json       | \"conc\": 8                    | \"conc\": 0                  | conc",
                "inferencex.json       | \"tput_per_gpu\": 4000.0       | \"tput_per_gpu\": 1e9        | tput_per_gpu",
                "genai_perf_summary.json | \"min\": 15.6\\d*            | \"min\": 22.0                | time_to_first_token",
                "guidellm.json         | \"min\": 0.0464\\d*            | \"min\": 0.1                 | request_latency",
                "blis.csv              | ,150,23250,                    | ,24000,23250,                | blis.csv:2",
                "blis.csv              | ,23250,76529,5,                | ,23250,76529,50,             | 50 chunks"
            })
    void rejectsImpossibleValues(String sample, String value, String replacement, String named) throws IOException {
        assertThatThrownBy(() -> read(sample, value, replacement))
                .isInstanceOf(StageException.class)
                .hasMessageContainingAll(named, "expected");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '\0',
            value = {
                "vllm_offline.json   | \"elapsed_time\": 2.41       | \"elapsed_time\": 24.1      | requests_per_s",
                "trtllm.json         | \"request_throughput_req_s\": [\\d.]+ | \"request_throughput_req_s\": 900.0 | requests_per_s",
                "blis.csv            | ,23250,76529,5,              | ,23250,76529,8,             | 8 chunks"
            })
    void warnsOfUnlikelyValues(String sample, String value, String replacement, String named) throws IOException {
        assertThat(read(sample, value, replacement).warnings()).anyMatch(warning -> warning.contains(named));
    }

    private static final String SUMMARY =
            "MLPerf Results Summary\nSUT name : sut\nScenario : Server\nResult is : VALID\n%s"
                    + "Test Parameters Used\ntarget_latency (ns): 0\n";

    private Measurement summary(String lines) throws IOException {
        Files.createDirectories(dir);
        Path file = Files.writeString(dir.resolve("mlperf_log_summary.txt"), SUMMARY.formatted(lines));
        return ResultFormats.read(file, Optional.empty(), ReadOptions.NONE);
    }

    @ParameterizedTest
    @CsvSource({"ns, 58000000", "us, 58000", "ms, 58", "s, 0.058"})
    void readsUnitsOfLoadgenLatencies(String unit, String value) throws IOException {
        assertThat(summary("Mean latency (" + unit + ") : " + value + "\n").published())
                .singleElement()
                .satisfies(mean -> assertThat(mean.valueNs()).isCloseTo(58e6, within(1.0)));
    }

    @Test
    void namesUnreadLinesOfLoadgen() throws IOException {
        Measurement m = summary("Mean latency (ns) : 58000000\nMean latency (minutes) : 2\n");
        assertThat(m.warnings())
                .filteredOn(w -> w.contains("is left out"))
                .singleElement()
                .asString()
                .contains("minutes");
        assertThatThrownBy(() -> summary("Min latency (ns) : 90\nMax latency (ns) : 58\n"))
                .hasMessageContainingAll("e2e min", "e2e max", "summary.txt:5");
    }
}
