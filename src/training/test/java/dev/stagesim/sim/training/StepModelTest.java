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

final class StepModelTest {
    private static final TrainingMachine H100 = machine("h100");
    private static final int SEQUENCE = 8192;
    private static final double LINK = 450e9 * 0.75;
    private static final double NETWORK = 50e9 * 0.8;
    /** To begin a ring in the domain, and a step of it. */
    private static final double BEGIN = 18e-6;

    private static final double HOP = 4e-6;

    private static TrainingMachine machine(String card) {
        return TrainingMachine.of(CardFiles.hardware(card)).network(50e9);
    }

    /** Two layers of eight wide experts, or of a dense network, with heads of a width. */
    private static Architecture model(boolean isMixture, double head) {
        Architecture.Mixture mixture =
                isMixture ? new Architecture.Mixture(8, 2, 32_768, 0, 0, 1) : Architecture.Mixture.NONE;
        int heads = (int) (6144 / head);
        return new Architecture(
                "m", 2, 6144, heads, 8, head, head, 32_768, 3, 131_072, false, mixture, Architecture.Latent.NONE);
    }

    private static TrainingJob job(Precision precision, boolean overlapsTensor) {
        return new TrainingJob(SEQUENCE, 64, precision, 4, true, 1, 1, false, 0, overlapsTensor, true, false, false);
    }

    private static Strategy strategy(int t, int x, int expertTensor) {
        return new Strategy(
                t, 1, 1, 8, 1, x, expertTensor, 1, 8, 1, t > 1, Recompute.NONE, PipelineSchedule.ONE_F_ONE_B);
    }

    private static StepEstimate estimate(Architecture model, TrainingMachine machine, TrainingJob job, Strategy s) {
        return new StepModel(model, machine, job).estimate(s, Layout.even(model.layers(), 1));
    }

    /** Seconds of an exchange, there and back: two layers, forward and backward, eight micro-batches. */
    private static double exchange(int expertTensor) {
        return estimate(model(true, 128), H100, job(Precision.BITS16, false), strategy(4, 8, expertTensor))
                        .expert()
                / (2 * 2 * 8);
    }

    /** A device sends the tokens of its quarter of the sequence, to two experts each, there and back. */
    @Test
    void theExchangeOfWholeExpertsStaysInTheNode() {
        double bytes = 2 * (SEQUENCE / 4.0 * 2 * 6144 * 2);
        assertThat(exchange(1)).isCloseTo(bytes * 7 / 8 / LINK + 4 * (HOP + BEGIN / 7), within(1e-9));
    }

    /** Every expert of a token gets a copy, be there fewer devices than experts a token. */
    @Test
    void tokensGoToEachOfTheirExperts() {
        Architecture.Mixture four = new Architecture.Mixture(8, 4, 32_768, 0, 0, 1);
        Architecture model = new Architecture(
                "m", 2, 6144, 48, 8, 128, 128, 32_768, 3, 131_072, false, four, Architecture.Latent.NONE);
        double exchange = estimate(model, H100, job(Precision.BITS16, false), strategy(4, 2, 1))
                        .expert()
                / (2 * 2 * 8);
        double bytes = 2 * (SEQUENCE / 4.0 * 4 * 6144 * 2);
        assertThat(exchange).isCloseTo(bytes / 2 / LINK + 4 * (HOP + BEGIN), within(1e-9));
    }

    /** Divided experts lie four apart, so that two of eight are near; what arrives is gathered and scattered by the links. */
    @Test
    void theExchangeOfDividedExpertsCrossesTheNetworkOnce() {
        double bytes = 2 * (SEQUENCE / 4.0 * 2 * 6144 * 2);
        double shared = 2 * (0.75 * bytes / 2 * 4 / LINK + 3 * HOP + BEGIN);
        assertThat(exchange(4)).isCloseTo(bytes / 8 / LINK + bytes * 6 / 8 / NETWORK + shared + 4 * 8e-6, within(1e-9));
    }

    /** Routed experts get their tokens by their exchange, so a mixture has half the collectives of a dense network. */
    @Test
    void tensorParallelismLeavesRoutedExpertsAlone() {
        TrainingJob job = job(Precision.BITS16, false);
        double head = 2 * 8 * 2 * (SEQUENCE * 6144.0 * 2 * 0.75 / LINK + 3 * HOP + BEGIN) / 2;
        double dense = estimate(model(false, 128), H100, job, strategy(4, 1, 1)).tensor() - head;
        double mixture =
                estimate(model(true, 128), H100, job, strategy(4, 8, 1)).tensor() - head;
        assertThat(mixture).isCloseTo(dense / 2, within(1e-9));
    }

    /** A narrow product hides less of the collective beside it than a wide one, and nothing hides behind attention. */
    @Test
    void aCollectiveHidesBehindTheProductBesideIt() {
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

    /** Tensors with one scale are cast before they are gathered; a scale for each column needs all rows first. */
    @Test
    void scalesOfRowsCostPassesAndGathers() {
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

    /** Exponentials of a score cost the same for every width of heads. */
    @ParameterizedTest
    @CsvSource({"a100_sxm_80gb,0.833", "h100,0.75", "b200_sxm_180gb,0.667", "b300_sxm_288gb,0.75"})
    void narrowHeadsWaitForExponentials(String card, double share) {
        TrainingMachine machine = machine(card);
        TrainingJob job = job(Precision.BITS16, false);
        double usual = machine.attentionRate(128, job);
        assertThat(machine.attentionRate(64, job) / usual).isCloseTo(share, within(1e-3));
        assertThat(machine.attentionRate(256, job)).isEqualTo(usual);
    }

    /** A score of Blackwell Ultra takes the products' time and half that of Blackwell's exponentials. */
    @Test
    void ultraHasTwiceTheExponentials() {
        TrainingMachine.Generation plain = TrainingMachine.Generation.BLACKWELL;
        TrainingMachine.Generation ultra = TrainingMachine.Generation.BLACKWELL_ULTRA;
        assertThat(ultra.attention() / plain.attention())
                .isCloseTo((1 + plain.exponents()) / (1 + ultra.exponents()), within(1e-3));
    }

    /** Measured all-reduces in a node of eight A100: 232 microseconds for 16 MiB, 93 for 2 MiB, which no link needs. */
    @ParameterizedTest
    @CsvSource({"8,16,232", "8,2,93", "4,16,180", "2,16,132"})
    void aRingTakesTimeToBegin(int members, int mebibytes, double micros) {
        TrainingMachine a100 = machine("a100_sxm_80gb");
        double bytes = mebibytes * (double) (1 << 20);
        double ring = (members - 1.0) / members * bytes / a100.ring(members, 1) + (members - 1) * a100.hop(members, 1);
        assertThat(2e6 * ring).isCloseTo(micros, within(0.2 * micros));
    }

    private static TrainingJob eager(double host) {
        return new TrainingJob(1024, 64, Precision.BITS16, 2, false, 1, 1, false, host, false, false, false, false);
    }

    /** Members of a group wait for each other at collectives as far as their hosts are not ahead. */
    @Test
    void hostsDelayCollectives() {
        Architecture small = new Architecture(
                "m",
                4,
                1024,
                16,
                16,
                64,
                64,
                4096,
                2,
                51_200,
                true,
                Architecture.Mixture.NONE,
                Architecture.Latent.NONE);
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

    /** Without fused attention a loss of single operations moves 52 bytes of each logit, and one that is fused 18. */
    @Test
    void aWrittenLossMovesMore() {
        Architecture wide = new Architecture(
                "m",
                1,
                128,
                1,
                1,
                128,
                128,
                128,
                2,
                1_024_000,
                true,
                Architecture.Mixture.NONE,
                Architecture.Latent.NONE);
        TrainingJob fused =
                new TrainingJob(1024, 64, Precision.BITS16, 2, true, 1, 1, false, 0, false, false, false, false);
        double step = estimate(wide, H100, eager(0), strategy(1, 1, 1)).step()
                - estimate(wide, H100, fused, strategy(1, 1, 1)).step();
        double logits = 8 * 1024 * 1_024_000.0;
        assertThat(step).isCloseTo(34 * logits / (3350e9 * 0.8), within(0.02 * step));
    }

    /** Tokens that leave in 8 bits and for no more than two of four domains take three quarters of the bytes to fewer of them. */
    @Test
    void routingLimitsTheDomainsOfAToken() {
        Architecture.Mixture wide = new Architecture.Mixture(32, 8, 2048, 0, 0, 1);
        Architecture model =
                new Architecture("m", 1, 4096, 32, 8, 128, 128, 2048, 3, 32_000, false, wide, Architecture.Latent.NONE);
        Strategy s = new Strategy(1, 1, 1, 32, 1, 32, 1, 1, 32, 1, false, Recompute.NONE, PipelineSchedule.ONE_F_ONE_B);
        double usual = exchange(model, s, TrainingJob.Exchange.unlimited(true));
        double limited = exchange(model, s, new TrainingJob.Exchange(true, 2, 2));
        double low = exchange(model, s, new TrainingJob.Exchange(true, 2, 1));
        double tokens = SEQUENCE * 4096.0 * 2;
        // A copy for each remote domain visited; of the eight copies a quarter goes to devices that are near.
        double near = 2 * tokens * 8 * 7 / 32 / LINK + 4 * 8e-6;
        double four = 4 * 0.75 * (1 - Math.pow(0.75, 8));
        double two = 2 * 0.75 * (1 - Math.pow(0.5, 8));
        assertThat(usual).isCloseTo(near + 2 * tokens * four / NETWORK, within(1e-9));
        assertThat(limited).isCloseTo(near + 2 * tokens * two / NETWORK, within(1e-9));
        assertThat(low - 4 * 8e-6).isCloseTo(0.75 * (limited - 4 * 8e-6), within(1e-9));
    }

    private static double exchange(Architecture model, Strategy s, TrainingJob.Exchange exchange) {
        TrainingJob job = new TrainingJob(
                SEQUENCE,
                32,
                Precision.BITS16,
                4,
                true,
                1,
                1,
                false,
                0,
                false,
                false,
                false,
                exchange,
                TrainingJob.Kept.DEFAULT);
        return estimate(model, H100, job, s).expert() / 2;
    }

    /** Of 15 borders between stages of two ranks three leave a domain of eight, and with eight ranks all do. */
    @Test
    void messagesLeaveADomainWhereAStageEndsThere() {
        TrainingMachine machine = TrainingMachine.of(CardFiles.hardware("h100"));
        double near = machine.message(2, 4);
        double far = machine.message(8, 16);
        assertThat(near).isGreaterThan(5 * far);
        assertThat(machine.message(2, 16)).isCloseTo(15 / (12 / near + 3 / far), within(1.0));
    }

    /** A border passes every micro-batch once in either direction, so that a step takes that long at least. */
    @Test
    void aStepIsNotShorterThanWhatABorderPasses() {
        double[] second = {1, 1, 1, 1};
        Strategy s = new Strategy(
                1, 2, 2, 1, 1, 1, 1, 0, 1, 1, false, Strategy.Recompute.NONE, PipelineSchedule.INTERLEAVED);
        assertThat(ClosedForm.makespan(s, 8, second, second, second, 0)).isEqualTo(8 * 6 + 1.5 * 2 / 2 * 2);
        assertThat(ClosedForm.makespan(s, 8, second, second, second, 10)).isGreaterThanOrEqualTo(8 * 2 * 10);
    }

    /** Nine tensors of each of 32 layers go round 63 others, 8 microseconds each, and nothing hides them. */
    @Test
    void tensorsThatAreSentOneByOneWaitForTheirRings() {
        Architecture model = Architecture.of(CardFiles.model("llama3_8b"));
        TrainingMachine machine = TrainingMachine.of(CardFiles.hardware("h100"));
        Layout layout = Layout.even(model.layers(), 1);
        Strategy s = new Strategy(1, 1, 1, 64, 1, 1, 1, 1, 64, 1, false, Recompute.FULL, PipelineSchedule.ONE_F_ONE_B);
        TrainingJob job =
                new TrainingJob(4096, 64, Precision.BITS16, 4, true, 1, 1, false, 0, false, true, false, false);
        double buckets = new StepModel(model, machine, job).estimate(s, layout).step();
        TrainingJob sending = job.keeping(TrainingJob.Kept.by(TrainingJob.Sharding.TENSORS));
        double tensors =
                new StepModel(model, machine, sending).estimate(s, layout).step();
        assertThat(tensors - buckets).isCloseTo(32 * 9 * 63 * 8e-6, within(1e-9));
    }

    /** Shards inside the fast links are gathered there, and only sums of gradients leave them, behind the last backward. */
    @Test
    void hybridShardsGatherOverTheFastLinks() {
        Architecture model = Architecture.of(CardFiles.model("llama3_8b"));
        TrainingMachine slow = H100.network(1e9);
        Layout layout = Layout.even(model.layers(), 1);
        TrainingJob job =
                new TrainingJob(4096, 512, Precision.BITS16, 4, true, 1, 1, false, 0, false, true, false, false);
        StepModel steps = new StepModel(model, slow, job);
        Strategy all =
                new Strategy(1, 1, 1, 64, 1, 1, 1, 3, 64, 1, false, Recompute.FULL, PipelineSchedule.ONE_F_ONE_B);
        Strategy near =
                new Strategy(1, 1, 1, 64, 1, 1, 1, 3, 8, 1, false, Recompute.FULL, PipelineSchedule.ONE_F_ONE_B);
        assertThat(steps.estimate(near, layout).step())
                .isLessThan(0.5 * steps.estimate(all, layout).step());
        // The sums take 2 x 7/8 of an eighth of the gradients over eight domains at 1 GB/s, beside the last backward.
        StepEstimate estimate = steps.estimate(near, layout);
        double sums = 2 * 7.0 / 8 * 4 * MemoryModel.maxRankWeights(model, near, layout)[0] / 8 / 0.8e9;
        double back = estimate.stageInput()[0] + estimate.stageWeight()[0];
        assertThat(estimate.step() - 8 * (estimate.stageForward()[0] + back) - estimate.optimizer())
                .isCloseTo(sums - 0.88 * back, within(0.02 * sums));
    }

    /** A V brings the last stage back to the first rank, and the head with it. */
    @Test
    void theHeadOfAVIsOnTheFirstRank() {
        Architecture model = Architecture.of(CardFiles.model("llama3_8b"));
        Strategy s = new Strategy(1, 4, 1, 1, 1, 1, 1, 0, 1, 1, false, Recompute.FULL, PipelineSchedule.ZB_V);
        MemoryModel memory = new MemoryModel(
                model, new TrainingJob(4096, 64, Precision.BITS16, 4, true, 1, 1, false, 0, false, true, false, false));
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
