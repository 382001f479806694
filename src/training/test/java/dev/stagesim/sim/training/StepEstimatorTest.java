package dev.stagesim.sim.training;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.stagesim.model.card.CardFiles;
import dev.stagesim.sim.training.Strategy.Recompute;
import dev.stagesim.sim.training.TrainingMachine.Precision;
import dev.stagesim.sim.training.schedule.PipelineSchedule;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class StepEstimatorTest {
    private static final TrainingMachine H100 = machine("h100");
    private static final int SEQUENCE = 8192;
    private static final double LINK = 450e9 * 0.75;
    private static final double NETWORK = 50e9 * 0.8;
    /** Latency of starting a ring within a domain in seconds. */
    private static final double BEGIN = 18e-6;

    private static final double HOP = 4e-6;

    private static TrainingMachine machine(String card) {
        return TrainingMachine.of(CardFiles.hardware(card)).network(50e9);
    }

    /** Returns two layers with eight wide experts or a dense network, and heads of the given width. */
    private static Architecture model(boolean isMixture, double head) {
        Architecture.Mixture mixture =
                isMixture ? new Architecture.Mixture(8, 2, 32_768, 0, 0, 1) : Architecture.Mixture.NONE;
        int heads = (int) (6144 / head);
        return new Architecture(
                "m",
                2,
                6144,
                new Architecture.Attention(heads, 8, head, head, Architecture.Latent.NONE),
                32_768,
                3,
                131_072,
                false,
                mixture);
    }

    private static TrainingJob job(Precision precision, boolean overlapsTensor) {
        return new TrainingJob(
                SEQUENCE,
                64,
                precision,
                TrainingJob.Kernels.FUSED,
                new TrainingJob.Overlap(overlapsTensor, true, false),
                TrainingJob.Exchange.unlimited(false),
                TrainingJob.Storage.DEFAULT);
    }

    private static Strategy strategy(int t, int x, int expertTensor) {
        return new Strategy(
                new Strategy.Degrees(t, 1, 8, 1, x, expertTensor),
                PipelineSchedule.ONE_F_ONE_B,
                1,
                1,
                8,
                1,
                t > 1,
                Recompute.NONE);
    }

    private static StepEstimate estimate(Architecture model, TrainingMachine machine, TrainingJob job, Strategy s) {
        return new StepEstimator(model, machine, job).estimate(s, Layout.even(model.layers(), 1));
    }

    /** Returns the seconds of a dispatch and combine, of two layers, two passes and eight micro-batches. */
    private static double exchange(int expertTensor) {
        return estimate(model(true, 128), H100, job(Precision.BITS16, false), strategy(4, 8, expertTensor))
                        .expert()
                / (2 * 2 * 8);
    }

    /** A device sends a quarter of the sequence to two experts per token, and receives the results. */
    @Test
    void exchangesWholeExpertsWithinAHost() {
        double bytes = 2 * (SEQUENCE / 4.0 * 2 * 6144 * 2);
        assertThat(exchange(1)).isCloseTo(bytes * 7 / 8 / LINK + 4 * (HOP + BEGIN / 7), within(1e-9));
    }

    /** Each expert receives a copy, even with fewer devices than experts per token. */
    @Test
    void sendsATokenToEachOfItsExperts() {
        Architecture.Mixture four = new Architecture.Mixture(8, 4, 32_768, 0, 0, 1);
        Architecture model = new Architecture(
                "m",
                2,
                6144,
                new Architecture.Attention(48, 8, 128, 128, Architecture.Latent.NONE),
                32_768,
                3,
                131_072,
                false,
                four);
        double exchange = estimate(model, H100, job(Precision.BITS16, false), strategy(4, 2, 1))
                        .expert()
                / (2 * 2 * 8);
        double bytes = 2 * (SEQUENCE / 4.0 * 4 * 6144 * 2);
        assertThat(exchange).isCloseTo(bytes / 2 / LINK + 4 * (HOP + BEGIN), within(1e-9));
    }

    /** Two of eight experts are in the domain. Received tokens are gathered and scattered over the links. */
    @Test
    void sendsTokensOfDividedExpertsOverTheNetworkOnce() {
        double bytes = 2 * (SEQUENCE / 4.0 * 2 * 6144 * 2);
        double shared = 2 * (0.75 * bytes / 2 * 4 / LINK + 3 * HOP + BEGIN);
        assertThat(exchange(4)).isCloseTo(bytes / 8 / LINK + bytes * 6 / 8 / NETWORK + shared + 4 * 8e-6, within(1e-9));
    }

    /** Routed experts receive their tokens by the exchange, not by a collective. */
    @Test
    void halvesTensorCollectivesWhenExpertsAreRouted() {
        TrainingJob job = job(Precision.BITS16, false);
        double head = 2 * 8 * 2 * (SEQUENCE * 6144.0 * 2 * 0.75 / LINK + 3 * HOP + BEGIN) / 2;
        double dense = estimate(model(false, 128), H100, job, strategy(4, 1, 1)).tensor() - head;
        double mixture =
                estimate(model(true, 128), H100, job, strategy(4, 8, 1)).tensor() - head;
        assertThat(mixture).isCloseTo(dense / 2, within(1e-9));
    }

    /** A narrow product overlaps less than a wide one, and attention overlaps with no collective. */
    @Test
    void overlapsACollectiveWithItsProduct() {
        Architecture model = model(false, 128);
        double serial = estimate(model, H100, job(Precision.BITS16, false), strategy(8, 1, 1))
                .tensor();
        double overlapped = estimate(model, H100, job(Precision.BITS16, true), strategy(8, 1, 1))
                .tensor();
        double faster = estimate(model, H100.withEfficiencyFactor(1.5), job(Precision.BITS16, true), strategy(8, 1, 1))
                .tensor();
        assertThat(overlapped).isBetween(0.2 * serial, 0.7 * serial);
        assertThat(faster).isGreaterThan(1.05 * overlapped);
    }

    /** Tensors with one scale are cast before the gather. A scale per column requires all rows first. */
    @Test
    void addsPassesAndWideGathersForRowWiseScales() {
        Architecture model = model(false, 128);
        StepEstimate tensorwise = estimate(model, H100, job(Precision.BITS8, false), strategy(4, 1, 1));
        StepEstimate rowwise = estimate(model, H100, job(Precision.BITS8_ROW, false), strategy(4, 1, 1));
        StepEstimate wide = estimate(model, H100, job(Precision.BITS16, false), strategy(4, 1, 1));
        assertThat(rowwise.tensor()).isEqualTo(wide.tensor());
        assertThat(tensorwise.tensor()).isLessThan(0.77 * wide.tensor());
        assertThat(rowwise.forward()).isGreaterThan(tensorwise.forward());
        // Values of inputs of a layer on a device, four bytes more each, two layers and eight micro-batches.
        double values = SEQUENCE * (2 * 6144 + 6144 / 4.0 + 32_768 / 4.0);
        assertThat(rowwise.forward() - tensorwise.forward())
                .isCloseTo(2 * 8 * values * 4 / (3350e9 * 0.8), within(1e-6));
    }

    /** The exponential of a score takes the same time for every head width. */
    @ParameterizedTest
    @CsvSource({"a100_sxm_80gb,0.833", "h100,0.75", "b200_sxm_180gb,0.667", "b300_sxm_288gb,0.75"})
    void slowsAttentionOfNarrowHeads(String card, double share) {
        TrainingMachine machine = machine(card);
        TrainingJob job = job(Precision.BITS16, false);
        double base = machine.attentionRate(128, job);
        assertThat(machine.attentionRate(64, job) / base).isCloseTo(share, within(1e-3));
        assertThat(machine.attentionRate(256, job)).isEqualTo(base);
    }

    @Test
    void doublesTheExponentialRateOfBlackwellUltra() {
        TrainingMachine.Generation plain = TrainingMachine.Generation.BLACKWELL;
        TrainingMachine.Generation ultra = TrainingMachine.Generation.BLACKWELL_ULTRA;
        assertThat(ultra.attention() / plain.attention())
                .isCloseTo((1 + plain.exponents()) / (1 + ultra.exponents()), within(1e-3));
    }

    /** Measured in a host with eight A100. Latency dominates small all-reduces. */
    @ParameterizedTest
    @CsvSource({"8,16,232", "8,2,93", "4,16,180", "2,16,132"})
    void isCloseToMeasuredAllReduces(int members, int mebibytes, double micros) {
        TrainingMachine a100 = machine("a100_sxm_80gb");
        double bytes = mebibytes * (double) (1 << 20);
        double ring = (members - 1.0) / members * bytes / a100.ring(members, 1) + (members - 1) * a100.hop(members, 1);
        assertThat(2e6 * ring).isCloseTo(micros, within(0.2 * micros));
    }

    private static TrainingJob eager(double host) {
        return new TrainingJob(
                1024,
                64,
                Precision.BITS16,
                new TrainingJob.Kernels(false, 1, 1, host),
                TrainingJob.Overlap.NONE,
                TrainingJob.Exchange.unlimited(false),
                new TrainingJob.Storage(2, false, 4, false, false, 6, TrainingJob.Sharding.BUCKETS));
    }

    /** Members of a group wait for the slowest host at each collective. */
    @Test
    void delaysCollectivesWhenHostsAreLate() {
        Architecture small = new Architecture(
                "m",
                4,
                1024,
                new Architecture.Attention(16, 16, 64, 64, Architecture.Latent.NONE),
                4096,
                2,
                51_200,
                true,
                Architecture.Mixture.NONE);
        double none = estimate(small, H100, eager(0), strategy(2, 1, 1)).tensor();
        double eager = estimate(small, H100, eager(1e-3), strategy(2, 1, 1)).tensor();
        // Four layers of eight micro-batches, with four gathers and scatters forward and six backward.
        assertThat(eager - none).isCloseTo(4 * 8 * 10 * 70e-6, within(1e-6));
        double large = estimate(model(false, 128), H100, eager(1e-3), strategy(2, 1, 1))
                        .tensor()
                - estimate(model(false, 128), H100, eager(0), strategy(2, 1, 1)).tensor();
        assertThat(large).isLessThan(0.5 * (eager - none));
        assertThat(estimate(small, H100, eager(1e-3), strategy(1, 1, 1)).tensor())
                .isZero();
    }

    /** The unfused loss moves 52 bytes per logit, the fused loss 18. */
    @Test
    void movesMoreBytesWhenTheLossIsNotFused() {
        Architecture wide = new Architecture(
                "m",
                1,
                128,
                new Architecture.Attention(1, 1, 128, 128, Architecture.Latent.NONE),
                128,
                2,
                1_024_000,
                true,
                Architecture.Mixture.NONE);
        TrainingJob fused = new TrainingJob(
                1024,
                64,
                Precision.BITS16,
                TrainingJob.Kernels.FUSED,
                TrainingJob.Overlap.NONE,
                TrainingJob.Exchange.unlimited(false),
                new TrainingJob.Storage(2, false, 4, false, false, 6, TrainingJob.Sharding.BUCKETS));
        double step = estimate(wide, H100, eager(0), strategy(1, 1, 1)).step()
                - estimate(wide, H100, fused, strategy(1, 1, 1)).step();
        double logits = 8 * 1024 * 1_024_000.0;
        assertThat(step).isCloseTo(34 * logits / (3350e9 * 0.8), within(0.02 * step));
    }

    /** An 8-bit dispatch needs three quarters of the bytes. */
    @Test
    void sendsFewerBytesWhenRoutingIsLimitedToDomains() {
        Architecture.Mixture wide = new Architecture.Mixture(32, 8, 2048, 0, 0, 1);
        Architecture model = new Architecture(
                "m",
                1,
                4096,
                new Architecture.Attention(32, 8, 128, 128, Architecture.Latent.NONE),
                2048,
                3,
                32_000,
                false,
                wide);
        Strategy s = new Strategy(
                new Strategy.Degrees(1, 1, 32, 1, 32, 1),
                PipelineSchedule.ONE_F_ONE_B,
                1,
                1,
                32,
                1,
                false,
                Recompute.NONE);
        double base = exchange(model, s, TrainingJob.Exchange.unlimited(true));
        double limited = exchange(model, s, new TrainingJob.Exchange(true, 2, 2));
        double low = exchange(model, s, new TrainingJob.Exchange(true, 2, 1));
        double tokens = SEQUENCE * 4096.0 * 2;
        // A copy for each remote domain visited; of the eight copies a quarter goes to devices that are near.
        double near = 2 * tokens * 8 * 7 / 32 / LINK + 4 * 8e-6;
        double four = 4 * 0.75 * (1 - Math.pow(0.75, 8));
        double two = 2 * 0.75 * (1 - Math.pow(0.5, 8));
        assertThat(base).isCloseTo(near + 2 * tokens * four / NETWORK, within(1e-9));
        assertThat(limited).isCloseTo(near + 2 * tokens * two / NETWORK, within(1e-9));
        assertThat(low - 4 * 8e-6).isCloseTo(0.75 * (limited - 4 * 8e-6), within(1e-9));
    }

    private static double exchange(Architecture model, Strategy s, TrainingJob.Exchange exchange) {
        TrainingJob job = new TrainingJob(
                SEQUENCE,
                32,
                Precision.BITS16,
                TrainingJob.Kernels.FUSED,
                TrainingJob.Overlap.NONE,
                exchange,
                TrainingJob.Storage.DEFAULT);
        return estimate(model, H100, job, s).expert() / 2;
    }

    /** With two ranks per stage, 3 of 15 boundaries cross a domain of eight; with eight ranks, all do. */
    @Test
    void averagesMessagesWithinAndBetweenDomains() {
        TrainingMachine machine = TrainingMachine.of(CardFiles.hardware("h100"));
        double near = machine.message(2, 4);
        double far = machine.message(8, 16);
        assertThat(near).isGreaterThan(5 * far);
        assertThat(machine.message(2, 16)).isCloseTo(15 / (12 / near + 3 / far), within(1.0));
    }

    /** Every micro-batch crosses a boundary once in each direction. */
    @Test
    void isNoShorterThanTheTransfersOfABoundary() {
        double[] second = {1, 1, 1, 1};
        Strategy s = new Strategy(
                new Strategy.Degrees(1, 2, 1, 1, 1, 1),
                PipelineSchedule.INTERLEAVED,
                2,
                0,
                1,
                1,
                false,
                Strategy.Recompute.NONE);
        assertThat(ClosedForm.makespan(s, 8, new StepEstimate.Stages(second, second, second, 0)))
                .isEqualTo(8 * 6 + 1.5 * 2 / 2 * 2);
        assertThat(ClosedForm.makespan(s, 8, new StepEstimate.Stages(second, second, second, 10)))
                .isGreaterThanOrEqualTo(8 * 2 * 10);
    }

    /** Nine tensors in each of 32 layers take 63 ring steps of 8 microseconds, without overlap. */
    @Test
    void addsTheRingLatencyOfEveryTensorWhenTensorsAreBroadcast() {
        Architecture model = Architecture.of(CardFiles.model("llama3_8b"));
        TrainingMachine machine = TrainingMachine.of(CardFiles.hardware("h100"));
        Layout layout = Layout.even(model.layers(), 1);
        Strategy s = new Strategy(
                new Strategy.Degrees(1, 1, 64, 1, 1, 1),
                PipelineSchedule.ONE_F_ONE_B,
                1,
                1,
                64,
                1,
                false,
                Recompute.FULL);
        TrainingJob job = new TrainingJob(
                4096,
                64,
                Precision.BITS16,
                TrainingJob.Kernels.FUSED,
                new TrainingJob.Overlap(false, true, false),
                TrainingJob.Exchange.unlimited(false),
                TrainingJob.Storage.DEFAULT);
        double buckets =
                new StepEstimator(model, machine, job).estimate(s, layout).step();
        TrainingJob.Storage kept = new TrainingJob.Storage(4, false, 4, false, false, 6, TrainingJob.Sharding.TENSORS);
        TrainingJob sending =
                new TrainingJob(4096, 64, Precision.BITS16, job.kernels(), job.overlap(), job.exchange(), kept);
        double tensors =
                new StepEstimator(model, machine, sending).estimate(s, layout).step();
        assertThat(tensors - buckets).isCloseTo(32 * 9 * 63 * 8e-6, within(1e-9));
    }

    /** Only gradient sums are sent between domains, after the last backward pass. */
    @Test
    void gathersHybridShardsWithinADomain() {
        Architecture model = Architecture.of(CardFiles.model("llama3_8b"));
        TrainingMachine slow = H100.network(1e9);
        Layout layout = Layout.even(model.layers(), 1);
        TrainingJob job = new TrainingJob(
                4096,
                512,
                Precision.BITS16,
                TrainingJob.Kernels.FUSED,
                new TrainingJob.Overlap(false, true, false),
                TrainingJob.Exchange.unlimited(false),
                TrainingJob.Storage.DEFAULT);
        StepEstimator steps = new StepEstimator(model, slow, job);
        Strategy all = new Strategy(
                new Strategy.Degrees(1, 1, 64, 1, 1, 1),
                PipelineSchedule.ONE_F_ONE_B,
                1,
                3,
                64,
                1,
                false,
                Recompute.FULL);
        Strategy near = new Strategy(
                new Strategy.Degrees(1, 1, 64, 1, 1, 1),
                PipelineSchedule.ONE_F_ONE_B,
                1,
                3,
                8,
                1,
                false,
                Recompute.FULL);
        assertThat(steps.estimate(near, layout).step())
                .isLessThan(0.5 * steps.estimate(all, layout).step());
        // The sums take 2 x 7/8 of an eighth of the gradients over eight domains at 1 GB/s, in parallel with the last
        // backward pass.
        StepEstimate estimate = steps.estimate(near, layout);
        double sums = 2 * 7.0 / 8 * 4 * MemoryModel.maxRankWeights(model, near, layout)[0] / 8 / 0.8e9;
        double back = estimate.stages().input()[0] + estimate.stages().weight()[0];
        assertThat(estimate.step() - 8 * (estimate.stages().forward()[0] + back) - estimate.optimizer())
                .isCloseTo(sums - 0.88 * back, within(0.02 * sums));
    }

    /** The first rank of a V schedule has the first and the last stage. */
    @Test
    void placesTheHeadOfAVScheduleOnTheFirstRank() {
        Architecture model = Architecture.of(CardFiles.model("llama3_8b"));
        Strategy s = new Strategy(
                new Strategy.Degrees(1, 4, 1, 1, 1, 1), PipelineSchedule.ZB_V, 1, 0, 1, 1, false, Recompute.FULL);
        MemoryModel memory = new MemoryModel(
                model,
                new TrainingJob(
                        4096,
                        64,
                        Precision.BITS16,
                        TrainingJob.Kernels.FUSED,
                        new TrainingJob.Overlap(false, true, false),
                        TrainingJob.Exchange.unlimited(false),
                        TrainingJob.Storage.DEFAULT));
        Layout layout = Layout.even(model.layers(), 8);
        assertThat(memory.rank(s, layout, 0).head()).isPositive();
        assertThat(memory.rank(s, layout, 3).head()).isZero();
        assertThat(memory.rank(s, layout, 0).weights()
                        - memory.rank(s, layout, 3).weights())
                .isCloseTo(2 * 2 * 128_256.0 * 4096, within(1e5));
        assertThat(s.stage(0, 1)).isEqualTo(7);
        assertThat(s.stage(3, 1)).isEqualTo(4);
    }
}
