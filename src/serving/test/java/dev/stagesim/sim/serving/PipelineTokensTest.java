package dev.stagesim.sim.serving;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.sim.serving.memory.VllmRules;
import dev.stagesim.sim.serving.policy.VllmSettings;
import dev.stagesim.sim.serving.request.RequestTrace;
import dev.stagesim.sim.serving.spec.SchedulerSpec;
import dev.stagesim.sim.serving.spec.ServingSpec;
import java.util.Arrays;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The first pipeline stage starts a decode after the last stage has sampled the token that it reads. */
final class PipelineTokensTest {
    private static final int OUTPUTS = 50;

    private static double end(int stages, boolean isAsync, int modelRunner, int requests) {
        SchedulerSpec.VllmV1 engine = VllmFixtures.engine(
                VllmFixtures.settings(
                        64,
                        2048,
                        Map.of(
                                "asyncScheduling",
                                isAsync,
                                "version",
                                new VllmSettings.Version(VllmRules.NEWEST, modelRunner),
                                "pipelineStages",
                                stages)),
                1000,
                Map.of("cachesPrefixes", false));
        double[] arrivals = new double[requests];
        int[] prompts = new int[requests];
        int[] outputs = new int[requests];
        Arrays.fill(prompts, 20);
        Arrays.fill(outputs, OUTPUTS);
        RequestTrace trace = new RequestTrace(arrivals, prompts, outputs);
        ServingSpec spec = ServingFixtures.spec(engine, 1, stages, false);
        return ServingSimulator.run(spec, trace, ServingFixtures.flat()).endSeconds();
    }

    @ParameterizedTest
    @CsvSource({"true,1", "true,2", "false,1", "false,2"})
    void passesEveryTokenThroughAllStages(boolean isAsync, int modelRunner) {
        double stage = end(1, isAsync, modelRunner, 1);
        for (int stages : new int[] {2, 4}) {
            assertThat(end(stages, isAsync, modelRunner, 1)).isGreaterThanOrEqualTo(stages * stage * (1 - 1e-9));
        }
    }

    @Test
    void fillsThePipelineWithRequests() {
        assertThat(end(2, true, 2, 8)).isLessThan(8 * end(2, true, 2, 1));
    }
}
