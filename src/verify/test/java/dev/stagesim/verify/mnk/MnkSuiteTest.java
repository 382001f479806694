package dev.stagesim.verify.mnk;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.verify.CaseResult;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Options of the reference's command, tested by changing the command of a committed case. */
final class MnkSuiteTest {
    private static final Path KEPT = Path.of("tests-data/mnk/v2_DATA_8_2");

    @TempDir
    private Path corpus;

    private Path path;

    @BeforeEach
    void copy() throws IOException {
        path = corpus.resolve("changed");
        try (Stream<Path> files = Files.walk(KEPT)) {
            for (Path file : files.toList()) {
                Files.copy(file, path.resolve(KEPT.relativize(file).toString()));
            }
        }
    }

    private CaseResult with(String option) throws IOException {
        Path recorded = path.resolve("case.json");
        String text = Files.readString(recorded);
        assertThat(text).contains("\"--output_file=workload.txt\"");
        Files.writeString(recorded, text.replace("\"--output_file=workload.txt\"", option));
        List<CaseResult> results = new ArrayList<>();
        MnkSuite.SUITE.run(corpus, results::add);
        assertThat(results).hasSize(1);
        return results.get(0);
    }

    @Test
    void writesTheConfiguredOutputFile() throws IOException {
        Files.move(path.resolve("expected/workload.txt"), path.resolve("expected/sub_out.txt"));
        assertThat(with("\"--output_file=sub_out.txt\"").why()).isEmpty();
    }

    @Test
    void findsAModelUnderAnotherName() throws IOException {
        assertThat(with("\"--output_file=sub_out.txt\"").isPassed()).isFalse();
    }

    /** Gradients of ten bytes per element are five times as large as gradients of two. */
    @Test
    void readsNumbersWithUnderscores() throws IOException {
        Path workload = path.resolve("expected/workload.txt");
        String text = Files.readString(workload);
        assertThat(text).contains("3840").contains("9216");
        Files.writeString(workload, text.replace("3840", "19200").replace("9216", "46080"));
        assertThat(with("\"--datatype_size=1_0\"").why()).isEmpty();
    }

    @Test
    void rejectsATrailingUnderscoreInANumber() throws IOException {
        assertThat(with("\"--datatype_size=10_\"").why()).contains("datatype_size");
    }
}
