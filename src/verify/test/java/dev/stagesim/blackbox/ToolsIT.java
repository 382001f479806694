package dev.stagesim.blackbox;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Commands other than stages. */
@Tag("acceptance")
class ToolsIT {
    @TempDir
    Path scratch;

    private StageProcess.Result run(String... arguments) {
        return new StageProcess(scratch).run(arguments);
    }

    @Test
    void explainsAnInvalidArgumentOnlyOnStderr() {
        StageProcess.Result run = run("compare", "model=qwem3");
        assertThat(run.exit()).isEqualTo(2);
        assertThat(run.out()).isEmpty();
        assertThat(run.err()).contains("did you mean  qwen3").doesNotContain("Exception");
        assertThat(scratch.resolve("tmp")).doesNotExist();
    }

    @Test
    void reproducesTheShippedCases() {
        String corpus =
                new StageProcess(scratch).home().resolve("tests-data/hydra").toString();
        StageProcess.Result run = run("verify", "suite=hydra", "corpus=" + corpus, "--json");
        assertThat(run.exit()).as(run.err()).isZero();
        assertThat(run.line()).contains("\"suite\":\"hydra\"").contains("\"failed\":[]");
    }

    @Test
    void rejectsAnEmptyCorpus() throws Exception {
        Path empty = Files.createDirectories(scratch.resolve("empty"));
        StageProcess.Result run = run("verify", "suite=hydra", "corpus=" + empty);
        assertThat(run.exit()).isEqualTo(2);
    }

    @Test
    void listsShowsAndRemovesRuns() {
        String dir = run("workload", "workload.num_requests=5").line();
        String id = Path.of(dir).getFileName().toString();
        assertThat(run("runs", "list", "--all").out()).contains(id, "5 requests");
        assertThat(run("runs", "show", id, "--check").out())
                .contains("trace_lengths.csv")
                .contains("(5 rows)");
        assertThat(run("runs", "rm", id).exit()).isZero();
        assertThat(scratch.resolve(dir)).doesNotExist();
    }

    @Test
    void rejectsChangedArtifactsAsInput() throws Exception {
        String dir = run("workload", "workload.num_requests=5").line();
        Files.writeString(scratch.resolve(dir).resolve("trace_lengths.csv"), "request_id\n");
        StageProcess.Result sim = run("vidur_sim", "workload.dir=" + dir);
        assertThat(sim.exit()).isEqualTo(2);
        assertThat(sim.err()).contains("trace_lengths.csv");
    }

    @Test
    void completesWithoutAConfiguration() {
        StageProcess.Result run = run("complete", "compare", "scheduler=o");
        assertThat(run.line()).isEqualTo("scheduler=orca");
    }

    @Test
    void completesWordsWithAnEqualsSignInBash() throws Exception {
        Path script = scratch.resolve("complete.sh");
        Files.writeString(
                script,
                """
                eval "$("$STAGE" completion bash)"
                COMP_LINE="$STAGE compare scheduler=o" COMP_POINT=${#COMP_LINE}
                COMP_WORDS=("$STAGE" compare scheduler = o) COMP_CWORD=4
                COMP_POINT=${#COMP_LINE}
                compopt() { :; }
                _stage_complete
                printf '%s\\n' "${COMPREPLY[@]}"
                """);
        ProcessBuilder bash = new ProcessBuilder("bash", script.toString()).redirectErrorStream(true);
        bash.environment()
                .put("STAGE", new StageProcess(scratch).home().resolve("stage").toString());
        Process process = bash.start();
        String out = new String(process.getInputStream().readAllBytes(), java.nio.charset.StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(out).isZero();
        assertThat(out).isEqualTo("orca\n");
    }
}
