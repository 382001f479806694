package dev.stagesim.pipeline;

import static dev.stagesim.pipeline.TestStages.request;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import dev.stagesim.model.StageException;
import dev.stagesim.pipeline.request.RunOptions;
import dev.stagesim.pipeline.store.RunMetaJson;
import dev.stagesim.pipeline.store.RunRef;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Imports runs with their upstream runs. Names in imported files are checked before they are used as paths. */
final class RunImporterTest {
    private final Path dir = Jimfs.newFileSystem(Configuration.unix()).getPath("/work");
    private final TestStages.NumbersStage numbers = new TestStages.NumbersStage();
    private final TestStages.SumStage sum = new TestStages.SumStage();
    private final Pipeline there = open("there");
    private final RunRef run = there.run(sum, request(sum, "numbers.count=4"), RunOptions.DEFAULT);

    private Pipeline open(String name) {
        return new Pipeline(
                new StageRegistry(List.of(numbers, sum)),
                dir.resolve("home"),
                dir.resolve(name),
                PipelineListener.NONE,
                Clock.systemUTC());
    }

    private Path meta() {
        return run.dir().resolve(RunMetaJson.FILE);
    }

    private void edit(String from, String to) throws IOException {
        String text = Files.readString(meta());
        assertThat(text).contains(from);
        Files.writeString(meta(), text.replace(from, to));
    }

    /** Returns everything below a directory: files with their text, and directories with an empty text. */
    private static Map<String, String> tree(Path root) throws IOException {
        Map<String, String> all = new TreeMap<>();
        try (var paths = Files.walk(root)) {
            for (Path path : paths.toList()) {
                all.put(path.toString(), Files.isRegularFile(path) ? Files.readString(path) : "");
            }
        }
        return all;
    }

    private void refusesAndTouchesNothing(Path from, String why) throws IOException {
        Map<String, String> before = tree(dir);
        assertThatThrownBy(() -> open("here").sweeps().adopt(from))
                .isInstanceOf(StageException.class)
                .hasMessageContaining(why);
        Map<String, String> after = tree(dir);
        after.keySet()
                .removeIf(name -> name.startsWith("/work/here/tmp/.locks")
                        || List.of("/work/here", "/work/here/tmp", "/work/here/tmp/sum", "/work/here/tmp/numbers")
                                .contains(name)
                        || name.startsWith("/work/here/tmp/numbers/numbers-"));
        assertThat(after).isEqualTo(before);
    }

    @Test
    void importsARunAndItsInputs() throws IOException {
        Pipeline here = open("here");
        RunRef taken = here.sweeps().adopt(run.dir());
        assertThat(taken.runId()).isEqualTo(run.runId());
        assertThat(taken.sha256()).isEqualTo(run.sha256());
        assertThat(here.sweeps().withInputs(taken))
                .extracting(path -> path.getParent().getFileName().toString())
                .containsExactly("sum", "numbers");
        assertThat(open("here")
                        .run(sum, request(sum, "numbers.count=4"), RunOptions.DEFAULT)
                        .reused())
                .isTrue();
        assertThat(here.sweeps().adopt(taken.dir()).dir()).isEqualTo(taken.dir());
    }

    @ParameterizedTest
    @ValueSource(strings = {"../../evil", "..", "", "sum/../../x", "/etc", "Sum", "other"})
    void rejectsTypesOfUnknownStages(String type) throws IOException {
        edit("\"run_type\": \"sum\"", "\"run_type\": \"" + type + "\"");
        refusesAndTouchesNothing(run.dir(), "is not a run id");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"sum-../../../x", "sum", "-0123456789", "sum-012345678", "sum-0123456789/..", "../0123456789"})
    void rejectsInvalidIds(String id) throws IOException {
        edit("\"run_id\": \"" + run.runId() + "\"", "\"run_id\": \"" + id + "\"");
        refusesAndTouchesNothing(run.dir(), "'" + id + "' is not a run id");
    }

    @ParameterizedTest
    @ValueSource(strings = {"numbers", "../../../evil-0123456789", "numbers-zz", ""})
    void rejectsInvalidInputIds(String id) throws IOException {
        edit(run.meta().inputs().get(0).runId().orElseThrow(), id);
        refusesAndTouchesNothing(run.dir(), "'" + id + "', which is not a run id");
    }

    @ParameterizedTest
    @ValueSource(strings = {"../sum.txt", "/etc/passwd", "a/../sum.txt", "./sum.txt", "", "run_meta.json"})
    void rejectsOutputsOutsideTheRun(String path) throws IOException {
        edit("\"path\": \"sum.txt\"", "\"path\": \"" + path + "\"");
        refusesAndTouchesNothing(run.dir(), "output '" + path + "' is not below the run's directory");
    }

    @Test
    void rejectsADirectoryOfAnotherName() throws IOException {
        Path moved = run.dir().resolveSibling("sum-0000000000");
        Files.move(run.dir(), moved);
        refusesAndTouchesNothing(moved, "is not the directory of its run");
    }

    @Test
    void rejectsLinks() throws IOException {
        Path secret = Files.writeString(dir.resolve("secret"), "x");
        Files.createSymbolicLink(run.dir().resolve("more.txt"), secret);
        refusesAndTouchesNothing(run.dir(), "is a link");
    }

    @Test
    void rejectsCyclesOfRuns() throws IOException {
        Path input = run.dir().resolve("../../numbers").normalize();
        Path made =
                input.resolve(run.meta().inputs().get(0).runId().orElseThrow()).resolve(RunMetaJson.FILE);
        String text = Files.readString(made);
        String own = "{\"path\": \"x\", \"role\": \"r\", \"run_id\": \"" + run.runId() + "\", \"sha256\": \""
                + run.sha256() + "\"}";
        Files.writeString(made, text.replace("\"inputs\": []", "\"inputs\": [" + own + "]"));
        assertThat(Files.readString(made)).contains(run.runId());
        assertThat(open("here").sweeps().adopt(run.dir()).runId()).isEqualTo(run.runId());
    }

    @Test
    void rejectsADifferentRunWithTheSameId() throws IOException {
        open("here").run(sum, request(sum, "numbers.count=4"), RunOptions.DEFAULT);
        edit("\"factor\": 1", "\"factor\": 7");
        assertThatThrownBy(() -> open("here").sweeps().adopt(run.dir()))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("has other settings or inputs than the run with the same id here");
    }
}
