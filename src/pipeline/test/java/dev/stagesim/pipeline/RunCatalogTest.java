package dev.stagesim.pipeline;

import static dev.stagesim.pipeline.TestStages.request;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import dev.stagesim.model.StageException;
import dev.stagesim.pipeline.request.RunOptions;
import dev.stagesim.pipeline.store.RunLock;
import dev.stagesim.pipeline.store.RunRef;
import dev.stagesim.pipeline.store.RunStore;
import dev.stagesim.pipeline.store.RunSummary;
import dev.stagesim.pipeline.store.RunSummary.State;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import org.junit.jupiter.api.Test;

final class RunCatalogTest {
    private final Path dir = Jimfs.newFileSystem(Configuration.unix()).getPath("/work");
    private final TestStages.NumbersStage numbers = new TestStages.NumbersStage();
    private final TestStages.SumStage sum = new TestStages.SumStage();
    private final Pipeline pipeline =
            new Pipeline(new StageRegistry(List.of(numbers, sum)), dir, dir, PipelineListener.NONE, Clock.systemUTC());
    private final RunCatalog catalog = new RunCatalog(dir);

    private RunRef run() {
        return pipeline.run(sum, request(sum), RunOptions.DEFAULT);
    }

    @Test
    @SuppressWarnings("try") // The lock variable is not used.
    void listsRunsOfEveryState() throws IOException {
        assertThat(catalog.list()).isEmpty();
        run();
        RunStore store = new RunStore(dir.resolve("tmp"));
        Files.createDirectories(dir.resolve("tmp/sum/sum-broken"));
        store.newPartial("sum", "sum-left");
        Files.createDirectories(dir.resolve("tmp/sweeps/sweep-1"));
        try (RunLock lock = store.lock("sum", "sum-now", () -> {})) {
            store.newPartial("sum", "sum-now");
            // A different thread replaces a different process.
            List<RunSummary> all = listElsewhere();
            assertThat(all)
                    .extracting(RunSummary::state)
                    .containsExactly(
                            State.FINISHED, State.FINISHED, State.BROKEN, State.ABANDONED, State.RUNNING, State.SWEEP);
            assertThat(all.get(2).problem()).contains("no run_meta.json");
            assertThatThrownBy(() -> catalog.remove(List.of(all.get(4)), true)).hasMessageContaining("works on it");
        }
        store.tidy("sum");
        assertThat(catalog.list()).extracting(RunSummary::state).doesNotContain(State.ABANDONED, State.RUNNING);
    }

    private List<RunSummary> listElsewhere() {
        return java.util.concurrent.CompletableFuture.supplyAsync(() -> {
                    try {
                        return catalog.list();
                    } catch (IOException e) {
                        throw new java.io.UncheckedIOException(e);
                    }
                })
                .join();
    }

    @Test
    void findsByIdPrefixHexAndDirectory() throws IOException {
        RunRef run = run();
        String id = run.runId();
        for (String text : List.of(
                id,
                id.substring(0, 9),
                id.substring(4, 8),
                "tmp/sum/" + id,
                run.dir().toString())) {
            assertThat(catalog.find(text).runId()).as(text).isEqualTo(id);
        }
        assertThatThrownBy(() -> catalog.find("")).isInstanceOf(StageException.class);
        assertThatThrownBy(() -> catalog.find("none-1")).hasMessageContaining("no such run");
    }

    @Test
    void rejectsDeletionOfUpstreamRuns() throws IOException {
        RunRef run = run();
        String source = run.meta().inputs().get(0).runId().orElseThrow();
        RunSummary numbersRun = catalog.find(source);
        RunSummary sumRun = catalog.find(run.runId());
        assertThatThrownBy(() -> catalog.remove(List.of(numbersRun), false)).hasMessageContaining(run.runId());
        assertThat(catalog.list()).hasSize(2);
        catalog.remove(List.of(numbersRun, sumRun), false);
        assertThat(catalog.list()).isEmpty();
        run();
    }

    @Test
    void deletesUpstreamRunsWithForce() throws IOException {
        RunRef run = run();
        catalog.remove(List.of(catalog.find(run.meta().inputs().get(0).runId().orElseThrow())), true);
        assertThat(catalog.list()).extracting(RunSummary::runId).containsExactly(run.runId());
    }

    @Test
    void verifiesOutputs() throws IOException {
        RunRef run = run();
        catalog.verify(catalog.find(run.runId()));
        Files.writeString(run.dir().resolve("sum.txt"), "9\n");
        assertThatThrownBy(() -> catalog.verify(catalog.find(run.runId()))).hasMessageContaining("was changed");
    }
}
