package dev.stagesim.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.cli.run.SweepTable.Job;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class SweepTableTest {
    private static Job job(int num, String label, Map<String, Double> figures) {
        return new Job(num, label, new TreeMap<>(figures));
    }

    @Test
    void printsFewJobsInColumns() {
        assertThat(SweepTable.table(List.of(
                        job(0, "vllm", Map.of("ttft_p50_ms", 1234.5, "restarts", 2.0)),
                        job(1, "orca", Map.of("ttft_p50_ms", 3.25)))))
                .containsExactly(
                        "                  vllm    orca", //
                        "  restarts           2       -",
                        "  ttft_p50_ms  1,234.5  3.2500");
    }

    @Test
    void printsASingleJob() {
        assertThat(SweepTable.table(List.of(job(0, "", Map.of("a_ms", 2.0)))))
                .containsExactly("        #0", "  a_ms   2");
    }

    @Test
    void printsManyJobsInRows() {
        List<Job> jobs = IntStream.range(0, 50)
                .mapToObj(i -> job(i, "", Map.of("a_ms", (double) i, "b_ms", 2.0)))
                .toList();
        List<String> lines = SweepTable.table(jobs);
        assertThat(lines).hasSize(42).startsWith("       a_ms  b_ms", "  #0      0     2");
        assertThat(lines.get(41)).isEqualTo("  ... and 10 more jobs in results.csv");
    }

    @Test
    void printsNoTableForJobsWithoutMetrics() {
        assertThat(SweepTable.table(List.of(job(0, "a", Map.of())))).isEmpty();
    }

    @Test
    void namesJobsByTheirDifferingValues() {
        List<List<String>> all = List.of(List.of("a=1", "s=x"), List.of("a=1", "s=y"));
        assertThat(SweepTable.label(all.get(1), all)).isEqualTo("y");
        List<List<String>> numbers = List.of(List.of("a=x", "tp=1"), List.of("a=x", "tp=2"));
        assertThat(SweepTable.label(numbers.get(1), numbers)).isEqualTo("tp=2");
        List<List<String>> paths = List.of(List.of("arrival.qps=1"), List.of("arrival.qps=2"));
        assertThat(SweepTable.label(paths.get(1), paths)).isEqualTo("2");
        List<List<String>> two = List.of(List.of("a=1", "s=x"), List.of("a=2", "s=y"));
        assertThat(SweepTable.label(two.get(0), two)).isEqualTo("a=1 s=x");
    }
}
