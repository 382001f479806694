package dev.stagesim.stage.vidurprofile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stagesim.model.StageException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Shell scripts replace Python, because the child process only forwards lines and enforces a timeout. */
final class PythonChildTest {
    private static final int LONG = 600;

    @TempDir
    Path folder;

    private final List<String> lines = new ArrayList<>();

    private int run(PythonChild child, String script) throws IOException {
        return child.run(List.of("sh", "-c", script), lines::add);
    }

    @Test
    void returnsLinesAndTheExitCode() throws IOException {
        PythonChild child = new PythonChild(folder, LONG, LONG);
        assertThat(run(child, "echo one; pwd; printf last; exit 3")).isEqualTo(3);
        assertThat(lines).containsExactly("one", folder.toRealPath().toString(), "last");
        assertThat(child.complaint()).isEmpty();
    }

    @Test
    void keepsTheLastLinesOfStderr() throws IOException {
        PythonChild child = new PythonChild(folder, LONG, LONG);
        assertThat(child.complaint()).as("before it ran").isEmpty();
        run(child, "for i in 1 2 3 4 5 6 7; do echo line $i >&2; echo >&2; done; exit 1");
        assertThat(child.complaint()).isEqualTo("line 3\nline 4\nline 5\nline 6\nline 7");
    }

    @Test
    void endsTheScriptByClosingItsInput() throws IOException {
        run(new PythonChild(folder, LONG, LONG), "echo \"$STAGESIM_ENDS_WITH_INPUT\"");
        assertThat(lines).containsExactly("1");
    }

    @Test
    void reportsAMissingProgramAsAnInputError() {
        PythonChild child = new PythonChild(folder, LONG, LONG);
        assertThatThrownBy(() -> child.run(List.of("no-such-python"), lines::add))
                .isInstanceOfSatisfying(
                        StageException.class, e -> assertThat(e.kind()).isEqualTo(StageException.Kind.INPUT))
                .hasMessageContaining("profile.python")
                .hasMessageContaining("no-such-python");
    }

    @Test
    void stopsASilentScript() {
        assertThatThrownBy(() -> run(new PythonChild(folder, LONG, 1), "sleep 600"))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("profile.stall_s")
                .hasMessageContaining("within 1 s");
    }

    @Test
    void stopsAScriptAtTheTimeout() {
        assertThatThrownBy(() -> run(new PythonChild(folder, 1, LONG), "while :; do echo on; sleep 0.01; done"))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("profile.timeout_s");
    }
}
