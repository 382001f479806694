package dev.stagesim.io.measured.formats;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.stagesim.io.measured.Measurement;
import dev.stagesim.io.measured.Published;
import dev.stagesim.io.measured.ReadOptions;
import dev.stagesim.io.measured.Requests.Request;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Results that the current versions of benchmark tools wrote against the mock server, whose TPOT is about 23 ms. */
class ClientFilesTest {
    private static final String MODEL = "meta-llama/Meta-Llama-3-8B";
    private static final Path CLIENTS =
            Path.of(System.getProperty("stagesim.home", ".")).resolve("tests-data/clients");

    private static Measurement read(String file) throws IOException {
        return ResultFormats.read(CLIENTS.resolve(file), Optional.empty(), ReadOptions.NONE);
    }

    private static double published(Measurement m, String metric, String statistic) {
        return m.published().stream()
                .filter(p -> p.metric().equals(metric) && p.statistic().equals(statistic))
                .mapToDouble(Published::valueNs)
                .findFirst()
                .orElseThrow(() -> new AssertionError("no " + metric + " " + statistic + " in " + m.published()));
    }

    private static double tpot(Request request) {
        return (request.completion() - request.first()) / (request.actual() - 1.0);
    }

    @ParameterizedTest
    @CsvSource({
        "vllm.json,             vllm,            6, request_rate",
        "guidellm.json.gz,      guidellm,        6, rate",
        "aiperf,                aiperf,          6, rate",
        "inference_perf,        inference_perf,  7, model_name",
        "evalscope,             evalscope,       6, rate"
    })
    void readsModelLoadAndRequests(String file, String format, int requests, String setting) throws IOException {
        assertThat(ResultFormats.of(CLIENTS.resolve(file), Optional.empty()).name())
                .isEqualTo(format);
        Measurement m = read(file);
        assertThat(m.model()).contains(MODEL);
        assertThat(m.about().toString()).contains(setting);
        assertThat(m.requests().all())
                .hasSize(requests)
                .allMatch(Request::completed)
                .allSatisfy(request -> {
                    assertThat(request.prefill()).isBetween(60L, 69L);
                    assertThat(request.actual()).isEqualTo(16);
                    assertThat(tpot(request)).isBetween(21e6, 24.5e6);
                    assertThat(request.first() - request.arrival()).isBetween(30_000_000L, 200_000_000L);
                });
        double mean = m.requests().all().stream()
                .mapToDouble(ClientFilesTest::tpot)
                .average()
                .orElseThrow();
        assertThat(mean).isBetween(22.5e6, 23.3e6);
    }

    @ParameterizedTest
    @CsvSource({
        "aiperf/profile_export_aiperf.json,                genai_perf_summary, true",
        "inference_perf/summary_lifecycle_metrics.json,    inference_perf,     true",
        "inferencex.json,                                  inferencex,         true",
        "benchmark_report.yaml,                            benchmark_report,   true",
        "sglang.jsonl,                                     sglang,             false",
        "mlperf_log_detail.txt.gz,                         mlperf_loadgen,     false",
        "mlperf_log_summary.txt,                           mlperf_loadgen,     false"
    })
    void readsModelAndAggregates(String file, String format, boolean namesModel) throws IOException {
        assertThat(ResultFormats.of(CLIENTS.resolve(file), Optional.empty()).name())
                .isEqualTo(format);
        Measurement m = read(file);
        assertThat(m.model()).isEqualTo(namesModel ? Optional.of(MODEL) : Optional.empty());
        assertThat(published(m, "tpot", "mean")).isBetween(22.3e6, 23.3e6);
        assertThat(published(m, "ttft", "mean")).isBetween(60e6, 80e6);
        assertThat(published(m, "e2e", "mean")).isBetween(400e6, 425e6);
    }

    /** GuideLLM's time per output token includes the first token, also in a report of llm-d. */
    @Test
    void keepsTheDefinitionsOfGuidellm() throws IOException {
        for (String file : new String[] {"guidellm.json.gz", "benchmark_report.yaml"}) {
            Measurement m = read(file);
            assertThat(published(m, "norm_latency", "mean")).isCloseTo(25.91e6, within(0.01e6));
            assertThat(published(m, "tpot", "mean")).isCloseTo(22.81e6, within(0.01e6));
        }
    }
}
