package dev.stagesim.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.cli.CliTester;
import dev.stagesim.cli.console.Console;
import dev.stagesim.sweep.JobOutcome;
import dev.stagesim.sweep.JobStatus;
import dev.stagesim.sweep.SweepProgress;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import org.junit.jupiter.api.Test;

/** Messages of sweeps and searches before and during their runs. */
final class SweepArgumentsTest {
    private static final String[] SEARCH = {
        "vidur_sim", "sweeper=capacity", "sweeper.slo=[\"ttft_p99_ms<=5\"]", "scheduler=vllm,orca"
    };

    private static CliTester emit(String kind, String... options) {
        String[] words = new String[3 + options.length + SEARCH.length];
        words[0] = "sweep";
        words[1] = "emit";
        words[2] = kind;
        System.arraycopy(options, 0, words, 3, options.length);
        System.arraycopy(SEARCH, 0, words, 3 + options.length, SEARCH.length);
        return CliTester.run(words);
    }

    @Test
    void emitsASearchAsAJobWithOnePart() {
        CliTester one = emit("slurm", "--shards", "1", "--cpus", "4");
        assertThat(one.exit()).as(one.err()).isZero();
        assertThat(one.out())
                .contains("#SBATCH --array=0-0")
                .contains("scheduler=vllm,orca sweeper.jobs=4\n")
                .contains("submitted again, it resumes")
                .doesNotContain("launcher");
        assertThat(one.err()).contains("2 candidates").doesNotContain("merge");
        CliTester two = emit("kubernetes", "--shards", "2", "--image", "i", "--claim", "c");
        assertThat(two.exit()).isEqualTo(2);
        assertThat(two.err()).contains("--shards 2").contains("--shards 1 --cpus");
    }

    @Test
    void rejectsLaunchersThatCannotRunASearch() {
        CliTester shard = CliTester.run(
                "vidur_sim",
                "-m",
                "--dry-run",
                SEARCH[1],
                SEARCH[2],
                SEARCH[3],
                "launcher=shard",
                "launcher.shard=0/2");
        assertThat(shard.exit()).isEqualTo(2);
        assertThat(shard.err()).contains("launcher=shard").contains("launcher=local or launcher=spark");
    }

    @Test
    void reportsProgressAndRemainingTimeOnATerminal() {
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        PrintStream stream = new PrintStream(err, true, StandardCharsets.UTF_8);
        Progress progress = new Progress(new Console(stream, stream, true, false), true);
        JobOutcome job = new JobOutcome(7, List.of("a=1"), JobStatus.FAILED, Optional.empty(), "why");
        progress.jobEnded(job, new SweepProgress(30, 2, 120, OptionalDouble.of(754)));
        progress.jobEnded(job, new SweepProgress(31, 3, 120, OptionalDouble.of(41)));
        assertThat(err.toString(StandardCharsets.UTF_8))
                .contains("30/120  #7  failed  a=1")
                .contains("30/120  25 %  2 failed  about 12 min 34 s left")
                .contains("about 41 s left");
    }
}
