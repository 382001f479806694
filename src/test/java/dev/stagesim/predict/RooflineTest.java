package dev.stagesim.predict;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;
import static org.quicktheories.QuickTheory.qt;
import static org.quicktheories.generators.SourceDSL.arbitrary;
import static org.quicktheories.generators.SourceDSL.integers;

import dev.stagesim.model.CardFiles;
import dev.stagesim.model.ModelCard;
import dev.stagesim.model.StageException;
import java.util.List;
import org.junit.jupiter.api.Test;

final class RooflineTest {
    /** Computing is free: times are bytes over bandwidth. */
    private static final DeviceRates MEMORY_BOUND = new DeviceRates(1e30, 1e30, 1e9, 0, 1e9, 1e9, 0, 0, 0);

    /** Moving is free: times are operations over rate. */
    private static final DeviceRates COMPUTE_BOUND = new DeviceRates(1e12, 1e12, 1e30, 0, 1e9, 1e9, 0, 0, 0);

    private static final DeviceRates A100 =
            new DeviceRates(271.2e12, 187.2e12, 1631e9, 3e-6, 240e9, 20e9, 8.4e-6, 3.4e-6, 14e-6);

    private static final List<Operator> TOKEN_OPERATORS = List.of(
            Operator.ATTN_PRE_PROJ,
            Operator.ATTN_POST_PROJ,
            Operator.ATTN_ROPE,
            Operator.ATTN_KV_CACHE_SAVE,
            Operator.MLP_UP_PROJ,
            Operator.MLP_ACT,
            Operator.MLP_DOWN_PROJ,
            Operator.INPUT_LAYERNORM,
            Operator.POST_ATTENTION_LAYERNORM,
            Operator.ADD);

    private static final List<String> MODELS = List.of(
            "qwen3", "llama2_7b", "llama3_70b", "qwen3_30b_a3b", "mixtral_8x7b", "phi2", "gemma3_27b", "gpt_oss_20b");

    /** Operations of one layer's matrices are twice its weights per token; the head's width is the card's own. */
    @Test
    void linearLayersCostTwiceTheWeights() {
        ModelCard qwen3 = CardFiles.model("qwen3");
        Roofline roofline = new Roofline(qwen3, COMPUTE_BOUND, 1);
        double weights = 1024 * (16 + 2 * 8) * 128.0 + 1024 * 16 * 128.0 + 3 * 1024 * 3072.0;
        double ms = roofline.milliseconds(Operator.ATTN_PRE_PROJ, 5)
                + roofline.milliseconds(Operator.ATTN_POST_PROJ, 5)
                + roofline.milliseconds(Operator.MLP_UP_PROJ, 5)
                + roofline.milliseconds(Operator.MLP_DOWN_PROJ, 5);
        assertThat(ms).isCloseTo(2 * 5 * weights / 1e12 * 1e3, within(1e-12));
    }

    @Test
    void oneTokenReadsEveryWeightOnce() {
        Roofline roofline = new Roofline(CardFiles.model("llama2_7b"), MEMORY_BOUND, 1);
        double bytes = 2 * (4096.0 * 4096 + 4096 + 4096);
        assertThat(roofline.milliseconds(Operator.ATTN_POST_PROJ, 1)).isCloseTo(bytes / 1e9 * 1e3, within(1e-9));
    }

    @Test
    void decodeReadsTheCacheOfEveryRequest() {
        Roofline roofline = new Roofline(CardFiles.model("llama3_8b"), MEMORY_BOUND, 1);
        double values = 128 * (2 * 32 + 2 * 8 * 1001.0);
        assertThat(roofline.decodeMilliseconds(3, 1000)).isCloseTo(3 * 2 * values / 1e9 * 1e3, within(1e-9));
    }

    @Test
    void prefillFormsCausalPairs() {
        Roofline roofline = new Roofline(CardFiles.model("llama2_7b"), COMPUTE_BOUND, 1);
        double pairs = 100 * 50 + 100 * 101 / 2.0;
        assertThat(roofline.prefillMilliseconds(50, 100)).isCloseTo(4 * 32 * 128 * pairs / 1e12 * 1e3, within(1e-9));
    }

    @Test
    void allReduceMovesTwiceTheDataLessOneShare() {
        ModelCard llama = CardFiles.model("llama2_7b");
        Roofline roofline = new Roofline(llama, MEMORY_BOUND, 4);
        double bytes = 2.0 * 10 * 4096;
        assertThat(roofline.milliseconds(Operator.ALL_REDUCE, 10)).isCloseTo(1.5 * bytes / 1e9 * 1e3, within(1e-12));
        DeviceRates slow = new DeviceRates(1e30, 1e30, 1e30, 0, 1e30, 1e30, 5e-6, 2e-6, 9e-6);
        assertThat(new Roofline(llama, slow, 4).milliseconds(Operator.ALL_REDUCE, 1))
                .isCloseTo(0.017, within(1e-9));
        assertThat(new Roofline(llama, slow, 1).sendRecvMilliseconds(1, false)).isCloseTo(0.014, within(1e-9));
    }

    @Test
    void everyExpertIsReadOnceManyTokensCome() {
        ModelCard mixtral = CardFiles.model("mixtral_8x7b");
        Roofline roofline = new Roofline(mixtral, MEMORY_BOUND, 1);
        double expert = 4096.0 * 14336;
        double one = roofline.milliseconds(Operator.MLP_DOWN_PROJ, 1);
        assertThat(one).isCloseTo(2 * 2 * expert / 1e9 * 1e3, within(one * 0.01));
        double many = roofline.milliseconds(Operator.MLP_DOWN_PROJ, 64);
        assertThat(many).isCloseTo(8 * 2 * expert / 1e9 * 1e3, within(many * 0.02));
    }

    @Test
    void denseAndExpertLayersAreAveraged() {
        ModelCard maverick = CardFiles.model("llama4_maverick");
        Roofline roofline = new Roofline(maverick, COMPUTE_BOUND, 1);
        double dense = 2 * 5120.0 * 16384;
        double experts = 2 * 5120.0 * (8192 + 8192);
        assertThat(roofline.milliseconds(Operator.MLP_DOWN_PROJ, 1))
                .isCloseTo((dense + experts) / 2 / 1e12 * 1e3, within(1e-9));
    }

    @Test
    void aModelWithoutSecondNormTakesNoTimeForIt() {
        assertThat(new Roofline(CardFiles.model("phi2"), A100, 1).milliseconds(Operator.POST_ATTENTION_LAYERNORM, 512))
                .isZero();
    }

    @Test
    void normalisedQueriesCostTwoMoreKernels() {
        DeviceRates kernelsOnly = new DeviceRates(1e30, 1e30, 1e30, 1e-6, 1e9, 1e9, 0, 0, 0);
        assertThat(new Roofline(CardFiles.model("qwen3"), kernelsOnly, 1).milliseconds(Operator.ATTN_ROPE, 1))
                .isCloseTo(0.003, within(1e-9));
        assertThat(new Roofline(CardFiles.model("llama2_7b"), kernelsOnly, 1).milliseconds(Operator.ATTN_ROPE, 1))
                .isCloseTo(0.001, within(1e-9));
    }

    @Test
    void timesArePositiveAndNeverFallWithSize() {
        qt().withExamples(300)
                .forAll(
                        arbitrary().pick(MODELS),
                        arbitrary().pick(TOKEN_OPERATORS),
                        integers().between(1, 8192),
                        integers().between(0, 8192))
                .checkAssert((name, operator, tokens, more) -> {
                    Roofline roofline = new Roofline(CardFiles.model(name), A100, 1);
                    double ms = roofline.milliseconds(operator, tokens);
                    assertThat(ms).isNotNegative().isFinite();
                    assertThat(roofline.milliseconds(operator, tokens + more)).isGreaterThanOrEqualTo(ms * (1 - 1e-12));
                    double prefill = roofline.prefillMilliseconds(more, tokens);
                    assertThat(prefill).isPositive();
                    assertThat(roofline.prefillMilliseconds(more, tokens + 1)).isGreaterThanOrEqualTo(prefill);
                    double decode = roofline.decodeMilliseconds(tokens, more);
                    assertThat(roofline.decodeMilliseconds(tokens + 1, more)).isGreaterThanOrEqualTo(decode);
                    assertThat(roofline.decodeMilliseconds(tokens, more + 1)).isGreaterThanOrEqualTo(decode);
                });
    }

    @Test
    void splittingNeverSlowsComputing() {
        for (Operator operator : TOKEN_OPERATORS) {
            double one = new Roofline(CardFiles.model("llama3_70b"), A100, 1).milliseconds(operator, 512);
            double four = new Roofline(CardFiles.model("llama3_70b"), A100, 4).milliseconds(operator, 512);
            assertThat(four).as(operator.column()).isLessThanOrEqualTo(one);
        }
    }

    @Test
    void latentAttentionAndUnevenSplitsAreRefused() {
        assertThatThrownBy(() -> new Roofline(CardFiles.model("deepseek_v3"), A100, 1))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("mla");
        assertThatThrownBy(() -> new Roofline(CardFiles.model("qwen3"), A100, 3))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("3 does not divide the 16 query heads");
    }
}
