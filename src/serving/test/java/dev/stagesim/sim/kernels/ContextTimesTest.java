package dev.stagesim.sim.kernels;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.stagesim.model.card.CardFiles;
import dev.stagesim.model.card.ModelCard;
import dev.stagesim.model.card.Precision;
import dev.stagesim.model.hardware.AttentionKernels;
import dev.stagesim.model.hardware.HardwareCard;
import dev.stagesim.model.hardware.StepCard;
import dev.stagesim.predict.Operator;
import dev.stagesim.predict.OperatorTimes;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class ContextTimesTest {
    private static final int MAX_KV = 65_536;

    /** Prefill takes 1 ns per pair of query and key, decode 1 us per cached token. */
    private record Pairs(int kvStep) implements OperatorTimes {
        @Override
        public double milliseconds(Operator operator, int count) {
            return count;
        }

        @Override
        public double decodeMilliseconds(int batch, int kvTokens) {
            assertThat(kvTokens % kvStep).isZero();
            return batch * kvTokens * 1e-3;
        }

        @Override
        public double prefillMilliseconds(int kvTokens, int chunkTokens) {
            assertThat(kvTokens % kvStep).isZero();
            assertThat(kvTokens).isLessThanOrEqualTo(MAX_KV);
            return chunkTokens * (kvTokens + (chunkTokens + 1) / 2.0) * 1e-6;
        }

        @Override
        public Coverage coverage() {
            return new Coverage(1 << 20, 1 << 10, MAX_KV, 1 << 20, kvStep);
        }
    }

    /** Assigns tokens to ranks individually. */
    @RepeatedTest(40)
    void assignsTokensToRanksInTurn(RepetitionInfo repetition) {
        SplittableRandom random = new SplittableRandom(repetition.getCurrentRepetition());
        ContextSharding context =
                new ContextSharding(1 + random.nextInt(8), 1 + random.nextInt(4), 1 + random.nextInt(16));
        int[] maxTokensPerDevice = new int[context.ranks()];
        for (int token = 0; token < 500; token++) {
            assertThat(context.maxTokensPerDevice(token)).isEqualTo(maxTokensPerDevice[0]);
            assertThat(Arrays.stream(maxTokensPerDevice).min().orElseThrow())
                    .isBetween(maxTokensPerDevice[0] - context.interleave(), maxTokensPerDevice[0]);
            assertThat(Arrays.stream(maxTokensPerDevice).max().orElseThrow()).isEqualTo(maxTokensPerDevice[0]);
            maxTokensPerDevice[token / context.interleave() % maxTokensPerDevice.length]++;
        }
    }

    private static ContextTimes times(OperatorTimes operators, String model, int tensor, ContextSharding context) {
        return new ContextTimes(
                operators,
                CardFiles.model(model),
                CardFiles.hardware("h200"),
                CardFiles.engine("vllm_v1"),
                tensor,
                context);
    }

    /**
     * A chunk takes the fixed time of its kernel, the time by which it extends the kernel, and the time of its last tile of
     * 128 queries: on one multiprocessor, at half the cost if the attention is not latent.
     */
    @ParameterizedTest
    @CsvSource({"deepseek_v3, BF16, 192, 128, 1", "deepseek_v3, FP8, 192, 128, 1", "llama3_8b, BF16, 128, 128, 0.5"})
    void dividesPrefillAttentionIntoFixedAndAddedTimes(
            String name, Precision cache, int keyWidth, int valueWidth, double tiles) {
        ModelCard model = CardFiles.model(name).stored(Precision.BF16, Precision.BF16, cache);
        HardwareCard hardware = CardFiles.hardware("h200");
        LayerTimes times = new LayerTimes(model, hardware, CardFiles.engine("vllm_v1"), Sharding.tensor(1, 1));
        int chunk = 32_768;
        AttentionKernels card = hardware.kernels().attention();
        double products = 2 * (keyWidth + valueWidth) / card.attentionCompute();
        double operations = Math.cbrt(Math.pow(products, 3) + Math.pow(card.attentionExponential(), 3));
        double pairMs = operations / (hardware.bf16OrFp16Tflops().orElseThrow() * 1e9);
        double tile = 128 * hardware.kernels().multiprocessors() * pairMs * (chunk + card.attentionQueryKeys());
        assertThat(times.prefillKernelMilliseconds() + times.addedPrefillMilliseconds(0, chunk) + tiles * tile)
                .isCloseTo(times.prefillMilliseconds(0, chunk), within(1e-9));
    }

    @Test
    void addsNothingOnOneDevice() {
        ModelCard model = CardFiles.model("deepseek_v3");
        HardwareCard hardware = CardFiles.hardware("h200");
        StepCard engine = CardFiles.engine("vllm_v1");
        LayerTimes layers = new LayerTimes(model, hardware, engine, Sharding.tensor(8, 1));
        ContextTimes times = times(layers, "deepseek_v3", 8, ContextSharding.NONE);
        for (int kv : new int[] {16, 1024, 65536}) {
            assertThat(times.decodeMilliseconds(8, kv)).isEqualTo(layers.decodeMilliseconds(8, kv));
            assertThat(times.prefillMilliseconds(kv, 512)).isEqualTo(layers.prefillMilliseconds(kv, 512));
        }
        assertThat(times.milliseconds(Operator.MLP_UP_PROJ, 7)).isEqualTo(layers.milliseconds(Operator.MLP_UP_PROJ, 7));
        assertThat(times.coverage()).isEqualTo(layers.coverage());
    }

    /**
     * Long contexts become faster until the query heads are the bottleneck. Short contexts become slower by
     * communication.
     */
    @Test
    void isFasterOnlyForLongContexts() {
        LayerTimes layers = new LayerTimes(
                CardFiles.model("deepseek_v3"),
                CardFiles.hardware("h200"),
                CardFiles.engine("vllm_v1"),
                Sharding.tensor(8, 1));
        ContextTimes spread = times(layers, "deepseek_v3", 8, new ContextSharding(8, 1, 1));
        assertThat(spread.decodeMilliseconds(64, 1 << 17)).isLessThan(0.40 * layers.decodeMilliseconds(64, 1 << 17));
        assertThat(spread.decodeMilliseconds(64, 512)).isGreaterThan(layers.decodeMilliseconds(64, 512));
    }

    /**
     * Computes the time from the heads of a group: Llama 3 70B has 64 query and 8 KV heads of width 128 at two bytes
     * per value.
     */
    @RepeatedTest(20)
    void addsThreeExchangesToADecode(RepetitionInfo repetition) {
        SplittableRandom random = new SplittableRandom(repetition.getCurrentRepetition());
        int decode = 1 << random.nextInt(3);
        int groups = 1 + random.nextInt(2);
        int batch = 1 + random.nextInt(64);
        int kv = 16 * (1 + random.nextInt(2000));
        Links links = new Links(CardFiles.hardware("h200"));
        int spread = decode * groups;
        double own = Math.ceil(Math.ceil(kv / (double) spread) / 16) * 16 * batch * 1e-3;
        double headsOfGroup = 64 / 32.0 * decode;
        double vectors = 2 * batch * headsOfGroup * 128;
        double exchanged = 2 * links.allGather(vectors, decode)
                + links.allGather(4 * batch * headsOfGroup * decode, decode)
                + (groups == 1 ? 0 : 2 * 10 + (4 * batch * 2 * groups / 2.0 + 2 * batch * 2 * 128) / (0.7 * 50e3));
        assertThat(times(new Pairs(16), "llama3_70b", 32, new ContextSharding(decode, groups, 1))
                        .decodeMilliseconds(batch, kv))
                .isCloseTo(own + exchanged / 1e3, within(1e-9));
    }

    /**
     * Groups that share a prompt compute equal shares of its pairs, and gather the keys and values of the other groups.
     */
    @RepeatedTest(20)
    void dividesAPromptByPairs(RepetitionInfo repetition) {
        SplittableRandom random = new SplittableRandom(repetition.getCurrentRepetition());
        int groups = 1 + random.nextInt(4);
        int chunk = groups * 2 * (1 + random.nextInt(500));
        int kv = random.nextInt(5000);
        long pairs = 0;
        for (int token = 1; token <= chunk; token++) {
            pairs += kv + token;
        }
        Links links = new Links(CardFiles.hardware("h200"));
        double own = pairs * 1e-6 / groups;
        double exchanged = links.allGather(2.0 * chunk * 2 * 1024, groups)
                + (kv > 0 ? links.allGather(2.0 * kv * 2 * 1024, groups) : 0);
        double error = 1e-6 * chunk / groups; // The context before a share is a whole number of tokens.
        assertThat(times(new Pairs(1), "llama3_70b", 1, new ContextSharding(1, groups, 1))
                        .prefillMilliseconds(kv, chunk))
                .isCloseTo(own + exchanged / 1e3, within(error));
    }

    /** The times cover all contexts that the operator times cover. Pairs are extrapolated beyond them. */
    @RepeatedTest(40)
    void coversFullContexts(RepetitionInfo repetition) {
        SplittableRandom random = new SplittableRandom(repetition.getCurrentRepetition());
        int groups = 2 + random.nextInt(7);
        int chunk = groups * 2 * (1 + random.nextInt(4000));
        int kv = MAX_KV - 16 * random.nextInt(1 + chunk / 64);
        ContextTimes times = times(new Pairs(16), "llama3_70b", 1, new ContextSharding(1, groups, 1));
        double exchanged = gatherUs(2.0 * 2048 * chunk, groups, 1) + gatherUs(2.0 * 2048 * kv, groups, 1);
        double pairs = (double) chunk / groups * (kv + (chunk + 1) / 2.0);
        double error = 16.0 * chunk / groups * 1e-6; // Lengths are rounded up to 16.
        assertThat(times.prefillMilliseconds(kv, chunk)).isCloseTo(pairs * 1e-6 + exchanged / 1e3, within(error));
    }

    /** Corresponding ranks of two groups are one group apart, so groups of whole nodes communicate over the network. */
    @ParameterizedTest
    @CsvSource({"1, 4, 4", "4, 2, 2", "4, 4, 2", "2, 16, 4", "8, 2, 1", "8, 4, 1", "16, 2, 1"})
    void exchangesBetweenGroupsOverTheNetwork(int tensor, int groups, int inside) {
        int chunk = 4096;
        double bytes = 2.0 * 2 * Math.ceil(8.0 / tensor) * 128 * chunk;
        double exchanged = gatherUs(bytes, inside, groups / inside);
        double own = (double) chunk / groups * (chunk + 1) / 2 * 1e-6;
        assertThat(times(new Pairs(1), "llama3_70b", tensor, new ContextSharding(1, groups, 1))
                        .prefillMilliseconds(0, chunk))
                .isCloseTo(own + exchanged / 1e3, within(1e-6 * chunk / groups));
    }

    /** An NVLink domain of 8 devices with 450 GB/s at 79 %, and 400 Gbit/s of network at 70 % efficiency. */
    private static double gatherUs(double bytes, int inside, int nodes) {
        double transfer = bytes * (1 - 1.0 / inside) / 450e3;
        double within = inside == 1 ? 0 : 4.4 + 0.84 * (inside - 1) + 3.8 * Math.sqrt(transfer) + transfer / 0.79;
        return within + 10 * (nodes - 1) + bytes / inside * (1 - 1.0 / nodes) / (0.7 * 50e3);
    }
}
