package dev.stagesim.sim.serving;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.sim.serving.metrics.AdmissionTimes;
import dev.stagesim.sim.serving.metrics.CopyTimes;
import dev.stagesim.sim.serving.metrics.SustainedLoad;
import dev.stagesim.sim.serving.replica.AdmissionLimit;
import dev.stagesim.sim.serving.request.RequestTrace;
import dev.stagesim.sim.serving.spec.SchedulerSpec;
import dev.stagesim.sim.serving.spec.ServingSpec;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Copies that are simulated separately give the times of one simulation of all copies. */
final class CopyTimesTest {
    private static final int REQUESTS = 400;

    private static SchedulerSpec scheduler(String kind) {
        return kind.equals("sarathi")
                ? new SchedulerSpec.Sarathi(ServingFixtures.limits(8, 4, 0.01, 60), 16)
                : VllmFixtures.engine(VllmFixtures.settings(8, 256, Map.of("asyncScheduling", true)), 40, Map.of());
    }

    private static RequestTrace trace(double gap) {
        SplittableRandom random = new SplittableRandom(7);
        double[][] rows = new double[REQUESTS][];
        double time = 0;
        for (int i = 0; i < REQUESTS; i++) {
            time += random.nextDouble() * gap;
            rows[i] = ServingFixtures.request(time, 1 + random.nextInt(40), 1 + random.nextInt(30));
        }
        return ServingFixtures.trace(rows);
    }

    private static ServingSpec spec(String kind, int copies, double seconds, double limit) {
        ServingSpec spec = ServingFixtures.spec(scheduler(kind), copies, 1, false);
        return new ServingSpec(
                spec.model(),
                spec.footprint(),
                spec.cluster(),
                spec.scheduler(),
                spec.timing().withArrival(0, seconds),
                spec.maxTokens(),
                limit,
                spec.accidents());
    }

    @ParameterizedTest
    @CsvSource({
        // with the last values, requests overtake one another before they are ready
        "sarathi, 3, 0.01, 0",
        "vllm_v1, 1, 0.02, 0",
        "vllm_v1, 3, 0.01, 0",
        "vllm_v1, 5, 0.001, 0.0005",
    })
    void matchOneSimulation(String kind, int copies, double gap, double seconds) {
        RequestTrace trace = trace(gap);
        AdmissionTimes waits = new AdmissionTimes(copies);
        ServingOutcome joint =
                ServingSimulator.run(spec(kind, copies, seconds, 0), trace, ServingFixtures.flat(), waits);
        waits.finish(joint.endSeconds());
        CopyTimes separate =
                CopyTimes.of(count -> spec(kind, count, seconds, 1000), copies, trace, ServingFixtures.flat());
        assertThat(separate.isFinished()).isTrue();
        assertThat(separate.endSeconds()).isEqualTo(joint.endSeconds());
        assertThat(separate.load()).isEqualTo(SustainedLoad.of(joint));
        for (int i = 0; i < REQUESTS; i++) {
            assertThat(separate.startedAt(i)).isEqualTo(joint.states().scheduledAt(i));
            assertThat(separate.firstTokenAt(i)).isEqualTo(joint.states().prefillCompletedAt(i));
            assertThat(separate.departedAt(i)).isEqualTo(joint.states().completedAt(i));
        }
        for (AdmissionLimit limit : AdmissionLimit.values()) {
            if (limit != AdmissionLimit.NONE) {
                assertThat(separate.admission().seconds(limit))
                        .isCloseTo(waits.seconds(limit), org.assertj.core.data.Offset.offset(1e-9));
            }
        }
        assertThat(waits.longest()).isEqualTo(separate.admission().longest());
    }

    @ParameterizedTest
    @CsvSource({"1", "3"})
    void endAtTheTimeLimit(int copies) {
        RequestTrace trace = trace(0.001);
        double limit = 0.1;
        ServingOutcome joint = ServingSimulator.run(spec("vllm_v1", copies, 0, limit), trace, ServingFixtures.flat());
        assertThat(joint.ending()).isEqualTo(ServingOutcome.Ending.TIME_LIMIT);
        CopyTimes separate =
                CopyTimes.of(count -> spec("vllm_v1", count, 0, limit), copies, trace, ServingFixtures.flat());
        assertThat(separate.isFinished()).isFalse();
        assertThat(separate.endSeconds()).isGreaterThan(limit);
    }
}
