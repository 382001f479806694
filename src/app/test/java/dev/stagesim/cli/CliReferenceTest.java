package dev.stagesim.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.cli.console.Console;
import dev.stagesim.cli.console.Home;
import dev.stagesim.pipeline.StageRegistry;
import dev.stagesim.reference.ReferencePage;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class CliReferenceTest {
    private static final String PAGE = page();

    private static String page() {
        PrintStream nowhere = new PrintStream(OutputStream.nullOutputStream(), true, StandardCharsets.UTF_8);
        Console console = new Console(nowhere, nowhere, false, false);
        return CliReference.markdown(new Cli(console, new Home(ReferencePage.HOME), false).commandLine());
    }

    @Test
    void matchesTheCommittedPage() throws IOException {
        ReferencePage.assertUpToDate(ReferencePage.HOME.resolve("specs/reference/cli.md"), PAGE);
    }

    @Test
    void listsEveryStage() {
        for (String stage : StageRegistry.standard().names()) {
            assertThat(PAGE).contains("\n## stage " + stage + "\n");
        }
        assertThat(PAGE).contains("\n## stage runs rm\n").contains("--config-snapshot=DIR");
    }

    @Test
    void printsTheOptionsOfAStageOnceUnlessAStageHasOthers() {
        assertThat(PAGE.split("--config-snapshot=DIR\n", -1)).hasSize(3);
        assertThat(PAGE)
                .contains("All options are those of [stage astra_sim](#stage-astra_sim)")
                .contains("--optimize");
    }
}
