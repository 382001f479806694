package dev.stagesim.cli.run;

import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.cli.console.Console;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.model.KeyRecord;
import dev.stagesim.pipeline.store.RunMeta;
import dev.stagesim.pipeline.store.RunRef;
import dev.stagesim.sweep.JobOutcome;
import dev.stagesim.sweep.JobStatus;
import dev.stagesim.sweep.SweepProgress;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Progress messages of long work, with a clock that the test advances. */
final class ProgressTest {
    private static final long SECOND = 1_000_000_000L;

    private final ByteArrayOutputStream err = new ByteArrayOutputStream();
    private final AtomicLong clock = new AtomicLong(77);

    private Progress progress(boolean live, boolean quiet) {
        PrintStream stream = new PrintStream(err, true, StandardCharsets.UTF_8);
        return new Progress(new Console(stream, stream, live, false), quiet, clock::get, UnaryOperator.identity());
    }

    private String output() {
        String text = err.toString(StandardCharsets.UTF_8);
        err.reset();
        return text;
    }

    /** Advances the clock as the timer does, twice per second. */
    private void pass(Progress progress, int seconds) {
        for (int i = 0; i < 2 * seconds; i++) {
            clock.addAndGet(SECOND / 2);
            progress.tick();
        }
    }

    @Test
    void printsALineEveryTenSecondsWithoutATerminal() {
        Progress progress = progress(false, false);
        pass(progress, 100);
        assertThat(output()).as("no work in progress").isEmpty();
        progress.started("astra_sim", "astra_sim-1");
        progress.tick();
        assertThat(output()).as("a short run").isEmpty();
        pass(progress, 2);
        assertThat(output()).isEqualTo("astra_sim: working, 2 s\n");
        pass(progress, 9);
        assertThat(output()).isEmpty();
        progress.progress("astra_sim", "NPUs finished", 3, 1024);
        pass(progress, 1);
        assertThat(output()).isEqualTo("astra_sim: NPUs finished 3 of 1,024 (0 %), 12 s\n");
        progress.progress("astra_sim", "NPUs finished", 512, 1024);
        pass(progress, 80);
        assertThat(output().lines())
                .hasSize(8)
                .last()
                .isEqualTo("astra_sim: NPUs finished 512 of 1,024 (50 %), 1 min 32 s");
    }

    @Test
    void redrawsALineOnATerminalWhenTheStageIsSilent() {
        Progress progress = progress(true, false);
        progress.started("compare", "compare-1");
        assertThat(output()).contains("compare ...");
        pass(progress, 1);
        assertThat(output()).isEmpty();
        pass(progress, 1);
        assertThat(output()).contains("compare: working, 2 s").doesNotContain("\n");
        clock.addAndGet(SECOND / 10);
        progress.progress("compare", "comparing", 1, 3);
        assertThat(output()).contains("comparing  1 of 3");
        pass(progress, 2);
        assertThat(output()).contains("compare: comparing 1 of 3 (33 %), 4 s");
        progress.clear();
        assertThat(output()).isEqualTo("\r\u001b[K");
    }

    @Test
    void reportsProgressOfALargeSweepWithoutATerminal() {
        Progress progress = progress(false, true);
        for (int i = 0; i < 25; i++) {
            JobOutcome job = new JobOutcome(i, List.of(), JobStatus.DONE, Optional.empty(), "");
            progress.jobEnded(job, new SweepProgress(i + 1, 0, 100, OptionalDouble.of(99 - i)));
            pass(progress, 1);
        }
        assertThat(output().lines())
                .containsExactly("10/100  10 %  about 1 min 30 s left", "20/100  20 %  about 1 min 20 s left");
    }

    @Test
    void reportsSimulationsOfALongSearchWithoutATerminal() {
        Progress progress = progress(false, true);
        progress.simulated(0);
        for (int i = 1; i <= 1200; i++) {
            progress.simulated(i);
            if (i % 60 == 0) {
                pass(progress, 1);
            }
        }
        assertThat(output().lines())
                .containsExactly("search: 600 simulations, 10 s", "search: 1,200 simulations, 20 s");
        progress.searched();
        pass(progress, 20);
        assertThat(output()).isEmpty();
    }

    private static RunRef reused(String... warnings) {
        RunMeta meta = KeyRecord.of(
                RunMeta.class,
                Map.ofEntries(
                        entry("runId", "compare-0123456789"),
                        entry("runType", "compare"),
                        entry("model", Optional.empty()),
                        entry("hardware", Optional.empty()),
                        entry("startedAt", "2026-01-02T03:04:05Z"),
                        entry("endedAt", "2026-01-02T03:04:06Z"),
                        entry("gitCommit", "c"),
                        entry("gitDirty", Optional.empty()),
                        entry("env", JsonValue.EMPTY),
                        entry("params", JsonValue.EMPTY),
                        entry("config", new RunMeta.Config(Optional.empty(), Optional.empty(), List.of())),
                        entry("inputs", List.of()),
                        entry("outputs", List.of()),
                        entry(
                                "warnings",
                                Stream.concat(
                                                Stream.of(new RunMeta.Warning("workload", "of an input")),
                                                Stream.of(warnings).map(text -> new RunMeta.Warning("compare", text)))
                                        .toList()),
                        entry("headlines", new TreeMap<>()),
                        entry("checks", List.of())));
        return new RunRef(Path.of("tmp/compare/compare-0123456789"), meta, "", true);
    }

    private static JobOutcome job(int num, String rate, String... warnings) {
        return new JobOutcome(
                num, List.of("model=x", "rate=" + rate, "s=y"), JobStatus.DONE, Optional.of(reused(warnings)), "");
    }

    @Test
    void namesTheJobsOfEachWarningOfASweep() {
        Progress progress = progress(false, true);
        progress.deferWarnings();
        progress.warning("compare", "few requests");
        progress.warning("compare", "cannot write the job table");
        assertThat(output()).isEmpty();
        progress.warnings(List.of(job(0, "1"), job(1, "2", "few requests", "slow"), job(2, "4", "few requests")));
        assertThat(output().lines())
                .containsExactly(
                        "warning: all 3 jobs: workload: of an input",
                        "warning: #1 (rate=2), #2 (rate=4): compare: few requests",
                        "warning: #1 (rate=2): compare: slow",
                        "warning: compare: cannot write the job table");
        progress.warnings(Stream.of(0, 1, 2, 3)
                .map(num -> job(num, "" + num, num < 1 ? new String[] {"all"} : new String[] {"all", "late"}))
                .toList());
        assertThat(output().lines()).contains("warning: all 4 jobs: compare: all");
        progress.warnings(Stream.of(0, 1, 2, 3, 4, 5)
                .map(num -> job(num, "" + num, num < 1 ? new String[0] : new String[] {"late"}))
                .toList());
        assertThat(output().lines())
                .contains("warning: #1 (rate=1), #2 (rate=2), #3 (rate=3) and 2 more jobs: compare: late");
        progress.warning("compare", "after the sweep");
        assertThat(output()).isEqualTo("warning: compare: after the sweep\n");
    }

    /** The warnings of an input are counted with the input. */
    @Test
    void countsTheWarningsOfAReusedRun() {
        progress(false, false).reused(reused());
        assertThat(output()).isEqualTo("compare        tmp/compare/compare-0123456789  reused\n");
        progress(false, false).reused(reused("the load is high", "few requests"));
        assertThat(output())
                .isEqualTo("compare        tmp/compare/compare-0123456789  reused; 2 warnings: stage runs show"
                        + " compare-0123456789\n");
        Progress sweep = progress(false, true);
        sweep.reused(reused("the load is high"));
        sweep.reused(reused("the load is high"));
        assertThat(output()).as("once in a sweep").isEqualTo("warning: compare: the load is high\n");
    }
}
