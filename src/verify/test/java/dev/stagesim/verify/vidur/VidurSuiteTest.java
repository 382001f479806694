package dev.stagesim.verify.vidur;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.verify.CaseResult;
import dev.stagesim.verify.Corpora;
import dev.stagesim.verify.VerifyReport;
import dev.stagesim.verify.registry.SuiteRegistry;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class VidurSuiteTest {
    private static final Path HOME = Path.of(System.getProperty("stagesim.home", "."));
    private static final Path OWN = HOME.resolve("tests-data/vidur");

    private static List<CaseResult> run(Path corpus) throws IOException {
        List<CaseResult> results = new ArrayList<>();
        VidurSuite.SUITE.run(corpus, results::add);
        return results;
    }

    @Test
    void reproducesShippedCasesExactly() throws IOException {
        List<CaseResult> results = run(OWN);
        assertThat(results.stream().filter(r -> r.part().equals("cases"))).hasSize(4);
        assertThat(results).allSatisfy(result -> assertThat(result.why()).isEmpty());
    }

    @Test
    void reportsAChangedValueWithItsDifference(@TempDir Path copy) throws IOException {
        copyOwn(copy);
        Path summary = copy.resolve("cases/hand_one_request/expected/summary.json");
        String text = Files.readString(summary);
        Files.writeString(summary, text.replace("\"end_time\": 0.503", "\"end_time\": 0.504"));
        List<CaseResult> failed = run(copy).stream().filter(r -> !r.isPassed()).toList();
        assertThat(failed).hasSize(1);
        assertThat(failed.get(0).why()).contains("summary.json end_time", "0.504", "0.503", "absolute", "relative");
    }

    @Test
    void failsOnlyBrokenAndEmptyCases(@TempDir Path copy) throws IOException {
        copyOwn(copy);
        Files.writeString(copy.resolve("cases/hand_one_request/config.json"), "{", StandardCharsets.UTF_8);
        List<CaseResult> results = run(copy);
        assertThat(results.stream().filter(r -> !r.isPassed()).map(CaseResult::id))
                .containsExactly("hand_one_request");
    }

    @Test
    @Tag("long")
    void reproducesTheWholeCorpus() throws IOException {
        Path corpus = Corpora.beside("vidur");
        for (String suite : List.of("vidur", "vidur-tables")) {
            VerifyReport report = new SuiteRegistry().run(suite, corpus);
            assertThat(report.failed()).as(suite).isEmpty();
            assertThat(report.cases()).as(suite).isPositive();
        }
    }

    private static void copyOwn(Path copy) throws IOException {
        try (Stream<Path> files = Files.walk(OWN)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                Path target = copy.resolve(OWN.relativize(file).toString());
                Files.createDirectories(target.getParent());
                Files.copy(file, target);
            }
        }
    }
}
