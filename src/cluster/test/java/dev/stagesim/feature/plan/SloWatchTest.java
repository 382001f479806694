package dev.stagesim.feature.plan;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import dev.stagesim.model.card.CardFiles;
import dev.stagesim.model.card.Precision;
import dev.stagesim.serving.EngineChoice;
import dev.stagesim.serving.EngineChoice.Shape;
import dev.stagesim.serving.ReplicaModel;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class SloWatchTest {
    private static final double SLOWDOWN = 1.25;

    @ParameterizedTest
    @ValueSource(strings = {"vllm_v1", "sglang"})
    void agreesWithTheMetricsOfTheWholeSimulation(String engine) throws IOException {
        RequestSamples requests =
                Plans.read(Jimfs.newFileSystem(Configuration.unix()).getPath("/workload"));
        Shape shape = new Shape(engine, CardFiles.engine(engine), 1, 1, Precision.BF16, Precision.BF16, Precision.BF16);
        EngineChoice deployment = new EngineChoice(shape, 512, 2048);
        ReplicaModel replica = deployment.replica(
                CardFiles.model("llama3_8b"), CardFiles.hardware("h100"), Optional.of(0.9), requests.longest());
        Map<String, Double> metrics = new SimulationCache(requests, Slo.parse("ttft_p99_ms<1e9"))
                .of(replica, deployment, 1, 8, SLOWDOWN)
                .metrics();
        assertThat(metrics).hasSize(12);
        metrics.forEach((name, value) -> {
            assertThat(meetsSlo(requests, replica, deployment, name + "<" + value))
                    .as(name)
                    .isTrue();
            assertThat(meetsSlo(requests, replica, deployment, name + "<" + Math.nextDown(value)))
                    .as(name)
                    .isFalse();
        });
    }

    private static boolean meetsSlo(
            RequestSamples requests, ReplicaModel replica, EngineChoice deployment, String slo) {
        return new SimulationCache(requests, Slo.parse(slo))
                .of(replica, deployment, 1, 8, SLOWDOWN)
                .meetsSlo();
    }
}
