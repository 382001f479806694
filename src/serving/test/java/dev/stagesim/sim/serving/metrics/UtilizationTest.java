package dev.stagesim.sim.serving.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.stagesim.sim.serving.ServingFixtures;
import dev.stagesim.sim.serving.ServingSimulator;
import dev.stagesim.sim.serving.replica.Batch;
import dev.stagesim.sim.serving.replica.ServingRecorder;
import dev.stagesim.sim.serving.request.RequestTrace;
import dev.stagesim.sim.serving.spec.ServingSpec;
import java.util.EnumSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class UtilizationTest {
    /** Adds up the energy of steps and idle times, relative to the board power. */
    private static final class Energy implements ServingRecorder {
        private double power;
        private double joules;
        private double end;

        @Override
        public Set<Signal> signals() {
            return EnumSet.of(Signal.STAGE_STARTED, Signal.STAGE_ENDED);
        }

        @Override
        public void stageStarted(Batch batch, int stage, double time, double mfuPercent) {
            joules += 0.2 * (time - end);
            power = Math.min(1, 0.65 + 0.015 * mfuPercent);
            end = time;
        }

        @Override
        public void stageEnded(Batch batch, int stage, double time, double totalSeconds, double modelSeconds) {
            joules += power * (time - end);
            end = time;
        }
    }

    @Test
    void averagesThePowerOfStepsAndIdleTimes() {
        ServingSpec spec = ServingFixtures.spec(ServingFixtures.vllm(8, 16, 100));
        RequestTrace trace = ServingFixtures.trace(
                ServingFixtures.request(0.5, 64, 20),
                ServingFixtures.request(0.51, 8, 2),
                ServingFixtures.request(3, 8, 9));
        Utilization use = new Utilization(spec);
        Energy energy = new Energy();
        ServingSimulator.run(spec, trace, ServingFixtures.flat(), use, energy);
        assertThat(use.meanPower()).isBetween(0.2, 1.0).isCloseTo(energy.joules / energy.end, within(1e-12));
    }
}
