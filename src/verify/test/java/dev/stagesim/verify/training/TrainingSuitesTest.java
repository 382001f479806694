package dev.stagesim.verify.training;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.verify.CaseResult;
import dev.stagesim.verify.Corpora;
import dev.stagesim.verify.Suite;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class TrainingSuitesTest {
    private static final Path KEPT = Path.of("tests-data", "training");

    private static List<CaseResult> run(Suite suite, Path corpus) throws IOException {
        List<CaseResult> results = new ArrayList<>();
        suite.run(corpus, results::add);
        return results;
    }

    @Test
    void reproducesSchedules() throws IOException {
        for (Path corpus : List.of(KEPT.resolve("schedules"), Corpora.beside("training-schedules"))) {
            assertThat(run(SchedulesSuite.SUITE, corpus)).isNotEmpty().allSatisfy(result -> assertThat(result.why())
                    .isEmpty());
        }
    }

    /** SimuMax is an independent model. Nine of ten cases agree within 5 %. */
    @Test
    void isCloseToTheMemoryOfAnotherModel() throws IOException {
        List<CaseResult> results = run(SimuMaxSuite.SUITE, Corpora.beside("training-simumax"));
        long near = results.stream()
                .filter(result -> result.isPassed() && result.deviation().isEmpty())
                .count();
        assertThat(near * 10).isGreaterThanOrEqualTo(results.size() * 9L);
        assertThat(results).allMatch(CaseResult::isPassed);
    }

    /** Experts without tensor parallelism and a single replica of the dense weights; and memory in terabytes. */
    @Test
    void dividesExpertStatesOverTheirReplicas() throws IOException {
        assertThat(run(SimuMaxSuite.SUITE, KEPT.resolve("simumax")))
                .hasSize(2)
                .allMatch(result -> result.isPassed() && result.deviation().isEmpty());
    }

    @Test
    void replaysTheOtherCasesWhenOneIsDamaged(@TempDir Path dir) throws IOException {
        Path cases = Files.createDirectories(dir.resolve("cases"));
        for (String id : List.of("1f1b-13", "gpipe-01", "zb-h1-24")) {
            copy(KEPT.resolve("schedules/cases").resolve(id), cases.resolve(id));
        }
        Path wrong = cases.resolve("1f1b-13/expected.json");
        Files.writeString(wrong, Files.readString(wrong).replaceFirst("\"makespan_ns\": ", "\"makespan_ns\": 1"));
        Files.writeString(cases.resolve("gpipe-01/expected.json"), "{");
        List<CaseResult> results = run(SchedulesSuite.SUITE, dir);
        assertThat(results).extracting(CaseResult::isPassed).containsExactly(false, false, true);
        assertThat(results.get(0).differences()).singleElement().satisfies(difference -> assertThat(difference.where())
                .isEqualTo("/makespan_ns"));
        assertThat(results.get(1).why()).contains("expected.json");
    }

    private static void copy(Path from, Path to) throws IOException {
        try (Stream<Path> files = Files.walk(from)) {
            for (Path file : files.toList()) {
                Files.copy(file, to.resolve(from.relativize(file).toString()));
            }
        }
    }
}
