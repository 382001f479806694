package dev.stagesim.feature.studio;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.LocatedJson;
import dev.stagesim.pipeline.WebApplication;
import dev.stagesim.pipeline.WebApplication.Answer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Jobs that the page starts, with a fake launcher. */
final class JobsTest {
    private static final String START = "{\"stage\": \"vidur_sim\", \"words\": [\"arrival.qps=%s\"], \"sweep\": false}";

    @TempDir
    Path work;

    @BeforeEach
    void launcher() throws IOException {
        Path launcher = Files.writeString(
                work.resolve("stage"),
                """
                #!/bin/sh
                echo "working on $*" >&2
                echo tmp/vidur_sim/vidur_sim-1
                case "$*" in *qps=9*) trap 'exit 130' TERM; while :; do sleep 0.05; done ;; esac
                case "$*" in *qps=5*) exit 1 ;; esac
                """);
        Files.setPosixFilePermissions(launcher, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    private WebApplication.Running studio(boolean allowRuns) throws IOException {
        return new StudioApplication()
                .open(
                        new WebApplication.Setting(work, work, 0, allowRuns),
                        words -> String.join(" ", words).contains("qps=-1")
                                ? new Answer(2, "", "config error: arrival.qps")
                                : new Answer(0, "", "vidur_sim  would run"));
    }

    private static LocatedJson job(Http http, String id) throws IOException {
        return Json.parse(http.get("/api/job?id=" + id + "&from=0").body(), "job");
    }

    private static LocatedJson ended(Http http, String id, String state) throws Exception {
        long until = System.nanoTime() + TimeUnit.MINUTES.toNanos(2);
        LocatedJson job = job(http, id);
        while (!job.get("state").asString().equals(state) && System.nanoTime() < until) {
            Thread.sleep(20);
            job = job(http, id);
        }
        assertThat(job.get("state").asString()).isEqualTo(state);
        return job;
    }

    @Test
    void runsACommandAndStoresItsArguments() throws Exception {
        try (WebApplication.Running studio = studio(true)) {
            Http http = Http.of(studio.address());
            assertThat(http.post("/api/start", START.formatted(2)).status()).isEqualTo(200);
            LocatedJson job = ended(http, "1", "done");
            assertThat(job.get("log").asString()).isEqualTo("working on vidur_sim --confined arrival.qps=2\n");
            assertThat(job.get("results").asStrings()).containsExactly("tmp/vidur_sim/vidur_sim-1");
            assertThat(job.get("command").asString()).isEqualTo("./stage vidur_sim arrival.qps=2");
            http.post("/api/start", START.formatted(5));
            ended(http, "2", "ended with 1");
        }
        try (WebApplication.Running again = studio(false)) {
            Http http = Http.of(again.address());
            assertThat(Json.parse(http.get("/api/jobs").body(), "jobs").items()).hasSize(2);
            assertThat(job(http, "1").get("state").asString()).isEqualTo("done");
        }
    }

    @Test
    void stopsAndResumesACommand() throws Exception {
        try (WebApplication.Running studio = studio(true)) {
            Http http = Http.of(studio.address());
            http.post("/api/start", START.formatted(9));
            while (job(http, "1").get("log").asString().isEmpty()) {
                Thread.sleep(20);
            }
            assertThat(http.post("/api/again", "{\"id\": 1}").status()).isEqualTo(400);
            assertThat(http.post("/api/stop", "{\"id\": 1}").status()).isEqualTo(200);
            ended(http, "1", "stopped");
            assertThat(http.post("/api/stop", "{\"id\": 1}").status()).isEqualTo(400);
            assertThat(http.post("/api/again", "{\"id\": 1}").status()).isEqualTo(200);
            while (job(http, "1").get("log").asString().lines().count() < 2) {
                Thread.sleep(20);
            }
            assertThat(http.post("/api/stop", "{\"id\": 7}").status()).isEqualTo(404);
        }
        // Files of a job are as untrusted as the page.
        Path job = work.resolve("tmp/.studio/jobs/1/job.json");
        while (Json.read(job).get("code").isNull()) {
            Thread.sleep(20);
        }
        Files.writeString(
                job, Files.readString(job).replaceFirst("\"words\"\\s*:\\s*\\[", "$0\"repeat.python=/bin/sh\","));
        try (WebApplication.Running studio = studio(true)) {
            assertThat(Http.of(studio.address())
                            .post("/api/again", "{\"id\": 1}")
                            .status())
                    .isEqualTo(400);
        }
        assertThat(ProcessHandle.allProcesses()
                        .filter(each -> each.info().commandLine().orElse("").contains(work.toString())))
                .as("processes that outlive the studio")
                .isEmpty();
    }

    @Test
    void rejectsInvalidCommandsAndForbiddenStarts() throws Exception {
        try (WebApplication.Running studio = studio(false)) {
            Http http = Http.of(studio.address());
            assertThat(http.post("/api/start", START.formatted(2)).status()).isEqualTo(403);
            assertThat(http.post("/api/check", START.formatted(-1)).body()).contains("config error", "\"valid\":false");
            assertThat(http.post("/api/check", START.formatted(1)).body()).contains("would run", "\"valid\":true");
        }
        try (WebApplication.Running studio = studio(true)) {
            Http http = Http.of(studio.address());
            assertThat(http.post("/api/start", START.formatted(-1)).status()).isEqualTo(400);
            assertThat(http.post("/api/start", "{\"stage\": \"verify\", \"words\": []}")
                            .status())
                    .isEqualTo(400);
            assertThat(http.get("/api/jobs").body()).isEqualTo("[]");
            assertThat(http.get("/api/form?stage=vidur_sim").body()).contains("\"arrival.qps\"");
            assertThat(http.get("/api/form?stage=none").status()).isEqualTo(400);
        }
        assertThat(work.resolve("tmp/.studio/jobs")).doesNotExist();
    }
}
