package dev.stagesim.blackbox;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Capacity planning from the command line. */
class FabricIT {
    private static final String[] SMALL = {
        "search.tensor_parallel_sizes=[1]", "search.batch_sizes=[64]", "search.chunk_sizes=[512]", "search.requests=50"
    };

    @TempDir
    Path scratch;

    private StageProcess.Result run(String... arguments) {
        return new StageProcess(scratch).run(arguments);
    }

    @Test
    void theWinnerOfASearchRunsFromItsKeptConfiguration() throws Exception {
        StageProcess.Result search =
                run("fabric", "--optimize", "slo.p99_ttft_ms=500", SMALL[0], SMALL[1], SMALL[2], SMALL[3]);
        assertThat(search.exit()).as(search.err()).isZero();
        assertThat(search.err()).contains("candidates", "winner_usd_per_mtok");
        Path dir = scratch.resolve(search.line());
        assertThat(dir.resolve("report.html")).exists();
        StageProcess.Result again = run("fabric", "--config-snapshot", search.line() + "/winner");
        assertThat(again.exit()).as(again.err()).isZero();
        String cost = search.err()
                .lines()
                .filter(line -> line.contains("winner_usd_per_mtok"))
                .findFirst()
                .orElseThrow();
        assertThat(again.err())
                .contains(cost.strip().replaceFirst("\\S+\\s+", "").strip());
        assertThat(Files.readString(scratch.resolve(again.line()).resolve("summary.md")))
                .contains("It holds every limit that was set.");
    }

    @Test
    void recordedRunsAreReproduced() {
        String corpus =
                new StageProcess(scratch).home().resolve("tests-data/fabric").toString();
        StageProcess.Result run = run("verify", "suite=fabric", "corpus=" + corpus, "--json");
        assertThat(run.exit()).as(run.err()).isZero();
        assertThat(run.line()).contains("\"cases\":6").contains("\"failed\":[]");
    }
}
