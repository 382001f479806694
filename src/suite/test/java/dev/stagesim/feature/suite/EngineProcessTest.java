package dev.stagesim.feature.suite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stagesim.model.StageException;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EngineProcessTest {
    @TempDir
    private Path dir;

    private List<String> run(String job, int timeoutS) throws IOException, URISyntaxException {
        Path classes = Path.of(ToyEngine.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toURI());
        List<String> options = List.of("-Xmx64m", "-XX:+UseSerialGC");
        EngineProcess child =
                new EngineProcess(List.of(classes), ToyEngine.class.getName(), options, Map.of("A", "b"), timeoutS);
        List<String> events = new ArrayList<>();
        child.run(
                Files.writeString(dir.resolve("job"), job),
                dir.resolve("log"),
                answer -> events.add(answer.get("event").asString()));
        return events;
    }

    @Test
    void returnsTheAnswersOfTheProcess() throws IOException, URISyntaxException {
        assertThat(run("work", 600)).containsExactly("step", "done");
    }

    @Test
    void reportsTheMessageOfTheEngine() {
        assertThatThrownBy(() -> run("fail", 600))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("no such kernel");
    }

    @Test
    void failsOneJobWithTheLastOutputWhenTheProcessExits() {
        assertThatThrownBy(() -> run("die", 600))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("signal 6")
                .hasMessageContaining("in a manner of speaking");
    }

    @Test
    void failsOneJobWhenNativeCodeCrashes() {
        assertThatThrownBy(() -> run("crash", 600))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("signal 6")
                .hasMessageContaining("crashed");
    }

    @Test
    void failsOneJobWhenTheSystemKillsTheProcess() {
        assertThatThrownBy(() -> run("killed", 600))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("signal 9 (killed, often for memory)");
    }

    @Test
    void failsOneJobWhenMemoryIsExhausted() {
        assertThatThrownBy(() -> run("memory", 600))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("OutOfMemoryError");
    }

    @Test
    void stopsJobsAtTheTimeout() {
        assertThatThrownBy(() -> run("stay", 1)).hasMessageContaining("did not finish within 1 s");
    }
}
