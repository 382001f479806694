package dev.stagesim.verify.fidelity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.stagesim.config.ConfigEngine;
import dev.stagesim.config.compose.SearchRoot;
import dev.stagesim.reference.ReferencePage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Predicts the corpus that may lie beside the repository, and compares {@code specs/fidelity.md} with what came of it. */
final class PublishedPageTest {
    private static final Path PAGE = ReferencePage.HOME.resolve(Path.of("specs", "fidelity.md"));
    private static final Path CORPUS = Path.of("..", "shared", "data", "real");
    private static final String TABLES = "\n## By metric\n";

    @Test
    @Tag("long")
    void thePageHasTheErrorsOfToday() throws IOException {
        assumeTrue(
                Files.isDirectory(CORPUS), () -> "no measurements beside the repository: there is no folder " + CORPUS);
        ConfigEngine cards = ConfigEngine.open(List.of(new SearchRoot("main", ReferencePage.HOME.resolve("configs"))));
        List<String> said =
                new CorpusPredictions().run(CORPUS, cards, rows -> {}).lines();
        String page = Files.readString(PAGE);

        ReferencePage.assertUpToDate(PAGE, words(page, said.get(0)) + tables(said.subList(1, said.size())));
    }

    /** What people wrote, with today's first line in bold. */
    private static String words(String page, String headline) {
        int tables = page.indexOf(TABLES);
        assertThat(tables).as("heading of the first table").isPositive();
        return page.substring(0, tables)
                .replaceFirst("(?m)^\\*\\*\\d+ of \\d+ rows predicted: .*?\\*\\*", "**" + headline + ".**");
    }

    /** Captions become headings. */
    private static String tables(List<String> lines) {
        return String.join("\n", lines)
                        .replaceAll("(?m)^\\*\\*(.*)\\*\\*$", "## $1")
                        .replace("Taken for what rows leave unsaid:\n", "## Taken for what rows leave unsaid\n\n")
                        .replaceAll("\n{3,}", "\n\n")
                + "\n";
    }
}
