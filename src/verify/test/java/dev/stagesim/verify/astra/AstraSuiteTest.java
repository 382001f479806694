package dev.stagesim.verify.astra;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.verify.CaseResult;
import dev.stagesim.verify.Corpora;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class AstraSuiteTest {
    private static final Path KEPT = Path.of("tests-data", "astra");

    private static List<CaseResult> run(Path corpus) throws IOException {
        List<CaseResult> results = new ArrayList<>();
        AstraSuite.SUITE.run(corpus, results::add);
        return results;
    }

    @Test
    void reproducesCommittedRuns() throws IOException {
        assertThat(run(KEPT)).hasSize(69).allSatisfy(result -> assertThat(result.why())
                .isEmpty());
    }

    @Test
    @Tag("long")
    void reproducesTheCorpus() throws IOException {
        Path corpus = Corpora.beside("astra");
        assertThat(run(corpus)).isNotEmpty().allSatisfy(result -> assertThat(result.why())
                .isEmpty());
    }

    @Test
    void detectsWrongValuesAndOutcomes(@TempDir Path dir) throws IOException {
        change(dir, "base_R4_ar_ring", "\"all\": 88720", "\"all\": 88721");
        change(dir, "bad_p2p_no_send", "\"stuck\"", "\"finished\"");
        change(dir, "stagger_S8_ring", "\"finished\"", "\"stuck\"");
        change(dir, "roof_int_flag_true", "GPU time", "CPU time");
        List<CaseResult> results = run(dir);
        assertThat(results).hasSize(4).noneMatch(CaseResult::isPassed);
        assertThat(results.get(0).why()).contains("expected a result, got NPUs that never finish");
        assertThat(results.get(1).why()).contains("finish_cycles of NPU 0: expected 88721, got 88720");
        assertThat(results.get(2).why()).contains("CPU time").contains("GPU time");
        assertThat(results.get(3).why()).contains("expected an error (stuck), got a result");
    }

    private static void change(Path dir, String id, String from, String to) throws IOException {
        Path target = dir.resolve("cases").resolve(id);
        try (Stream<Path> files = Files.walk(KEPT.resolve("cases").resolve(id))) {
            for (Path file : files.toList()) {
                Path copy = target.resolve(
                        KEPT.resolve("cases").resolve(id).relativize(file).toString());
                Files.createDirectories(copy.getParent());
                if (Files.isRegularFile(file)) {
                    Files.copy(file, copy);
                }
            }
        }
        Path expected = target.resolve("expected.json");
        String text = Files.readString(expected);
        assertThat(text).contains(from);
        Files.writeString(expected, text.replace(from, to));
    }
}
