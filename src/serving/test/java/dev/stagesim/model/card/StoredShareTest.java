package dev.stagesim.model.card;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.stagesim.model.KeyNames;
import dev.stagesim.model.KeyRecord;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Shares of stored precisions per layer group if the precision of a model is changed. */
final class StoredShareTest {
    private static final double ROUNDING = 1e-12;

    /** FP8 weights; attention and half of the state layers in 16 bits, 4-bit experts and a quarter of them in FP8. */
    private static final ModelCard MIXED = KeyRecord.with(
            ModelCard.class,
            CardFiles.model("qwen3_30b_a3b"),
            Map.of(
                    "weights",
                    Precision.FP8,
                    "storage",
                    List.of(
                            new StoredShare(LayerGroup.ATTENTION, Precision.BF16, 1),
                            new StoredShare(LayerGroup.STATE, Precision.BF16, 0.5),
                            new StoredShare(LayerGroup.DENSE, Precision.NVFP4, 1),
                            new StoredShare(LayerGroup.EXPERTS, Precision.NVFP4, 0.75))));

    @Test
    void keepsGroupsWhenTheCachePrecisionChanges() {
        ModelCard stored = MIXED.stored(Precision.FP8, MIXED.expertPrecision(), Precision.FP8);
        for (LayerGroup group : LayerGroup.values()) {
            assertThat(stored.stored(group)).as(group.name()).isEqualTo(MIXED.stored(group));
        }
        assertThat(stored.formats().kvCache()).isEqualTo(Precision.FP8);
    }

    @Test
    void replacesAllGroupsExceptWiderOnes() {
        for (Precision weights : List.of(Precision.BF16, Precision.INT8, Precision.INT4)) {
            ModelCard stored = MIXED.stored(weights, weights, Precision.BF16);
            assertThat(stored.bytes(LayerGroup.ATTENTION)).isEqualTo(2);
            assertThat(stored.bytes(LayerGroup.STATE)).isCloseTo((2 + weights.bytes()) / 2, within(ROUNDING));
            for (LayerGroup group : List.of(LayerGroup.DENSE, LayerGroup.EXPERTS, LayerGroup.SHARED_EXPERTS)) {
                assertThat(stored.bytes(group)).as(group.name()).isEqualTo(weights.bytes());
            }
        }
    }

    @Test
    void replacesOnlyTheGroupOfExperts() {
        ModelCard stored = MIXED.stored(Precision.FP8, Precision.BF16, Precision.BF16);
        assertThat(stored.bytes(LayerGroup.EXPERTS)).isEqualTo(2);
        assertThat(stored.bytes(LayerGroup.DENSE)).isEqualTo(Precision.NVFP4.bytes());
        assertThat(stored.expertPrecision()).isEqualTo(Precision.BF16);
    }

    @Test
    void keepsRequestedExpertsWhenWeightsChange() {
        ModelCard stored = MIXED.stored(Precision.BF16, MIXED.expertPrecision(), Precision.BF16);
        assertThat(stored.stored(LayerGroup.EXPERTS)).isEqualTo(MIXED.stored(LayerGroup.EXPERTS));
        assertThat(stored.bytes(LayerGroup.DENSE)).isEqualTo(2);
    }

    /** The rest of a group is stored in the precision of the card's weights. */
    @Test
    void sumsSharesOfEveryGroupToOne() {
        for (LayerGroup group : LayerGroup.values()) {
            for (double share : new double[] {1e-9, 0.3, 1 - 1e-12, 1}) {
                List<StoredShare> parts = with(List.of(new StoredShare(group, Precision.INT4, share)))
                        .stored(group);
                assertThat(parts.stream().mapToDouble(StoredShare::share).sum()).isCloseTo(1, within(1e-8));
                assertThat(parts).hasSize(share > 1 - 1e-9 ? 1 : 2);
            }
            assertThat(with(List.of()).stored(group)).hasSize(1);
        }
    }

    @Test
    void rejectsSharesAboveOne() {
        for (LayerGroup group : LayerGroup.values()) {
            List<StoredShare> two =
                    List.of(new StoredShare(group, Precision.INT4, 0.6), new StoredShare(group, Precision.FP8, 0.5));
            assertThatThrownBy(() -> with(two))
                    .as(group.name())
                    .hasStackTraceContaining(KeyNames.constant(group) + " in storage add up to 1.1");
        }
    }

    private static ModelCard with(List<StoredShare> storage) {
        return KeyRecord.with(ModelCard.class, CardFiles.model("qwen3_30b_a3b"), Map.of("storage", storage));
    }

    @Test
    void returnsThePrecisionOfMostExperts() {
        assertThat(MIXED.expertPrecision()).isEqualTo(Precision.NVFP4);
        ModelCard plain = KeyRecord.with(
                ModelCard.class, MIXED, Map.of("storage", List.of(), "expertWeights", Optional.of(Precision.INT4)));
        assertThat(plain.expertPrecision()).isEqualTo(Precision.INT4);
    }
}
