package dev.stagesim.blackbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.stagesim.reference.ReferencePage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Predicts the measurements of the corpus, if it is present, and compares the errors with {@code specs/fidelity.md}.
 */
@Tag("acceptance")
final class PublishedErrorsIT {
    private static final Path PAGE = ReferencePage.HOME.resolve(Path.of("specs", "fidelity.md"));
    private static final Path CORPUS = Path.of("..", "shared", "data", "real");
    private static final String TABLES = "\n## By metric\n";

    @TempDir
    private Path scratch;

    @Test
    @Tag("long")
    void matchesTheCommittedPage() throws IOException {
        assumeTrue(
                Files.isDirectory(CORPUS), () -> "no measurements beside the repository: there is no folder " + CORPUS);
        StageProcess.Result run =
                new StageProcess(scratch).patient(30).run("fidelity", "corpus=" + CORPUS.toAbsolutePath());
        assertThat(run.exit()).as(run.err()).isZero();
        List<String> output = run.out().lines().toList();
        String page = Files.readString(PAGE);

        ReferencePage.assertUpToDate(PAGE, words(page, output.get(0)) + tables(output.subList(1, output.size())));
    }

    /** Returns the hand-written part of the page with the current headline in bold. */
    private static String words(String page, String headline) {
        int tables = page.indexOf(TABLES);
        assertThat(tables).as("heading of the first table").isPositive();
        return page.substring(0, tables)
                .replaceFirst("(?m)^\\*\\*\\d+ of \\d+ rows predicted: .*?\\*\\*", "**" + headline + ".**");
    }

    /** Converts captions to headings. */
    private static String tables(List<String> lines) {
        return String.join("\n", lines)
                        .replaceAll("(?m)^\\*\\*(.*)\\*\\*$", "## $1")
                        .replace(
                                "Assumptions for values that rows do not state:\n",
                                "## Assumptions for values that rows do not state\n\n")
                        .replaceAll("\n{3,}", "\n\n")
                + "\n";
    }
}
