package dev.stagesim.feature.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import dev.stagesim.feature.plan.Deployment.Shape;
import dev.stagesim.model.CardFiles;
import dev.stagesim.model.Precision;
import java.io.IOException;
import java.nio.file.Path;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;

final class SteadyTest {
    private final Path dir = Jimfs.newFileSystem(Configuration.unix()).getPath("/workload");
    private final Shape shape =
            new Shape("vllm_v1", CardFiles.engine("vllm_v1"), 1, 1, Precision.BF16, Precision.BF16, Precision.BF16);

    private Replica replica(Requests requests) {
        return new Replica(shape, CardFiles.model("llama3_8b"), CardFiles.hardware("h100"), 0.9, requests.longest());
    }

    @Test
    void theMeanTokenTimeIsThatOfASimulation() throws IOException {
        Requests requests = Plans.read(dir);
        Replica replica = replica(requests);
        Trials trials = new Trials(requests, Slo.parse("ttft_p99_ms<1e9"));
        for (double rate : new double[] {2, 8, 16}) {
            double simulated = trials.of(replica, new Deployment(shape, 512, 2048), 1, rate)
                    .figures()
                    .get("tpot_p50_ms");
            Steady.State state = new Steady(replica, requests, 2048).at(rate).orElseThrow();
            assertThat(state.tpotMs()).isCloseTo(simulated, Percentage.withPercentage(10));
        }
    }

    @Test
    void aCopyThatCannotKeepUpHasNoState() throws IOException {
        Requests requests = Plans.read(dir);
        Steady steady = new Steady(replica(requests), requests, 2048);
        assertThat(steady.at(1000)).isEmpty();
        assertThat(steady.at(0.001).orElseThrow().running()).isCloseTo(0, within(0.01));
    }
}
