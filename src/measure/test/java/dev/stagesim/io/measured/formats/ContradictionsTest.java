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

/** Results of real tools with one value that contradicts the others, or with another unit. */
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
        ReadOptions first =
                new ReadOptions(name.startsWith("inferencex") ? Optional.of(0) : Optional.empty(), Optional.empty());
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
                "benchmark_report.yaml | total: 6                    | total: 6\\n    failures: 60 | 60 failed",
                "inferencex.json  | \"tp\": \\d                      | \"tp\": 0 | tp",
            })
    void contradictionsAreRefused(String sample, String value, String replacement, String named) {
        assertThatThrownBy(() -> read(sample, value, replacement.replace("\\n", "\n")))
                .isInstanceOf(StageException.class)
                .hasMessageContainingAll(named, "expected");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '\0',
            value = {
                "nccl_tests.txt      | 0 OK    | 7 FAILED | 7 FAILED",
                "mlperf_training.txt | success | aborted  | run_s is left out"
            })
    void brokenRunsAreReported(String sample, String value, String replacement, String named) throws IOException {
        assertThat(read(sample, value, replacement).warnings()).anyMatch(warning -> warning.contains(named));
    }

    @Test
    void unitsAreRead() throws IOException {
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
    void twoValuesOfOneLoadgenResultAreRefused() throws IOException {
        String text = Files.readString(SAMPLES.resolve("mlperf_loadgen.txt"));
        assertThatThrownBy(() -> of("two.txt", text + text.replace("58000000", "98000000")))
                .isInstanceOf(StageException.class)
                .hasMessageContainingAll("result_mean_latency_ns", "two.txt:", "98000000", "58000000");
        assertThat(read("mlperf_loadgen.txt", "58000000", "98000000").warnings())
                .anyMatch(warning -> warning.contains("above e2e p99"));
    }
}
