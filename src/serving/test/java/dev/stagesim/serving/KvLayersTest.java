package dev.stagesim.serving;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.stagesim.model.card.CardFiles;
import dev.stagesim.model.card.ModelCard;
import dev.stagesim.sim.serving.memory.KvGroup;
import dev.stagesim.sim.serving.memory.KvSizing;
import dev.stagesim.sim.serving.memory.LayerCache;
import java.util.List;
import org.junit.jupiter.api.Test;

final class KvLayersTest {
    private static final int MAX_TOKENS = 100_000;

    private static List<LayerCache> layers(String model, boolean usesWindows) {
        return new KvLayers(CardFiles.model(model), 16, true, 0, 1, MAX_TOKENS).list(usesWindows, 0);
    }

    private static long count(List<KvGroup> groups, KvGroup.Kind kind) {
        return groups.stream().filter(group -> group.kind() == kind).count();
    }

    /** vLLM makes groups as large as the smallest kind, and as many groups per kind as its layers need. */
    @Test
    void groupsLayersOfOneKind() {
        List<KvGroup> oss = KvSizing.groups(layers("gpt_oss_20b", true));
        assertThat(oss).containsExactly(KvGroup.sliding(16, 128), KvGroup.full(16));

        List<KvGroup> gemma = KvSizing.groups(layers("gemma3_27b", true));
        // 52 layers with a window and 10 without: groups of 10.
        assertThat(count(gemma, KvGroup.Kind.SLIDING_WINDOW)).isEqualTo(6);
        assertThat(count(gemma, KvGroup.Kind.FULL)).isEqualTo(1);

        List<KvGroup> scout = KvSizing.groups(layers("llama4_scout", true));
        assertThat(count(scout, KvGroup.Kind.CHUNKED_LOCAL)).isEqualTo(3);
        assertThat(count(scout, KvGroup.Kind.FULL)).isEqualTo(1);
        assertThat(scout.get(0).window()).isEqualTo(8192);
    }

    @Test
    void createsNoGroupsForModelsWithoutWindows() {
        assertThat(layers("llama3_1_8b", true)).isEmpty();
        assertThat(layers("gpt_oss_20b", false)).isEmpty();
        // The window is longer than every sequence.
        assertThat(layers("microsoft_phi_3_mini_128k_instruct", true)).isEmpty();
        assertThat(layers("mistralai_mistral_7b_v0_1", true))
                .hasSize(32)
                .extracting(LayerCache::spec)
                .containsOnly(KvGroup.sliding(16, 4096));
    }

    /** A block of attention is as large as a state. 4 layers of attention and 27 with states give 8 groups of 4. */
    @Test
    void sizesABlockOfAttentionLikeAState() {
        ModelCard model = CardFiles.model("nvidia_nvidia_nemotron_nano_9b_v2");
        List<LayerCache> layers = layers("nvidia_nvidia_nemotron_nano_9b_v2", true);
        assertThat(layers).hasSize(31);
        LayerCache first = layers.get(0);
        assertThat(layers).extracting(LayerCache::pageBytes).containsOnly(first.pageBytes());
        double state = 2.0
                * model.hybrid().stateDim().orElseThrow()
                * model.hybrid().stateSize().orElseThrow();
        assertThat((double) first.pageBytes()).isBetween(state, 1.1 * state);
        assertThat(KvSizing.groups(layers)).hasSize(8);
        assertThat(layers.stream().filter(one -> one.spec().kind() == KvGroup.Kind.FULL))
                .hasSize(4);
    }

    /** If every second layer has a window, long sequences need about half of the cache, and short ones the same. */
    @Test
    void halvesTheCacheOfLongSequencesWithWindows() {
        long[] room = {40L << 30};
        KvSizing windows =
                KvSizing.of(layers("gpt_oss_20b", true), room, new KvSizing.Settings(MAX_TOKENS, 2048, 1, false, 0));
        KvSizing full =
                KvSizing.of(layers("gpt_oss_20b", true), room, new KvSizing.Settings(MAX_TOKENS, 2048, 1, true, 0));
        assertThat(windows.concurrency() / full.concurrency()).isCloseTo(2, within(0.1));
        assertThat(windows.blocks() * windows.bytesPerBlock()).isLessThanOrEqualTo(room[0]);
    }

    /** PEFT counts 41.9 million parameters for rank 16 on every projection of Llama 3 8B. */
    @Test
    void countsParametersOfAnAdapterByRank() {
        double values = new LoraSlots(CardFiles.model("llama3_1_8b"), 1).valuesPerRank();
        assertThat(16 * values).isEqualTo(41_943_040);
        // Devices share the output of the first projections and the input of the second ones.
        assertThat(new LoraSlots(CardFiles.model("llama3_1_8b"), 4).valuesPerRank())
                .isBetween(values / 4, values);
    }
}
