package dev.stagesim.feature.studio;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import dev.stagesim.pipeline.store.RunSubject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class RunIndexTest {
    private final Path work = Jimfs.newFileSystem(Configuration.unix()).getPath("/work");
    private final Path file = work.resolve("tmp/.studio/runs.index");

    private static List<String> names(RunIndex index) {
        return index.listing().rows().stream().map(RunRow::name).toList();
    }

    private void run(String id, double ttft) throws IOException {
        StudioRuns.write(work, "vidur_sim", id, "arrival.qps=" + ttft, Map.of("ttft_p99_ms", ttft));
    }

    @Test
    void listsNoRunsWithoutADirectory() throws IOException {
        RunIndex index = new RunIndex(work);
        index.refresh();
        assertThat(index.listing().complete()).isTrue();
        assertThat(names(index)).isEmpty();
        assertThat(work.resolve("tmp")).doesNotExist();
    }

    @Test
    void listsRunsWithTheirMetadata() throws IOException {
        run("vidur_sim-a", 12.5);
        Files.createDirectories(work.resolve("tmp/vidur_sim/vidur_sim-broken"));
        Files.createDirectories(work.resolve("tmp/vidur_sim/.vidur_sim-b.partial"));
        Files.createDirectories(work.resolve("tmp/vidur_sim/.vidur_sim-a.partial"));
        Files.createDirectories(work.resolve("tmp/sweeps/sweep-1"));
        Files.createDirectories(work.resolve("tmp/.locks"));
        Files.writeString(work.resolve("tmp/vidur_sim/notes.txt"), "not a run");
        RunIndex index = new RunIndex(work);
        index.refresh();
        assertThat(index.listing().rows())
                .extracting(RunRow::id, RunRow::state)
                .containsExactlyInAnyOrder(
                        org.assertj.core.groups.Tuple.tuple("vidur_sim-a", "finished"),
                        org.assertj.core.groups.Tuple.tuple("vidur_sim-b", "unfinished"),
                        org.assertj.core.groups.Tuple.tuple("vidur_sim-broken", "broken"));
        RunRow row = index.listing().rows().stream()
                .filter(each -> each.id().equals("vidur_sim-a"))
                .findFirst()
                .orElseThrow();
        assertThat(row.keys().names())
                .containsExactly("arrival.qps", "compat", "scheduler.batch_size_cap", "scheduler.kind");
        assertThat(row.keys().values()).containsExactly("12.5", "none", "128", "vllm");
        assertThat(row.figures()).isEqualTo(new RunRow.Figures(List.of("ttft_p99_ms"), List.of(12.5)));
        assertThat(row.warnings()).isEqualTo(1);
    }

    @Test
    void describesTheConditionsAndTheOriginOfARun() throws IOException {
        run("vidur_sim-a", 1);
        Path dir = work.resolve("tmp/vidur_sim/vidur_sim-a");
        Path meta = dir.resolve("run_meta.json");
        Files.writeString(meta, Files.readString(meta).replace("\"name\": null", "\"name\": \"compare\""));
        Files.writeString(
                dir.resolve("conditions.json"),
                """
                {"engine": "engine vLLM V1, step times of vLLM V1, 0.8 to 0.24", "hardware": "4 × H100-SXM-80GB",
                 "load": "arrivals: Poisson, 4.0 requests/s", "workload": "200 requests, prompt 1,000 tokens each"}
                """);
        RunIndex index = new RunIndex(work);
        index.refresh();
        RunRow row = index.listing().rows().get(0);
        assertThat(row.subject())
                .isEqualTo(new RunSubject(
                        "meta-llama/Meta-Llama-3-8B",
                        "4 × H100-SXM-80GB",
                        "vLLM V1",
                        "200 requests, prompt 1,000 tokens; Poisson, 4.0 requests/s"));
        assertThat(row.state()).isEqualTo(RunRow.INTERMEDIATE);
        assertThat(row.seconds()).isEqualTo(1);
    }

    @Test
    void readsTheIndexInsteadOfTheRuns() throws IOException {
        run("vidur_sim-a", 1);
        run("vidur_sim-b", 2);
        RunIndex first = new RunIndex(work);
        first.refresh();
        // Keeps size and time, so that only an index that reads the run again notices the change.
        Path meta = work.resolve("tmp/vidur_sim/vidur_sim-a/run_meta.json");
        FileTime time = Files.getLastModifiedTime(meta);
        Files.writeString(meta, Files.readString(meta).replace("H100", "A100"));
        Files.setLastModifiedTime(meta, time);
        RunIndex second = new RunIndex(work);
        second.refresh();
        assertThat(second.listing().rows()).isEqualTo(first.listing().rows());
        Files.delete(file);
        RunIndex third = new RunIndex(work);
        third.refresh();
        assertThat(third.listing().rows()).extracting(RunRow::hardware).contains("A100-SXM-80GB");
    }

    @Test
    void detectsNewChangedAndDeletedRuns() throws IOException {
        run("vidur_sim-a", 1);
        run("vidur_sim-b", 2);
        RunIndex index = new RunIndex(work);
        index.refresh();
        long version = index.listing().version();
        index.refresh();
        assertThat(index.listing().version()).isEqualTo(version);
        run("vidur_sim-c", 3);
        run("vidur_sim-b", 200.25);
        Path gone = work.resolve("tmp/vidur_sim/vidur_sim-a");
        try (var files = Files.list(gone)) {
            for (Path each : files.toList()) {
                Files.delete(each);
            }
        }
        Files.delete(gone);
        index.refresh();
        assertThat(index.listing().rows())
                .extracting(row -> row.figures().values().get(0))
                .containsExactly(200.25, 3.0);
    }

    @Test
    void rebuildsADamagedIndex() throws IOException {
        run("vidur_sim-a", 1);
        new RunIndex(work).refresh();
        byte[] whole = Files.readAllBytes(file);
        for (int length = 0; length < whole.length; length += 7) {
            Files.write(file, java.util.Arrays.copyOf(whole, length));
            assertThat(IndexFile.read(file)).isEmpty();
        }
        Files.writeString(file, "something else altogether, which is longer than a number");
        RunIndex index = new RunIndex(work);
        index.refresh();
        assertThat(names(index)).containsExactly("vidur_sim/vidur_sim-a");
        assertThat(Files.readAllBytes(file)).isEqualTo(whole);
    }

    @Test
    void restoresThousandsOfRuns() throws IOException {
        for (int i = 0; i < 3000; i++) {
            StudioRuns.write(
                    work, i % 3 == 0 ? "plan" : "vidur_sim", "run-" + i, "arrival.qps=" + i % 10, Map.of("f", i / 7.0));
        }
        RunIndex index = new RunIndex(work);
        index.refresh();
        assertThat(index.listing().rows()).hasSize(3000);
        assertThat(IndexFile.read(file)).isEqualTo(index.listing().rows());
        List<RunRow> found = new RunQuery("stage=plan arrival.qps<2 f>400", Map.of())
                .answer(index.listing().rows(), "-f");
        assertThat(found)
                .extracting(RunRow::id)
                .containsExactly(
                        "run-2991",
                        "run-2970",
                        "run-2961",
                        "run-2940",
                        "run-2931",
                        "run-2910",
                        "run-2901",
                        "run-2880",
                        "run-2871",
                        "run-2850",
                        "run-2841",
                        "run-2820",
                        "run-2811");
    }
}
