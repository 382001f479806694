package dev.stagesim.feature.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import dev.stagesim.model.card.CardFiles;
import dev.stagesim.model.card.Precision;
import dev.stagesim.serving.EngineChoice;
import dev.stagesim.serving.EngineChoice.Shape;
import dev.stagesim.serving.ReplicaModel;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class SteadyStateModelTest {
    private final Path dir = Jimfs.newFileSystem(Configuration.unix()).getPath("/workload");

    private static Shape shape(String engine) {
        return new Shape(engine, CardFiles.engine(engine), 1, 1, Precision.BF16, Precision.BF16, Precision.BF16);
    }

    private static ReplicaModel replica(EngineChoice choice, RequestSamples requests) {
        return choice.replica(
                CardFiles.model("llama3_8b"), CardFiles.hardware("h100"), Optional.of(0.9), requests.longest());
    }

    @ParameterizedTest
    @ValueSource(strings = {"vllm_v1", "sglang"})
    void matchesTheMeanTpotOfASimulation(String engine) throws IOException {
        RequestSamples requests = Plans.read(dir);
        EngineChoice deployment = new EngineChoice(shape(engine), 512, 2048);
        ReplicaModel replica = replica(deployment, requests);
        SimulationCache simulations = new SimulationCache(requests, Slo.parse("ttft_p99_ms<1e9"));
        for (double rate : new double[] {2, 8, 16}) {
            double simulated =
                    simulations.of(replica, deployment, 1, rate).metrics().get("tpot_p50_ms");
            SteadyStateModel.State state =
                    new SteadyStateModel(replica, requests, deployment).at(rate).orElseThrow();
            assertThat(state.tpotMs()).isCloseTo(simulated, Percentage.withPercentage(10));
        }
    }

    @Test
    void returnsNothingForAnOverloadedCopy() throws IOException {
        RequestSamples requests = Plans.read(dir);
        EngineChoice deployment = new EngineChoice(shape("vllm_v1"), 512, 2048);
        SteadyStateModel steady = new SteadyStateModel(replica(deployment, requests), requests, deployment);
        assertThat(steady.at(1000)).isEmpty();
        assertThat(steady.at(0.001).orElseThrow().running()).isCloseTo(0, within(0.01));
    }

    /** Of 200 requests in flight, 64 are in the batch. */
    @Test
    void waitsForASlotInAClosedLoop() throws IOException {
        RequestSamples requests = Plans.read(dir);
        EngineChoice deployment = new EngineChoice(shape("vllm_v1"), 64, 2048);
        SteadyStateModel steady = new SteadyStateModel(replica(deployment, requests), requests, deployment);
        assertThat(steady.slotWaitMs(200, 10)).isCloseTo(13_600, within(1e-6));
        assertThat(steady.slotWaitMs(64, 10)).isZero();
    }
}
