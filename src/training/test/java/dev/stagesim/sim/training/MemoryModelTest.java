package dev.stagesim.sim.training;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.stagesim.model.card.CardFiles;
import dev.stagesim.sim.training.Strategy.Recompute;
import dev.stagesim.sim.training.schedule.PipelineSchedule;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class MemoryModelTest {
    private static final double GIB = 1L << 30;

    private static TrainingJob job(int sequence, boolean isFlash, double gradientBytes) {
        return new TrainingJob(
                sequence,
                512,
                TrainingMachine.Precision.BITS16,
                new TrainingJob.Kernels(isFlash, 1, 1, 0),
                TrainingJob.Overlap.NONE,
                TrainingJob.Exchange.unlimited(false),
                new TrainingJob.Storage(gradientBytes, false, 4, false, false, 6, TrainingJob.Sharding.BUCKETS));
    }

    private static Strategy strategy(int t, int p, int d, int c, int zero, Recompute recompute, boolean isSequence) {
        return new Strategy(
                new Strategy.Degrees(t, p, d, c, 1, 1),
                PipelineSchedule.ONE_F_ONE_B,
                1,
                zero,
                d * c,
                1,
                isSequence,
                recompute);
    }

    @ParameterizedTest
    @CsvSource({"4,1,1,1,4", "4,2,1,2,8", "4,2,2,2,4", "1,8,4,8,2", "1,8,4,4,1", "4,8,8,1,1", "4,8,1,1,1"})
    void shardsExpertStatesLikeDenseStates(int t, int d, int expert, int shardGroup, int shards) {
        Strategy s = new Strategy(
                new Strategy.Degrees(t, 1, d, 1, expert, 1),
                PipelineSchedule.ONE_F_ONE_B,
                1,
                1,
                shardGroup,
                1,
                false,
                Recompute.NONE);
        assertThat(s.expertShards()).isEqualTo(shards);
    }

    /** Activations of a layer of arXiv 2205.05198: s b h (10 + 24/t + 5 a s/(h t)), all divided by t with sequence parallelism. */
    @ParameterizedTest
    @CsvSource({"1,false", "8,false", "8,true"})
    void equalsThePublishedFormulaOfActivations(int t, boolean isSequence) {
        double h = 12288;
        int s = 2048;
        Architecture gpt = new Architecture(
                "gpt",
                96,
                h,
                new Architecture.Attention(96, 96, 128, 128, Architecture.Latent.NONE),
                4 * h,
                2,
                51200,
                true,
                Architecture.Mixture.NONE);
        Strategy strategy = strategy(t, 2, 1, 1, 0, Recompute.NONE, isSequence);
        double kept = new MemoryModel(gpt, job(s, false, 4))
                .rank(strategy, Layout.even(96, 2), 1)
                .activations();
        double attention = 5.0 * 96 * s / h;
        double layer = isSequence ? s * h / t * (34 + attention) : s * h * (10 + 24.0 / t + attention / t);
        assertThat(kept).isCloseTo(48 * layer, within(1e-9 * kept));
    }

    /** Allocated memory measured on B200 for Llama 3 70B cut to 12 layers. */
    @ParameterizedTest
    @CsvSource({"1,2,4,1,4096,66.55", "2,1,4,1,4096,60.68", "8,1,1,1,4096,28.29", "1,1,1,8,131072,147.99"})
    void isCloseToMeasuredAllocations(int t, int p, int d, int c, int sequence, double measured) {
        Architecture full = Architecture.of(CardFiles.model("llama3_70b"));
        Architecture cut = new Architecture(
                "cut",
                12,
                full.hidden(),
                full.attention(),
                full.feedForward(),
                3,
                full.vocabulary(),
                false,
                full.mixture());
        double ours = new MemoryModel(cut, job(sequence, true, 4))
                .fullest(strategy(t, p, d, c, 1, Recompute.NONE, t > 1), Layout.even(12, p))
                .total();
        assertThat(ours / GIB).isCloseTo(measured, within(0.04 * measured));
    }

    @ParameterizedTest
    @ValueSource(strings = {"llama3_8b", "qwen3_30b_a3b", "deepseek_v3"})
    void savesMemoryWithRecomputationAndSharding(String name) {
        Architecture model = Architecture.of(CardFiles.model(name));
        MemoryModel memory = new MemoryModel(model, job(4096, true, 4));
        Layout layout = Layout.even(model.layers(), 1);
        double none = total(memory, layout, 1, Recompute.NONE);
        assertThat(total(memory, layout, 1, Recompute.POINTWISE)).isLessThan(none);
        assertThat(total(memory, layout, 1, Recompute.MODULES)).isLessThan(none);
        assertThat(total(memory, layout, 1, Recompute.FULL))
                .isLessThan(total(memory, layout, 1, Recompute.HALF))
                .isLessThan(total(memory, layout, 1, Recompute.MODULES));
        for (int zero = 0; zero < 3; zero++) {
            assertThat(total(memory, layout, zero + 1, Recompute.FULL))
                    .isLessThan(total(memory, layout, zero, Recompute.FULL));
        }
    }

    /** A token of Llama 3 8B: input, attention, query, value, gate and down; 8-bit products leave input and attention. */
    @Test
    void keepsEverySecondProductWithTheOperatorPolicy() {
        Architecture model = Architecture.of(CardFiles.model("llama3_8b"));
        Layout layout = Layout.even(model.layers(), 1);
        MemoryModel plain = new MemoryModel(model, job(4096, true, 4));
        Strategy operators = strategy(1, 1, 1, 1, 0, Recompute.OPERATORS, false);
        double bytes = 4096 * 32 * (2.0 * (4096 + 4096 + 4096 + 1024 + 14336 + 4096));
        assertThat(plain.rank(operators, layout, 0).activations()).isEqualTo(bytes + 8 * 4096);
        MemoryModel low = new MemoryModel(model, low(TrainingJob.Storage.DEFAULT));
        assertThat(low.rank(operators, layout, 0).activations()
                        / low(TrainingJob.Storage.DEFAULT).sequence())
                .isEqualTo(32 * 2.0 * (4096 + 4096) + 8);
        // The outputs of both reduce-scatters, in shares of the sequence.
        double divided = plain.rank(strategy(8, 1, 1, 1, 0, Recompute.OPERATORS, true), layout, 0)
                .activations();
        assertThat(divided).isEqualTo(4096 * 32 * (2.0 * (512 + 512 + 1024 + 512 + 128 + 1792 + 4096)) + 8 * 4096);
    }

    private static double total(MemoryModel memory, Layout layout, int zero, Recompute recompute) {
        return memory.fullest(strategy(1, 1, 16, 1, zero, recompute, false), layout)
                .total();
    }

    /** Bytes per weight: 3 + 4 + 12 in 8-bit training by default, and 2 + 4 + 8 with 8-bit weights only and 16-bit moments. */
    @Test
    void countsTheBytesOfStatesAndActivations() {
        Architecture model = Architecture.of(CardFiles.model("llama3_8b"));
        Layout layout = Layout.even(model.layers(), 1);
        Strategy s = strategy(1, 1, 1, 1, 0, Recompute.NONE, false);
        MemoryModel.Rank usual = new MemoryModel(model, low(TrainingJob.Storage.DEFAULT)).rank(s, layout, 0);
        MemoryModel.Rank few = new MemoryModel(
                        model, low(new TrainingJob.Storage(4, false, 2, true, true, 6, TrainingJob.Sharding.BUCKETS)))
                .rank(s, layout, 0);
        double weights = usual.gradients() / 4;
        assertThat(usual.weights()).isCloseTo(3 * weights, within(1e-6 * weights));
        assertThat(few.weights()).isCloseTo(2 * weights, within(1e-6 * weights));
        assertThat(usual.optimizer()).isCloseTo(12 * weights, within(1e-6 * weights));
        assertThat(few.optimizer()).isCloseTo(8 * weights, within(1e-6 * weights));
        // The head of 4,096 tokens and 128,256 words.
        MemoryModel.Rank plain = new MemoryModel(
                        model,
                        low(new TrainingJob.Storage(4, false, 4, false, false, 14, TrainingJob.Sharding.BUCKETS)))
                .rank(s, layout, 0);
        assertThat(usual.head()).isEqualTo(6.0 * 4096 * 128_256);
        assertThat(plain.head()).isEqualTo(14.0 * 4096 * 128_256);
        // Gate and up of 32 layers, a byte less for each of 4,096 tokens.
        assertThat(usual.activations() - few.activations()).isCloseTo(32 * 4096 * 2 * 14_336.0, within(1.0));
    }

    /**
     * Bytes per weight on one of four replicas. A quarter of the optimizer states and of the gradient copies is stored. 32-bit gradients are
     * accumulated in addition to 16-bit ones and not copied.
     */
    @ParameterizedTest
    @CsvSource({"2, 2, 2, 4.5", "4, 2, 6, 3"})
    void addsGradientCopiesOfDeepSpeed(int gradient, double weights, double gradients, double optimizer) {
        Architecture model = Architecture.of(CardFiles.model("llama3_8b"));
        Layout layout = Layout.even(model.layers(), 1);
        Strategy s = strategy(1, 1, 4, 1, 1, Recompute.NONE, false);
        TrainingJob job = new TrainingJob(
                4096,
                4,
                TrainingMachine.Precision.BITS16,
                TrainingJob.Kernels.FUSED,
                TrainingJob.Overlap.NONE,
                TrainingJob.Exchange.unlimited(false),
                new TrainingJob.Storage(gradient, false, 4, false, false, 6, TrainingJob.Sharding.DEEPSPEED));
        MemoryModel.Rank rank = new MemoryModel(model, job).rank(s, layout, 0);
        double each = rank.weights() / weights;
        assertThat(rank.gradients() / each).isCloseTo(gradients, within(1e-9));
        assertThat(rank.optimizer() / each).isCloseTo(optimizer, within(1e-9));
    }

    /** The first of two stages keeps 2 bytes x 4,096 tokens x 4,096 values for two micro-batches. The last stage sends nothing. */
    @Test
    void keepsSentActivationsWithDeepSpeed() {
        Architecture model = Architecture.of(CardFiles.model("llama3_8b"));
        Layout layout = Layout.even(model.layers(), 2);
        Strategy s = strategy(1, 2, 1, 1, 1, Recompute.FULL, false);
        MemoryModel usual =
                new MemoryModel(model, low(TrainingJob.Storage.DEFAULT).batch(4096, 8));
        MemoryModel kept = new MemoryModel(
                model,
                low(new TrainingJob.Storage(4, false, 4, false, false, 6, TrainingJob.Sharding.DEEPSPEED))
                        .batch(4096, 8));
        double sent = 2 * 2.0 * 4096 * 4096;
        assertThat(kept.rank(s, layout, 0).activations()
                        - usual.rank(s, layout, 0).activations())
                .isCloseTo(sent, within(1.0));
        assertThat(kept.rank(s, layout, 1).activations())
                .isEqualTo(usual.rank(s, layout, 1).activations());
    }

    private static TrainingJob low(TrainingJob.Storage kept) {
        return new TrainingJob(
                4096,
                1,
                TrainingMachine.Precision.BITS8,
                TrainingJob.Kernels.FUSED,
                TrainingJob.Overlap.NONE,
                TrainingJob.Exchange.unlimited(true),
                kept);
    }
}
