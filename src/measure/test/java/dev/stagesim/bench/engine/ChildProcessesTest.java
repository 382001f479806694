package dev.stagesim.bench.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.ChildJava;
import dev.stagesim.bench.Parent;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Child processes end when their parent ends for any reason. */
@Tag("acceptance")
final class ChildProcessesTest {
    private static final String READER = "echo up; cat > /dev/null; exit 1";
    private static final String DEAF = "sleep 3600 & echo $!; wait";

    /** Restores signals that a background build or nohup ignores. */
    private static final List<String> TOLD = List.of("env", "--default-signal=HUP,INT,TERM");

    /** Starts a parent with a child. Returns the parent, the child, and the grandchild if its process id was printed. */
    private static List<Long> start(List<Process> parents, String script) throws IOException {
        List<String> command = new ArrayList<>(TOLD);
        command.addAll(ChildJava.command(Parent.class, "-Xmx64m", "-XX:TieredStopAtLevel=1"));
        command.addAll(List.of("sh", "-c", script));
        Process parent = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        parents.add(parent);
        String line = parent.inputReader(StandardCharsets.UTF_8).readLine();
        return Arrays.stream(line.replaceAll("[^0-9 ]", "").strip().split(" "))
                .map(Long::valueOf)
                .toList();
    }

    /** Waits for a process that is not a child of this one. A zombie counts as ended. */
    private static void awaitEnd(long pid) throws Exception {
        while (isAlive(pid)) {
            TimeUnit.MILLISECONDS.sleep(5);
        }
    }

    private static boolean isAlive(long pid) throws IOException {
        try {
            String stat = Files.readString(Path.of("/proc/" + pid + "/stat"));
            return stat.charAt(stat.lastIndexOf(')') + 2) != 'Z';
        } catch (NoSuchFileException gone) {
            return false;
        } catch (IOException gone) {
            return ProcessHandle.of(pid).isPresent();
        }
    }

    private static void end(String signal, String script, int expected) throws Exception {
        List<Process> parents = new ArrayList<>();
        List<Long> children = start(parents, script);
        Process parent = parents.get(0);
        assertThat(children).isNotEmpty().allSatisfy(pid -> assertThat(isAlive(pid))
                .isTrue());
        new ProcessBuilder("kill", "-" + signal, Long.toString(parent.pid()))
                .start()
                .waitFor();
        assertThat(parent.waitFor()).isEqualTo(expected);
        for (long child : children) {
            awaitEnd(child);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {READER, DEAF})
    void endsDescendantsWhenTerminated(String script) throws Exception {
        end("TERM", script, 143);
        end("INT", script, 130);
        end("HUP", script, 129);
    }

    @Test
    void endsChildrenThatReadTheirInputWhenKilled() throws Exception {
        end("KILL", READER, 137);
    }

    @Test
    void endsProfilerScriptWhenInputCloses() throws Exception {
        Path script = Path.of("src/serving/main/resources/dev/stagesim/stage/vidurprofile/torch_profiler.py");
        String text = Files.readString(
                script.isAbsolute()
                        ? script
                        : Path.of(System.getProperty("stagesim.home", ".")).resolve(script));
        String begin = text.substring(0, text.indexOf("def fail(")) + "print('up', flush=True)\ntime.sleep(3600)\n";
        Path file = Files.createTempFile("begin", ".py");
        try {
            Files.writeString(file, begin);
            end("KILL", "STAGESIM_ENDS_WITH_INPUT=1 exec python3 " + file, 137);
        } finally {
            Files.delete(file);
        }
    }

    @Test
    void endsDescendantsOfOneProcess() throws Exception {
        Process child = ChildProcesses.start(new ProcessBuilder("sh", "-c", DEAF));
        long below = Long.parseLong(child.inputReader().readLine());
        ChildProcesses.end(child);
        assertThat(child.waitFor()).isNotZero();
        awaitEnd(below);
    }
}
