package dev.stagesim.cli.console;

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
    void reportsTheMissingKeyOfTwoStagesOnce() {
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        PrintStream stream = new PrintStream(err, true, StandardCharsets.UTF_8);
        Problem missing = Problem.of("config error", "model.name", "no value given");
        int code = new ErrorReport(new Console(stream, stream, false, false), false)
                .print(StageException.input(List.of(missing.hint("here"), missing, missing.from("there"))));
        assertThat(code).isEqualTo(ExitCode.INPUT);
        assertThat(err.toString(StandardCharsets.UTF_8)).containsOnlyOnce("model.name");
    }

    @Test
    void reportsAFailedInitializerAsABug() {
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        PrintStream stream = new PrintStream(err, true, StandardCharsets.UTF_8);
        new ErrorReport(new Console(stream, stream, false, false), false)
                .print(new ExceptionInInitializerError(new NullPointerException("table")));
        assertThat(err.toString(StandardCharsets.UTF_8)).contains("internal error", "NullPointerException: table");
    }

    /** Damaged or missing classes are errors of the installation, not of the code that uses them. */
    @Test
    void reportsUnloadableClassesAsAnIncompleteProgram() {
        for (LinkageError error : List.of(
                new NoClassDefFoundError("dev/stagesim/X"),
                new VerifyError("Could not link verifier"),
                new UnsatisfiedLinkError("libnet.so: cannot open shared object file"),
                new ExceptionInInitializerError(new NoClassDefFoundError("dev/stagesim/Y")))) {
            ByteArrayOutputStream err = new ByteArrayOutputStream();
            PrintStream stream = new PrintStream(err, true, StandardCharsets.UTF_8);
            int code = new ErrorReport(new Console(stream, stream, false, false), false).print(error);
            assertThat(code).isEqualTo(ExitCode.FAILED);
            assertThat(err.toString(StandardCharsets.UTF_8))
                    .contains("incomplete program", "ulimit -n")
                    .doesNotContain("internal error");
        }
    }
}
