package dev.stagesim.cli.runs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.api.Stagesim;
import dev.stagesim.pipeline.RunCatalog;
import dev.stagesim.pipeline.store.RunSummary;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The list of runs fits on a screen and describes each run. */
final class RunsListTest {
    private static final Path HOME = Path.of(System.getProperty("stagesim.home", "."));

    @TempDir
    private Path work;

    private void run(String stage, String... words) {
        Stagesim.open(HOME, work).run(stage, words);
    }

    private List<RunSummary> all() throws IOException {
        return new RunCatalog(work).list();
    }

    @Test
    void describesResultsAndCountsTheirInputs() throws IOException {
        run("vidur_sim", "model=llama3_8b", "hardware=h100", "prompt_tokens=70", "output_tokens=9", "requests=12");
        run("workload", "workload=chakra_all_reduce");
        RunTable table = RunTable.of(all(), false, false);
        assertThat(table.lines()).hasSize(3);
        assertThat(table.lines().get(0)).contains("ended (UTC)", "workload");
        assertThat(table.lines().get(1)).startsWith("workload-").contains("One ALL_REDUCE of all processors");
        assertThat(table.lines().get(2))
                .matches("vidur_sim-\\w+  \\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d  .*")
                .contains("Meta-Llama-3-8B", "1 × H100-SXM-80GB", "vLLM V1", "12 requests, prompt 70");
        assertThat(table.note()).contains("1 run that other commands made as inputs");
        assertThat(RunTable.of(all(), true, false).lines()).hasSize(4);
        List<RunSummary> workloads = new RunCatalog(work).list("workload");
        assertThat(RunTable.of(workloads, false, true).note()).isEmpty();
        assertThat(RunTable.of(workloads, false, true).lines())
                .hasSize(3)
                .anyMatch(line -> line.contains("12 requests"));
    }

    @Test
    void listsTheNewestOfMoreRunsThanAScreen() throws IOException {
        List<RunSummary> broken = new ArrayList<>();
        for (int i = 0; i < RunTable.SCREEN + 5; i++) {
            Path dir = Files.createDirectories(work.resolve("tmp/workload/workload-" + i));
            Files.setLastModifiedTime(dir, FileTime.fromMillis(1_000_000_000L * i));
            broken.add(new RunSummary(
                    "workload", "workload-" + i, dir, RunSummary.State.BROKEN, Optional.empty(), "incomplete"));
        }
        RunTable table = RunTable.of(broken, false, false);
        assertThat(table.lines()).hasSize(RunTable.SCREEN + 1);
        assertThat(table.lines().get(1)).startsWith("workload-24  broken");
        assertThat(table.note()).contains("5 older runs");
    }
}
