package dev.stagesim.sim.training;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.stagesim.model.card.CardFiles;
import dev.stagesim.sim.training.Calibration.Measured;
import dev.stagesim.sim.training.StrategySearch.Candidate;
import dev.stagesim.sim.training.StrategySearch.Objective;
import dev.stagesim.sim.training.schedule.PipelineSchedule;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

final class CalibrationTest {
    private static final Architecture MODEL = Architecture.of(CardFiles.model("llama3_8b"));
    private static final TrainingMachine H100 = TrainingMachine.of(CardFiles.hardware("h100"));
    private static final TrainingJob JOB = StrategySearchTest.job(4096, 64);
    private static final List<Candidate> STRATEGIES = StrategySearch.run(
                    MODEL,
                    H100,
                    JOB,
                    new SearchSpace(
                            List.of(16),
                            new SearchSpace.Axes(List.of(), List.of(), List.of(), List.of(), List.of()),
                            List.of(),
                            List.of(),
                            List.of(),
                            List.of(),
                            List.of(PipelineSchedule.ONE_F_ONE_B),
                            80e9,
                            200),
                    Objective.STEP_TIME)
            .best();

    /** Returns steps of a device with a different efficiency. */
    private static List<Measured> steps(double factor, int... picked) {
        StepEstimator model = new StepEstimator(MODEL, H100.withEfficiencyFactor(factor), JOB);
        List<Measured> steps = new ArrayList<>();
        for (int i : picked) {
            Candidate c = STRATEGIES.get(i);
            double seconds = model.estimate(c.strategy(), c.layout()).step();
            steps.add(new Measured(JOB, c.strategy(), c.layout(), seconds));
        }
        return steps;
    }

    @Test
    void findsTheEfficiencyOfADevice() {
        Random random = new Random(22);
        for (int i = 0; i < 30; i++) {
            double factor = 0.25 + random.nextDouble();
            int[] picked =
                    random.ints(1 + random.nextInt(6), 0, STRATEGIES.size()).toArray();
            Calibration fit = Calibration.fit(MODEL, H100, steps(factor, picked));
            assertThat(fit.factor()).isCloseTo(factor, within(1e-6));
            assertThat(fit.bound()).isZero();
            if (picked.length > 1) {
                assertThat(fit.worstError()).isLessThan(1e-6);
            }
        }
    }

    @Test
    void isRobustWhenOneStepIsWrong() {
        List<Measured> steps = steps(0.8, IntStream.range(0, 5).toArray());
        Measured last = steps.get(4);
        steps.set(4, new Measured(JOB, last.strategy(), last.layout(), 3 * last.seconds()));
        Calibration fit = Calibration.fit(MODEL, H100, steps);
        assertThat(fit.factor()).isCloseTo(0.8, within(1e-6));
        assertThat(fit.worstError()).isCloseTo(2.0 / 3, within(1e-4));
        assertThat(fit.medianError()).isLessThan(1e-4);
    }

    @Test
    void holdsOutThePlainPredictionWhenThereIsOneStep() {
        Calibration fit = Calibration.fit(MODEL, H100, steps(0.5, 0));
        assertThat(fit.steps().get(0).leftOut()).isEqualTo(fit.steps().get(0).plain());
    }

    @Test
    void limitsTheFactorWhenAStepIsImplausible() {
        for (double seconds : new double[] {1e-6, 1e6}) {
            Candidate c = STRATEGIES.get(0);
            Calibration fit =
                    Calibration.fit(MODEL, H100, List.of(new Measured(JOB, c.strategy(), c.layout(), seconds)));
            assertThat(fit.bound()).isEqualTo(fit.factor()).isPositive();
            assertThat(fit.factor() * H100.productRate(JOB.precision())).isLessThanOrEqualTo(H100.peak16() * 1.0001);
        }
    }
}
