package dev.stagesim.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.cli.console.ExitCode;
import dev.stagesim.pipeline.WebApplication.Answer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class StudioCommandTest {
    @TempDir
    Path dir;

    @Test
    void runsOtherCommandsInThisProcess() throws Exception {
        Answer wrong = StudioCommand.answer(
                CliTester.home(),
                List.of("vidur_sim", "--dry-run", "model=llama3_8b", "hardware=h100", "arrival.qps=-1"));
        assertThat(wrong.code()).isEqualTo(ExitCode.INPUT);
        assertThat(wrong.err()).contains("arrival.qps: expected a number from 0.000001 to");
        assertThat(wrong.out()).isEmpty();
        Files.writeString(dir.resolve("values.csv"), "name,x\na,1\nb,3\nc,2\n");
        Answer table = StudioCommand.answer(
                CliTester.home(),
                List.of("table", dir.toString(), "values", "--format=json", "--limit=2", "--where=x>1", "--sort=-x"));
        assertThat(table.err()).isEmpty();
        assertThat(table.out().replaceAll("\\s", "")).contains("\"name\":\"b\"").doesNotContain("\"a\"");
    }

    @Test
    void rejectsAnInvalidPort() {
        CliTester wrong = CliTester.run("studio", "--port", "70000");
        assertThat(wrong.exit()).isEqualTo(2);
        assertThat(wrong.err()).contains("expected 0 to 65535");
    }
}
