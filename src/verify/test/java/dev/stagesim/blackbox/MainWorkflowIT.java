package dev.stagesim.blackbox;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The main workflow and the use of its result. */
@Tag("acceptance")
class MainWorkflowIT {
    @TempDir
    Path scratch;

    private StageProcess stage() {
        return new StageProcess(scratch);
    }

    @Test
    void comparesTheShippedRecordingWithASimulation() throws Exception {
        StageProcess.Result run = stage().run("compare", "model=qwen3", "hardware=a100", "engine=sarathi");
        assertThat(run.exit()).as(run.err()).isZero();
        Path dir = stage().dir(run);
        assertThat(dir)
                .isDirectoryContaining(file -> file.getFileName().toString().equals("report.html"));
        assertThat(files(dir)).contains("comparison.json", "run_meta.json", "summary.md", "tables/percentiles.csv");
        assertThat(Files.readString(dir.resolve("summary.md"))).contains("host-bound");
        assertThat(Files.readString(dir.resolve("report.html")))
                .startsWith("<!DOCTYPE html>")
                .doesNotContainPattern("(src|href)=\"(https?:)?//");
    }

    @Test
    void reusesTheRunOfAnEqualRequest() throws Exception {
        StageProcess.Result first = stage().run("compare", "model=qwen3", "hardware=a100");
        byte[] report = Files.readAllBytes(stage().dir(first).resolve("report.html"));
        StageProcess.Result second = stage().run("compare", "hardware=a100", "model=qwen3");
        assertThat(second.line()).isEqualTo(first.line());
        assertThat(second.err()).contains("reused");
        StageProcess.Result forced = stage().run("compare", "model=qwen3", "hardware=a100", "--force");
        assertThat(Files.readAllBytes(stage().dir(forced).resolve("report.html")))
                .isEqualTo(report);
    }

    @Test
    void writesTheSameBytesInAnyLocaleAndTimeZone() throws Exception {
        StageProcess.Result here = stage().run("vidur_sim", "workload=spaced_chat");
        Path elsewhere = Files.createDirectories(scratch.resolve("elsewhere é"));
        StageProcess other = new StageProcess(elsewhere)
                .with("TZ", "Pacific/Chatham")
                .with("LC_ALL", "tr_TR.UTF-8")
                .with("STAGE_JAVA_OPTS", "-Duser.language=tr -Duser.country=TR");
        StageProcess.Result there = other.run("vidur_sim", "workload=spaced_chat");
        assertThat(there.exit()).as(there.err()).isZero();
        assertThat(there.line()).isEqualTo(here.line());
        for (String table : List.of("request_metrics.csv", "token_metrics.csv", "summary.md")) {
            assertThat(other.dir(there).resolve(table))
                    .hasSameBinaryContentAs(stage().dir(here).resolve(table));
        }
    }

    @Test
    void chainsStagesByDirectory() {
        StageProcess stage = stage();
        String workload = stage.run("workload", "workload=chat_poisson", "workload.num_requests=20", "workload.seed=7")
                .line();
        String sim = stage.run("vidur_sim", "workload.dir=" + workload, "scheduler=vllm_v1")
                .line();
        String other = stage.run("vidur_sim", "workload.dir=" + workload, "scheduler=vllm")
                .line();
        StageProcess.Result compared = stage.run("compare", "real.dir=" + sim, "sim.dir=" + other);
        assertThat(compared.exit()).as(compared.err()).isZero();
        StageProcess.Result byChoice =
                stage.run("vidur_sim", "workload=chat_poisson", "workload.num_requests=20", "workload.seed=7");
        assertThat(byChoice.line()).isEqualTo(sim);
    }

    @Test
    void exitsWithThreeAndKeepsTheReportWhenAToleranceFails() {
        StageProcess.Result run = stage().run("compare", "compare.tolerance.ttft_p50_percent=0.001");
        assertThat(run.exit()).as(run.err()).isEqualTo(3);
        assertThat(stage().dir(run).resolve("report.html")).exists();
    }

    @Test
    void repeatsARunFromItsSnapshot() {
        StageProcess.Result first = stage().run("vidur_sim", "scheduler=vllm", "workload.num_requests=12");
        StageProcess.Result again = stage().run("vidur_sim", "--config-snapshot", first.line());
        assertThat(again.line()).isEqualTo(first.line());
    }

    private static List<String> files(Path dir) throws IOException {
        try (Stream<Path> all = Files.walk(dir)) {
            return all.filter(Files::isRegularFile)
                    .map(file -> dir.relativize(file).toString())
                    .toList();
        }
    }
}
