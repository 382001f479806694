package dev.stagesim.stage.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import dev.stagesim.comparison.ComparisonDocument;
import dev.stagesim.contract.JsonArtifact;
import dev.stagesim.io.json.ArtifactSchemas;
import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonSchemaCheck;
import dev.stagesim.io.json.LocatedJson;
import dev.stagesim.io.measured.Published;
import dev.stagesim.stage.FakeContext;
import java.io.IOException;
import java.nio.file.FileSystem;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Comparisons with live measurements and with published aggregates. */
class LiveAndPublishedTest {
    private final FileSystem disk = Jimfs.newFileSystem(Configuration.unix());
    private final Path out = disk.getPath("/out");
    private final FakeContext context = new FakeContext(out, disk.getPath("/home"));

    private static RunFixture even(int count, double factor) {
        RunFixture run = new RunFixture().meta("model", "\"m\"");
        for (int i = 0; i < count; i++) {
            run.request(i * 1_000_000L, 10, 5, 5, Math.round(1000 * factor), Math.round(100 * factor));
        }
        return run;
    }

    @Test
    void comparesPublishedMetricsWithEqualDefinitions() throws IOException {
        Path real = Files.createDirectories(disk.getPath("/real"));
        Files.writeString(real.resolve("run_meta.json"), "{\"model\": \"m\"}");
        Files.writeString(
                real.resolve("measurement.json"),
                """
                {"format": "sglang", "model": "m", "published": [
                  {"metric": "ttft", "definition": "", "statistic": "p50", "value_ns": 1000000},
                  {"metric": "tpot", "definition": "A", "statistic": "p50", "value_ns": 125000},
                  {"metric": "token_gap", "definition": "B or C", "statistic": "mean", "value_ns": 100000}],
                 "settings": {"chunked_prefill_size": 8192, "num_gpu_blocks": 3400, "max_running_requests": 64},
                 "engine": {"name": "sglang", "version": "0.5.1"},
                 "definitions": {"tpot": "A: (latency - ttft) / (tokens - 1)"}}
                """);
        Path sim = even(10, 1).write(disk.getPath("/sim"), true);
        Files.writeString(sim.resolve("engine.json"), "{\"num_blocks\": 2588, \"batch_size_cap\": 64}");
        Files.createDirectories(out);
        context.with("real", real, "real_bench").with("sim", sim, "vidur_sim");
        CompareStage.compare(CompareSettingsFixture.defaults(), Optional.empty(), context);
        assertThat(context.headlines)
                .containsEntry("ttft_p50_error_percent", 0.0)
                .hasEntrySatisfying("tpot_p50_error_percent", v -> assertThat(v).isCloseTo(-20, within(1e-9)));
        assertThat(Files.readString(out.resolve("summary.md")))
                .contains("has aggregates only")
                .contains("| TTFT | one definition | not stated | yes, published values |")
                .contains("| TPOT | A | A: (latency - ttft) / (tokens - 1) | yes, published values |")
                .contains("no: published under definition B or C")
                .contains("| E2E | one definition | not stated | no: the real side does not report it |");
        assertThat(Files.readString(out.resolve("report.html")))
                .contains("KV blocks", "3400", "2588", "chunk size (tokens)", "8192", "engine version", "0.5.1")
                .contains("batch size cap (requests)");
    }

    @Test
    void comparesWeightedMetricsWithEqualWeights() throws IOException {
        Path real = Files.createDirectories(disk.getPath("/real"));
        Files.writeString(real.resolve("run_meta.json"), "{\"model\": \"m\"}");
        String figure = "{\"metric\": \"%s\", \"definition\": \"%s\", \"statistic\": \"%s\", \"value_ns\": %s,"
                + " \"method\": \"%s\"}";
        // Three requests: 2 tokens with gaps of 100 us, 5 tokens with 200 us, 11 tokens with 300 us.
        String figures = String.join(
                ", ",
                figure.formatted("tpot", "A", "mean", (100 + 4 * 200 + 10 * 300) * 1000 / 15.0, Published.WEIGHTED),
                figure.formatted("tpot", "A", "p50", 300_000, Published.WEIGHTED),
                figure.formatted("norm_latency", "D", "p25", 360_000, Published.WEIGHTED),
                figure.formatted("ttft", "", "p50", 1_000_000, Published.INVERSE));
        Files.writeString(
                real.resolve("measurement.json"),
                "{\"format\": \"guidellm\", \"model\": \"m\", \"published\": [" + figures + "]}");
        Path sim = new RunFixture()
                .meta("model", "\"m\"")
                .request(0, 10, 2, 2, 1000, 100)
                .request(0, 10, 5, 5, 1000, 200)
                .request(0, 10, 11, 11, 3000, 300)
                .write(disk.getPath("/sim"), false);
        Files.createDirectories(out);
        context.with("real", real, "real_bench").with("sim", sim, "vidur_sim");
        CompareStage.compare(CompareSettingsFixture.defaults(), Optional.empty(), context);
        LocatedJson json = Json.read(out.resolve("comparison.json"));
        assertThat(json.get("published").items()).hasSize(4).allSatisfy(row -> assertThat(
                        row.get("difference_percent").asDouble())
                .as(row.get("metric").asString() + row.get("statistic").asString())
                .isCloseTo(0, within(1e-9)));
    }

    /** Writes a server's record with a warm-up request and one of an unrelated client, in a different order. */
    private void server(RunFixture fixture, List<String> names) throws IOException {
        Path sim = fixture.write(disk.getPath("/sim"), false);
        List<String> served =
                new ArrayList<>(List.of("request_id,client_request_id,first_token_lateness_ns,max_lateness_ns"));
        for (int i = 0; i < names.size(); i++) {
            served.add(i + "," + names.get(i) + ",20000,50000");
        }
        Files.write(sim.resolve("served_metrics.csv"), served);
        context.with("sim", sim, "serve_mock");
    }

    private void replay(RunFixture fixture, int count) throws IOException {
        Path real = fixture.write(disk.getPath("/real"), false);
        List<String> client =
                new ArrayList<>(List.of("request_id,sent_request_id,intended_ns,sent_ns,end_ns,chunks,prompt_tokens,"
                        + "output_tokens,cancelled,error"));
        for (int i = 0; i < count; i++) {
            client.add(i + ",run-" + i + "," + i + "," + i + "," + (i + 9) + ",5,10,5,false,");
        }
        Files.write(real.resolve("client_metrics.csv"), client);
        Files.writeString(
                real.resolve("measurement.json"),
                "{\"format\": \"endpoint\", \"model\": \"m\", \"published\": [], \"clock_noise\": {"
                        + "\"send_delay_p95_ns\": 30000.0, \"wake_late_p95_ns\": 10000.0, \"round_trip_p95_ns\": 40000.0}}");
        context.with("real", real, "real_bench");
    }

    @Test
    void matchesAReplayWithItsServerAndReportsClockNoise() throws IOException {
        // Responses of the server: warm-up, the second and first request of the replay, another client's request.
        RunFixture served = new RunFixture()
                .meta("model", "\"m\"")
                .request(0, 10, 5, 5, 9000, 900)
                .request(1_000_000L, 10, 5, 5, 2000, 100)
                .request(1_000_001L, 10, 5, 5, 1000, 100)
                .request(2_000_000L, 10, 5, 5, 8000, 800);
        server(served, List.of("warm-up-0", "run-1", "run-0", ""));
        replay(
                new RunFixture()
                        .meta("model", "\"m\"")
                        .request(0, 10, 5, 5, 1080, 100)
                        .request(0, 10, 5, 5, 2080, 100),
                2);
        Files.createDirectories(out);
        CompareStage.compare(CompareSettingsFixture.defaults(), Optional.empty(), context);
        assertThat(context.headlines).hasEntrySatisfying("ttft_p50_error_percent", v -> assertThat(v)
                .as("1.5 against 1.58 ms: each request with its own")
                .isCloseTo(-100 * 80.0 / 1580, within(1e-9)));
        assertThat(context.headlines).hasEntrySatisfying("ttft_p50_clock_noise_percent", v -> assertThat(v)
                .as("delay, path, wake-up and server lateness: 100 us")
                .isCloseTo(100 * 100.0 / 1580, within(1e-9)));
        LocatedJson json = Json.read(out.resolve("comparison.json"));
        assertThat(new JsonSchemaCheck(Json.pretty(ArtifactSchemas.schema(JsonArtifact.of(ComparisonDocument.class))))
                        .problems(json))
                .isEmpty();
        assertThat(json.get("clock_noise").items())
                .allSatisfy(row -> assertThat(row.get("within").asBool()).isTrue());
        assertThat(json.get("sim").get("requests").asLong()).isEqualTo(2);
        assertThat(Files.readString(out.resolve("summary.md"))).contains("## Clock noise", "within the noise");
        assertThat(Files.readString(out.resolve("report.html"))).contains("2 other requests to the server");
    }

    @Test
    void reportsAnErrorBeyondTheNoise() throws IOException {
        server(even(3, 1), List.of("run-0", "run-1", "run-2"));
        replay(even(3, 3), 3);
        Files.createDirectories(out);
        CompareStage.compare(CompareSettingsFixture.defaults(), Optional.empty(), context);
        assertThat(Files.readString(out.resolve("summary.md"))).contains("beyond the noise");
    }
}
