package dev.stagesim.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

class ErrorReportTest {
    @Test
    void whatTwoStagesMissIsToldOnce() {
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        PrintStream stream = new PrintStream(err, true, StandardCharsets.UTF_8);
        Problem missing = Problem.of("config error", "model.name", "no value given");
        int code = new ErrorReport(new Console(stream, stream, false, false), false)
                .print(StageException.input(List.of(missing.hint("here"), missing, missing.from("there"))));
        assertThat(code).isEqualTo(ExitCode.INPUT);
        assertThat(err.toString(StandardCharsets.UTF_8)).containsOnlyOnce("model.name");
    }
}
