package dev.stagesim.sim.mnk;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.model.card.CardFiles;
import dev.stagesim.model.card.ModelCard;
import dev.stagesim.model.card.ModelFeature;
import java.io.IOException;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

final class TransformerLayersTest {
    private static final Set<ModelFeature> MODELLED_OR_STORED = EnumSet.of(ModelFeature.STORAGE);

    static {
        MODELLED_OR_STORED.addAll(TransformerLayers.MODELLED);
    }

    private static List<MnkLayer> layers(ModelCard model, int batch, int sequence, TransformerPhase phase) {
        return TransformerLayers.of(
                model, batch, sequence, model.shape().numLayers(), phase, Parallelism.DATA, new Cluster(8, 1));
    }

    private static Map<String, MnkLayer> byName(List<MnkLayer> layers) {
        return layers.stream().collect(Collectors.toMap(MnkLayer::name, Function.identity()));
    }

    /** Shipped cards with only modelled features; runs of other cards warn. */
    static List<String> modelledCards() throws IOException {
        return CardFiles.models().stream()
                .filter(option -> ModelFeature.unmodelled(CardFiles.model(option), MODELLED_OR_STORED)
                        .isEmpty())
                .toList();
    }

    /** Every weight of a card is in exactly one layer. */
    @ParameterizedTest
    @MethodSource("modelledCards")
    void sumsWeightsToTheParametersOfTheCard(String option) {
        assertWeights(CardFiles.model(option));
    }

    @Test
    void countsLatentExpertsAndTheirProjections() {
        assertWeights(CardFiles.model("mixtral_8x7b", new String[] {"model.moe_hidden_size=1024"}));
    }

    private static void assertWeights(ModelCard model) {
        long weights = layers(model, 64, 64, TransformerPhase.TRAINING).stream()
                .filter(layer -> !layer.type().isAttention())
                .mapToLong(layer -> (long) layer.n() * layer.k() * layer.count())
                .sum();
        long head = model.tieEmbeddings()
                ? (long) model.shape().vocabSize() * model.shape().hiddenSize()
                : 0;
        assertThat(weights - head).isEqualTo(model.size().parameters());
    }

    @Test
    void combinesHeadsThatShareKeys() {
        ModelCard model = CardFiles.model("llama3_8b");
        Map<String, MnkLayer> decode = byName(layers(model, 16, 1000, TransformerPhase.DECODE));
        MnkLayer score = decode.get("layer3.score");
        assertThat(List.of(score.m(), score.n(), score.k(), score.count())).containsExactly(4, 1000, 128, 16 * 8);
        MnkLayer context = decode.get("layer3.context");
        assertThat(List.of(context.m(), context.n(), context.k())).containsExactly(4, 128, 1000);
        assertThat(decode.get("layer3.qkv").m()).isEqualTo(16);
        Map<String, MnkLayer> prefill = byName(layers(model, 16, 1000, TransformerPhase.PREFILL));
        assertThat(prefill.get("layer3.qkv").m()).isEqualTo(16_000);
        assertThat(prefill.get("lm_head").m()).isEqualTo(16);
    }

    @Test
    void shortensKeysOnlyInWindowedLayers() {
        Map<String, MnkLayer> layers = byName(layers(CardFiles.model("gemma3_12b"), 1, 4096, TransformerPhase.PREFILL));
        assertThat(layers.get("layer4.score").n()).isEqualTo(1024);
        assertThat(layers.get("layer5.score").n()).isEqualTo(4096);
    }

    @Test
    void dividesTokensAmongExperts() {
        ModelCard model = CardFiles.model("mixtral_8x7b");
        MnkLayer many = byName(layers(model, 8, 100, TransformerPhase.PREFILL)).get("layer0.expert_ffn_down");
        assertThat(List.of(many.m(), many.count())).containsExactly(200, 8);
        MnkLayer few = byName(layers(model, 3, 100, TransformerPhase.DECODE)).get("layer0.expert_ffn_down");
        assertThat(List.of(few.m(), few.count())).containsExactly(1, 6);
    }

    @Test
    void padsTheVocabularyToWholeShares() {
        ModelCard model = CardFiles.model("gpt3_175b");
        List<MnkLayer> layers =
                TransformerLayers.of(model, 1, 16, 1, TransformerPhase.TRAINING, Parallelism.MODEL, new Cluster(8, 1));
        assertThat(byName(layers).get("lm_head").n()).isEqualTo(50_264);
    }

    @Test
    void exchangesNoWeightsOfAttention() {
        Cluster cluster = new Cluster(4, 2);
        MnkLayer score = new MnkLayer("s", 8, 16, 32, Parallelism.HYBRID_DATA_MODEL, LayerType.SCORE, 12);
        assertThat(score.work(Pass.FORWARD, cluster)).containsExactly(new Work(new Gemm(8, 32, 16), 3));
        assertThat(score.work(Pass.INPUT_GRADIENT, cluster))
                .containsExactly(new Work(new Gemm(8, 16, 32), 3), new Work(new Gemm(32, 8, 16), 3));
        assertThat(score.work(Pass.WEIGHT_GRADIENT, cluster)).isEmpty();
        assertThat(score.collective(Pass.FORWARD, cluster, 2)).isEqualTo(Collective.NONE);
        assertThat(score.collective(Pass.WEIGHT_GRADIENT, cluster, 2)).isEqualTo(Collective.NONE);
        MnkLayer context = new MnkLayer("c", 8, 32, 16, Parallelism.MODEL, LayerType.CONTEXT, 12);
        assertThat(context.collective(Pass.FORWARD, cluster, 2))
                .isEqualTo(new Collective("ALLGATHER", 8 * 32 * 12 / 2));
    }

    @Test
    void exchangesTheGradientOfEmbeddingTables() {
        Cluster cluster = new Cluster(4, 2);
        MnkLayer table = new MnkLayer("e", 64, 32, 1000, Parallelism.DATA, LayerType.EMBEDDING, 1);
        assertThat(table.work(Pass.FORWARD, cluster)).isEmpty();
        assertThat(table.lookedUp(Pass.FORWARD, cluster)).isEqualTo(16 * 32);
        assertThat(table.lookedUp(Pass.INPUT_GRADIENT, cluster)).isZero();
        assertThat(table.collective(Pass.WEIGHT_GRADIENT, cluster, 2))
                .isEqualTo(new Collective("ALLREDUCE", 1000 * 32 * 2));
    }
}
