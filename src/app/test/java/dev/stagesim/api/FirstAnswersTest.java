package dev.stagesim.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stagesim.model.StageException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Common commands state what their answer does not show, and errors name the key to set. */
final class FirstAnswersTest {
    @TempDir
    private Path work;

    private Run cluster(String... more) {
        return TestRuns.run(
                work,
                "cluster_sim",
                List.of(
                        "cluster=failing_4",
                        "model=llama3_8b",
                        "hardware=h100",
                        "rate=20",
                        "requests=400",
                        "prompt_tokens=200",
                        "output_tokens=100"),
                more);
    }

    @Test
    void clustersReportTheirFailures() {
        Run none = cluster("cluster.failures.mtbf_h=2");
        assertThat(none.figures()).containsEntry("failed_instances", 0.0);
        assertThat(none.warnings()).anyMatch(text -> text.contains("lower cluster.failures.mtbf_h"));
        Run some = cluster("cluster.failures.mtbf_h=0.005");
        assertThat(some.figures().get("failed_instances")).isPositive();
        assertThat(some.warnings()).noneMatch(text -> text.contains("no instance failed"));
        assertThatThrownBy(() -> cluster("cluster.failures.kind=listed"))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("give +cluster.failures.times.<name>.instance=<value> "
                        + "+cluster.failures.times.<name>.at_s=<value>");
    }

    @Test
    void networksThatAreTooSmallNameTheKey() {
        assertThatThrownBy(() -> TestRuns.run(
                        work, "astra_sim", List.of("network=dgx_h100", "system=dgx_h100", "workload.num_npus=64")))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("network.topology.npus_count='[8,8]'");
        assertThatThrownBy(() -> TestRuns.run(
                        work, "astra_sim", List.of("network=dgx_h100", "system=dgx_h100", "workload.num_npus=36")))
                .hasMessageContaining("as many NPUs as the workload, or");
    }
}
