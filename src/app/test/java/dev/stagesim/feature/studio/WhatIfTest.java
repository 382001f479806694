package dev.stagesim.feature.studio;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.api.Stagesim;
import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.LocatedJson;
import dev.stagesim.pipeline.WebApplication;
import dev.stagesim.pipeline.WebApplication.Answer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class WhatIfTest {
    private static final Path HOME =
            Path.of(System.getProperty("stagesim.home", "")).toAbsolutePath();
    private static final String REQUEST =
            "{\"stage\": \"%s\", \"words\": [\"model=llama3_8b\", \"hardware=h100\", \"engine=vllm_v1\", %s], \"sweep\": %s}";

    @TempDir
    Path work;

    private WebApplication.Running studio() throws Exception {
        return new StudioApplication()
                .open(new WebApplication.Setting(HOME, work, 0, false), words -> new Answer(0, "", ""));
    }

    private static Http.Got post(WebApplication.Running studio, String more) throws Exception {
        return Http.of(studio.address()).post("/api/whatif", REQUEST.formatted("vidur_sim", more, false));
    }

    @Test
    void returnsTheMetricsOfTheRun() throws Exception {
        try (WebApplication.Running studio = studio()) {
            LocatedJson answer = Json.parse(
                    post(studio, "\"arrival.qps=9\", \"workload.num_requests=200\"")
                            .body(),
                    "answer");
            Map<String, Double> run = Stagesim.open(HOME, work.resolve("elsewhere"))
                    .run(
                            "vidur_sim",
                            "model=llama3_8b",
                            "hardware=h100",
                            "engine=vllm_v1",
                            "arrival.qps=9",
                            "workload.num_requests=200")
                    .figures();
            assertThat(run).isNotEmpty().allSatisfy((name, value) -> assertThat(
                            answer.get("figures").get(name).asDouble())
                    .isEqualTo(value));
            assertThat(answer.get("config").get("arrival").get("qps").asDouble())
                    .isEqualTo(9);
            assertThat(answer.get("ms").asLong()).isNotNegative();
            assertThat(work.resolve("tmp/vidur_sim")).doesNotExist();
            assertThat(work.resolve("tmp/vidur_profile")).doesNotExist();
        }
    }

    @Test
    @Tag("acceptance")
    void returnsAnEstimateAndThenTheSimulatedPlan() throws Exception {
        String small = "\"load=30\", \"requests=300\", \"search.tp=[1,2]\", \"search.max_num_seqs=[256]\","
                + " \"search.max_num_batched_tokens=[8192]\"";
        String requested = "{\"stage\": \"plan\", \"words\": [%s], \"sweep\": false, \"soon\": %s}";
        try (WebApplication.Running studio = studio()) {
            Http http = Http.of(studio.address());
            LocatedJson isEstimate = Json.parse(
                    http.post("/api/whatif", requested.formatted(small, true)).body(), "soon");
            LocatedJson all = Json.parse(
                    http.post("/api/whatif", requested.formatted(small, false)).body(), "all");
            Map<String, Double> run = Stagesim.open(HOME, work.resolve("elsewhere"))
                    .run(
                            "plan",
                            "load=30",
                            "requests=300",
                            "search.tp=[1,2]",
                            "search.max_num_seqs=[256]",
                            "search.max_num_batched_tokens=[8192]")
                    .figures();
            assertThat(run).containsKey("usd_per_month").allSatisfy((name, value) -> assertThat(
                            all.get("figures").get(name).asDouble())
                    .isEqualTo(value));
            assertThat(all.flag("exact")).isTrue();
            assertThat(isEstimate.flag("exact")).isFalse();
            assertThat(isEstimate.get("how").asString()).startsWith("Estimated");
            assertThat(isEstimate.get("figures").get("devices").asDouble()).isEqualTo(run.get("devices"));
            assertThat(isEstimate.get("figures").get("tpot_p99_ms").asDouble())
                    .isBetween(run.get("tpot_p99_ms") / 2, run.get("tpot_p99_ms") * 2);
            assertThat(isEstimate.get("figures").has("simulations")).isFalse();
            assertThat(work.resolve("tmp/plan")).doesNotExist();
        }
    }

    /** A plan without a feasible deployment has no devices and no price. */
    @Test
    @Tag("acceptance")
    void returnsNoPriceWhenNoPlanIsFeasible() throws Exception {
        String requested = "{\"stage\": \"plan\", \"words\": [\"slo='ttft_p99_ms<0.01'\", \"requests=100\","
                + " \"search.simulations=1\"], \"sweep\": false, \"soon\": %s}";
        try (WebApplication.Running studio = studio()) {
            for (boolean isEstimate : new boolean[] {true, false}) {
                LocatedJson answer = Json.parse(
                        Http.of(studio.address())
                                .post("/api/whatif", requested.formatted(isEstimate))
                                .body(),
                        "answer");
                assertThat(answer.get("figures").has("devices")).isFalse();
                assertThat(answer.get("figures").has("usd_per_month")).isFalse();
            }
        }
    }

    @Test
    void rejectsAPlanWithTooManyRequests() throws Exception {
        try (WebApplication.Running studio = studio()) {
            Http.Got got = Http.of(studio.address())
                    .post(
                            "/api/whatif",
                            "{\"stage\": \"plan\", \"words\": [\"requests=20001\"], \"sweep\": false, \"soon\": true}");
            assertThat(got.status()).isEqualTo(400);
            assertThat(got.body()).contains("requests: is 20001", "at most 20000");
        }
    }

    @Test
    void simulatesASampleOfManyRequestsFirst() throws Exception {
        String words = "\"arrival.qps=9\", \"workload.num_requests=%d\"";
        try (WebApplication.Running studio = studio()) {
            LocatedJson few = Json.parse(post(studio, words.formatted(2000)).body(), "few");
            LocatedJson sample = Json.parse(
                    Http.of(studio.address())
                            .post(
                                    "/api/whatif",
                                    REQUEST.replace("\"sweep\"", "\"soon\": true, \"sweep\"")
                                            .formatted("vidur_sim", words.formatted(2001), false))
                            .body(),
                    "sample");
            assertThat(sample.get("how").asString()).isEqualTo("The first 2,000 of 2,001 requests, simulated");
            assertThat(sample.get("figures").object())
                    .isEqualTo(few.get("figures").object());
            assertThat(few.flag("exact")).isTrue();
        }
    }

    @Test
    void readsFilesOfTheWorkingDirectory() throws Exception {
        StringBuilder lines = new StringBuilder();
        for (int i = 0; i < 20; i++) {
            lines.append("{\"timestamp\": %d, \"input_length\": 100, \"output_length\": 10, \"hash_ids\": [%d]}\n"
                    .formatted(100 * i, i));
        }
        Files.writeString(work.resolve("few.jsonl"), lines);
        try (WebApplication.Running studio = studio()) {
            assertThat(post(
                                    studio,
                                    "\"workload=mooncake\", \"workload.file='few.jsonl'\", \"workload.num_requests=20\"")
                            .body())
                    .contains("\"ttft_p50_ms\":");
        }
    }

    /** A slow simulation must not occupy the threads of other requests. */
    @Test
    void rejectsConcurrentRequests() throws Exception {
        WhatIf whatIf = new WhatIf(new WebApplication.Setting(HOME, work, 0, false));
        CommandRequest words = CommandRequest.of(new CommandRequest.Request(
                "vidur_sim",
                List.of("model=llama3_8b", "hardware=h100", "engine=vllm_v1", "workload.num_requests=20"),
                Optional.empty(),
                Optional.empty()));
        assertThat(whatIf.turn.tryAcquire()).isTrue();
        assertThat(whatIf.answer(words, false).status()).isEqualTo(429);
        whatIf.turn.release();
        assertThat(whatIf.answer(words, false).status()).isEqualTo(200);
        assertThat(whatIf.answer(words, false).status()).isEqualTo(200);
        whatIf.close();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "vidur_sim; workload.num_requests=20001; false; at most 20000",
                "vidur_sim; workload.num_requests=null; false; the number of requests is not set",
                "vidur_sim; workload.num_requests=null\", \"workload.duration=3; false; is not set",
                "vidur_sim; arrival.qps=-1; false; arrival.qps",
                "vidur_sim; workload.num_requests=abc; false; config error: workload.num_requests",
                "vidur_sim; repeat=1; false; has no effect",
                "vidur_sim; arrival.qps=1; true; not a sweep",
                "vidur_sim; workload.dir=/etc; false; outside the working directory",
                "compare; repeat=1; false; supports only whole runs"
            })
    void rejectsUnsupportedRequests(String stage, String word, boolean sweep, String why) throws Exception {
        try (WebApplication.Running studio = studio()) {
            Http.Got got =
                    Http.of(studio.address()).post("/api/whatif", REQUEST.formatted(stage, "\"" + word + "\"", sweep));
            assertThat(got.status()).isEqualTo(400);
            assertThat(Json.parse(got.body(), "answer").get("error").asString()).contains(why);
        }
    }
}
