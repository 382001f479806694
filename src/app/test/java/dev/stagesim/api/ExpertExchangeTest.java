package dev.stagesim.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.io.csv.LooseTable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tokens that engines send to experts are communication, and a run says if they dominate its steps. */
final class ExpertExchangeTest {
    @TempDir
    private Path work;

    private Run run(String tensor, String engines) {
        return TestRuns.run(
                work,
                "vidur_sim",
                List.of(
                        "model=deepseek_v3",
                        "hardware=h200",
                        "ep=true",
                        "arrival=static",
                        "requests=10",
                        "prompt_tokens=2000",
                        "output_tokens=2"),
                tensor,
                engines);
    }

    private static double prefill(Run run, String part) throws IOException {
        LooseTable parts = LooseTable.read(run.dir().resolve("step_parts.csv"));
        for (int row = 0; row < parts.size(); row++) {
            if (parts.text(row, "kind").equals("prefill")) {
                return Double.parseDouble(parts.text(row, part));
            }
        }
        throw new AssertionError("no prefill steps");
    }

    @Test
    void isCommunication() throws IOException {
        Run engines = run("tp=1", "dp=64");
        assertThat(prefill(engines, "communication_us") / prefill(engines, "step_us"))
                .isBetween(0.6, 0.66);
        assertThat(engines.warnings())
                .anyMatch(text -> text.startsWith("sending tokens to experts and back takes 63")
                        && text.contains("of the time of prefill steps on 64 devices, between nodes of 8 devices 400")
                        && text.contains("compare with fewer devices"));
        assertThat(Files.readString(engines.dir().resolve("conditions.json")))
                .contains("tokens sent to experts in 8 bits and back in 16 bits by the faster kernels of DeepEP");
    }

    /** The exchange is that of the simulated steps in lockstep, and of the mean step otherwise. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void dominatesPromptsOfACluster(boolean isLockstep) {
        assertThat(cluster(64, isLockstep).warnings())
                .anyMatch(text -> text.startsWith("sending tokens to experts and back takes ")
                        && text.contains("of the time of prefill steps on 64 devices, between nodes of 8 devices 400")
                        && text.endsWith("(cluster.pools.all.experts.instances)"));
        assertThat(cluster(8, isLockstep).warnings()).noneMatch(text -> text.contains("sending tokens"));
    }

    private Run cluster(int instances, boolean isLockstep) {
        return TestRuns.run(
                work,
                "cluster_sim",
                List.of(
                        "model=deepseek_v3",
                        "hardware=h200",
                        "replicas=" + instances,
                        "+cluster.pools.all.experts.instances=" + instances,
                        "+cluster.pools.all.experts.lockstep=" + isLockstep,
                        "rate=2000",
                        "requests=" + 3 * instances,
                        "prompt_tokens=2000",
                        "output_tokens=2"));
    }

    @Test
    void dominatesPromptsOfAPlan() {
        Run plan = TestRuns.run(
                work,
                "plan",
                List.of(
                        "model=deepseek_v3",
                        "hardware=h200",
                        "engine=vllm_v1",
                        "tp=1",
                        "dp=32",
                        "ep=32",
                        "rate=20",
                        "prompt_tokens=2000",
                        "output_tokens=2",
                        "slo=ttft_p99_ms<5000"));
        assertThat(plan.warnings())
                .anyMatch(text -> text.startsWith("sending tokens to experts and back takes ")
                        && text.contains("of the time of prefill steps on 32 devices")
                        && text.endsWith("(search.tp, search.dp)"));
    }

    @Test
    void doesNotDominateInANode() throws IOException {
        Run node = run("tp=8", "dp=1");
        assertThat(node.warnings()).noneMatch(text -> text.contains("sending tokens"));
        assertThat(Files.readString(node.dir().resolve("conditions.json"))).doesNotContain("DeepEP");
        assertThat(prefill(node, "communication_us") / prefill(node, "step_us")).isLessThan(0.5);
    }
}
