package dev.stagesim.sim.serving.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.stagesim.sim.serving.ServingFixtures;
import dev.stagesim.sim.serving.ServingOutcome;
import dev.stagesim.sim.serving.ServingSimulator;
import dev.stagesim.sim.serving.spec.ServingSpec;
import dev.stagesim.sim.serving.spec.VidurQuirk;
import org.junit.jupiter.api.Test;

class StepWorkTest {
    private static ServingSpec spec(double requestSeconds) {
        ServingSpec plain = ServingFixtures.spec(ServingFixtures.sarathi(8, 16, 100, 64), 1, 1, false);
        return new ServingSpec(
                plain.model(),
                plain.footprint(),
                plain.cluster(),
                plain.scheduler(),
                plain.timing().withRequestSeconds(requestSeconds),
                plain.maxTokens(),
                0,
                VidurQuirk.NONE);
    }

    @Test
    void sumsWorkBetweenAnyTimes() {
        ServingSpec spec = spec(0);
        StepWork work = new StepWork(spec, 2);
        ServingSimulator.run(
                spec,
                ServingFixtures.trace(ServingFixtures.request(0, 10, 4), ServingFixtures.request(0.0015, 10, 2)),
                ServingFixtures.flat(),
                work);
        // Steps of 1 ms: request 0 in the first two, both requests in the next two. Request 1 arrives during the
        // second step.
        assertThat(work.between(0, 0, 0.004)[StepWork.STEPS]).isCloseTo(4, within(1e-9));
        assertThat(work.between(0, 0, 0.004)[StepWork.REQUESTS]).isCloseTo(6, within(1e-9));
        assertThat(work.between(0, 0.0005, 0.0025)[StepWork.STEPS]).isCloseTo(2, within(1e-9));
        assertThat(work.between(0, 0.0005, 0.0025)[StepWork.LINEAR]).isCloseTo(0.002, within(1e-9));
        assertThat(work.between(0, 0.01, 0.02)[StepWork.STEPS]).isZero();
    }

    @Test
    void schedulesRequestsAfterTheirHostTime() {
        ServingOutcome outcome = ServingSimulator.run(
                spec(0.01),
                ServingFixtures.trace(ServingFixtures.request(0, 10, 2), ServingFixtures.request(0.0005, 10, 2)),
                ServingFixtures.flat());
        assertThat(outcome.states().scheduledAt(0)).isCloseTo(0.01, within(1e-9));
        assertThat(outcome.states().scheduledAt(1)).isCloseTo(0.011, within(1e-9));
        assertThat(outcome.ending()).isEqualTo(ServingOutcome.Ending.FINISHED);
    }

    @Test
    void delaysLongPromptsByTokenization() {
        ServingSpec plain = spec(0.01);
        ServingSpec spec = new ServingSpec(
                plain.model(),
                plain.footprint(),
                plain.cluster(),
                plain.scheduler(),
                plain.timing().withArrival(0.01, 0.002),
                plain.maxTokens(),
                0,
                VidurQuirk.NONE);
        ServingOutcome outcome = ServingSimulator.run(
                spec,
                ServingFixtures.trace(ServingFixtures.request(0, 10, 2), ServingFixtures.request(0, 5, 2)),
                ServingFixtures.flat());
        assertThat(outcome.states().scheduledAt(0)).isCloseTo(0.03, within(1e-9));
        assertThat(outcome.states().scheduledAt(1)).isCloseTo(0.02, within(1e-9));
    }
}
