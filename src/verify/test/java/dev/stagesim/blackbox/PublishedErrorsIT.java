package dev.stagesim.blackbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.stagesim.reference.ReferencePage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Predicts the measurements of both corpora, if they are present, and compares the errors with {@code
 * specs/fidelity.md}.
 */
@Tag("acceptance")
final class PublishedErrorsIT {
    private static final Path PAGE = ReferencePage.HOME.resolve(Path.of("specs", "fidelity.md"));
    private static final Path CORPUS = Path.of("..", "shared", "data", "real");
    private static final Path CORPUS_2026 = Path.of("..", "shared", "data", "real-2026");
    private static final String SECTION_2026 = "\n### Rows of 2026\n";
    private static final Set<String> TABLES_2026 = Set.of(
            "By metric",
            "By engine, device and kind of model",
            "Corrections and 80 % intervals from other groups",
            "Rows that are not predicted");

    @TempDir
    private Path scratch;

    @Test
    @Tag("long")
    void matchesTheCommittedPage() throws IOException {
        List<String> output = predict(CORPUS);
        List<String> later = predict(CORPUS_2026);
        String page = Files.readString(PAGE);

        ReferencePage.assertUpToDate(PAGE, words(page, output.get(0)) + section(later) + tables(output));
    }

    private List<String> predict(Path corpus) throws IOException {
        assumeTrue(Files.isDirectory(corpus), () -> "no measurements beside the repository: no folder " + corpus);
        StageProcess.Result run =
                new StageProcess(scratch).patient(30).run("fidelity", "corpus=" + corpus.toAbsolutePath());
        assertThat(run.exit()).as(run.err()).isZero();
        return run.out().lines().toList();
    }

    /** Returns the hand-written part of the page with the current headline in bold. */
    private static String words(String page, String headline) {
        int end = page.indexOf(SECTION_2026);
        assertThat(end).as("heading of the first table").isPositive();
        return page.substring(0, end)
                .replaceFirst("(?m)^\\*\\*\\d+ of \\d+ rows predicted: .*?\\*\\*", "**" + headline + ".**");
    }

    /** Returns the headline and some tables of the corpus of 2026. */
    private static String section(List<String> output) {
        StringBuilder text = new StringBuilder(SECTION_2026 + "\n**" + output.get(0) + ".**\n");
        for (String table : tables(output).split("(?m)^## ", -1)) {
            String caption = table.lines().findFirst().orElse("");
            if (TABLES_2026.contains(caption)) {
                text.append("\n### " + caption + " (2026)" + table.strip().substring(caption.length()) + "\n");
            }
        }
        return text.toString();
    }

    /** Returns all lines after the headline, with captions as headings. */
    private static String tables(List<String> output) {
        return String.join("\n", output.subList(1, output.size()))
                        .replaceAll("(?m)^\\*\\*(.*)\\*\\*$", "## $1")
                        .replace(
                                "Assumptions for values that rows do not state:\n",
                                "## Assumptions for values that rows do not state\n\n")
                        .replaceAll("\n{3,}", "\n\n")
                + "\n";
    }
}
