package dev.stagesim.sim.training;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.stagesim.model.card.CardFiles;
import dev.stagesim.sim.training.Strategy.Recompute;
import dev.stagesim.sim.training.StrategySearch.Candidate;
import dev.stagesim.sim.training.schedule.PipelineSchedule;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class NetworkConfirmationTest {
    private static final TrainingMachine H100 = TrainingMachine.of(CardFiles.hardware("h100"));
    private static final Architecture MODEL = Architecture.of(CardFiles.model("llama3_70b"));

    private static TrainingJob job(boolean overlaps) {
        return new TrainingJob(
                4096,
                64,
                TrainingMachine.Precision.BITS16,
                new TrainingJob.Kernels(true, 1, 1, TrainingJob.HOST_FUSED),
                new TrainingJob.Overlap(overlaps, true, false),
                TrainingJob.Exchange.unlimited(true),
                TrainingJob.Storage.DEFAULT);
    }

    private static SimulatedPipeline confirmed(int t, int p, int v, PipelineSchedule schedule, TrainingJob job) {
        Strategy s = new Strategy(new Strategy.Degrees(t, p, 1, 1, 1, 1), schedule, v, 0, 1, 1, t > 1, Recompute.NONE);
        Layout layout = Layout.even(MODEL.layers(), p * Math.max(v, schedule.fixedChunks()));
        StepEstimate step = new StepEstimator(MODEL, H100, job).estimate(s, layout);
        Candidate candidate = new Candidate(s, layout, step, new MemoryModel(MODEL, job).fullest(s, layout));
        return SimulatedPipeline.of(candidate, job.globalBatch());
    }

    @ParameterizedTest
    @CsvSource({
        "1,4,1,ONE_F_ONE_B,0.01",
        "1,4,2,INTERLEAVED,0.01",
        "1,4,1,ZB_H1,0.01",
        "1,4,1,DUALPIPE,0.02",
        "8,1,1,ONE_F_ONE_B,0.01",
        "4,4,1,ONE_F_ONE_B,0.01",
        "4,4,2,INTERLEAVED,0.02",
        "2,4,1,ZB_V,0.03",
    })
    void equalsTheTimelineWithoutContention(int t, int p, int v, PipelineSchedule schedule, double tolerance) {
        SimulatedPipeline confirmed = confirmed(t, p, v, schedule, job(false));
        NetworkConfirmation network = NetworkConfirmation.of(confirmed.candidate(), MODEL, H100, job(false))
                .orElseThrow();
        assertThat(network.npus()).isEqualTo(t * p);
        assertThat(network.step()).isCloseTo(confirmed.step(), within(tolerance * confirmed.step()));
    }

    @ParameterizedTest
    @CsvSource({"8,1", "4,4"})
    void isFasterWhenCollectivesOverlap(int t, int p) {
        SimulatedPipeline serial = confirmed(t, p, 1, PipelineSchedule.ONE_F_ONE_B, job(false));
        SimulatedPipeline overlapped = confirmed(t, p, 1, PipelineSchedule.ONE_F_ONE_B, job(true));
        double slow = NetworkConfirmation.of(serial.candidate(), MODEL, H100, job(false))
                .orElseThrow()
                .step();
        double fast = NetworkConfirmation.of(overlapped.candidate(), MODEL, H100, job(true))
                .orElseThrow()
                .step();
        assertThat(fast).isLessThan(slow);
        assertThat(fast).isCloseTo(overlapped.step(), within(0.1 * overlapped.step()));
    }

    /** The remaining micro-batches take as long as the last simulated one. */
    @ParameterizedTest
    @CsvSource({"4,4,1,ONE_F_ONE_B,1600", "4,4,2,INTERLEAVED,800", "1,4,1,DUALPIPE,6400"})
    void extrapolatesLongPipelines(int t, int p, int v, PipelineSchedule schedule, int batch) {
        TrainingJob many = job(false).batch(4096, batch);
        SimulatedPipeline confirmed = confirmed(t, p, v, schedule, many);
        assertThat(NetworkTraces.operations(confirmed)).isGreaterThan(50_000);
        double step = NetworkConfirmation.of(confirmed.candidate(), MODEL, H100, many)
                .orElseThrow()
                .step();
        assertThat(step).isCloseTo(confirmed.step(), within(0.02 * confirmed.step()));
    }

    /** Gathers over all devices use first the links within a host and then the adapters. */
    @Test
    void simulatesStrategiesWithoutPipelineOrTensorParallelism() {
        TrainingJob job = job(false).batch(4096, 64);
        Strategy s = new Strategy(
                new Strategy.Degrees(1, 1, 64, 1, 1, 1),
                PipelineSchedule.ONE_F_ONE_B,
                1,
                3,
                64,
                1,
                false,
                Recompute.FULL);
        Layout layout = Layout.even(MODEL.layers(), 1);
        StepEstimate step = new StepEstimator(MODEL, H100, job).estimate(s, layout);
        Candidate candidate = new Candidate(s, layout, step, new MemoryModel(MODEL, job).fullest(s, layout));
        NetworkConfirmation network =
                NetworkConfirmation.of(candidate, MODEL, H100, job).orElseThrow();
        assertThat(network.npus()).isEqualTo(64);
        assertThat(network.step()).isBetween(0.98 * step.step(), 1.12 * step.step());
        LinkRatios ratios = network.collectives().ratios();
        double slower =
                new StepEstimator(MODEL, H100, job, ratios).estimate(s, layout).step();
        assertThat(network.step()).isCloseTo(slower, within(1e-9));
    }
}
