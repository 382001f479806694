package dev.stagesim.verify.vidur;

import dev.stagesim.model.Confidence;
import dev.stagesim.model.ModelCard;
import dev.stagesim.sim.serving.ModelShape;
import java.util.Map;
import java.util.Optional;

/** Model cards with the dimensions that the reference simulator selects profiling rows by. */
final class VidurCards {
    private static final int GATED = 3;
    private static final int PLAIN = 2;
    private static final int MAX_POSITION = 32768;

    private static final Map<String, Integer> VOCABULARIES = Map.of(
            "codellama/CodeLlama-34b-Instruct-hf", 32768,
            "meta-llama/Llama-2-7b-hf", 32768,
            "meta-llama/Llama-2-70b-hf", 32768,
            "meta-llama/Meta-Llama-3-8B", 128256,
            "meta-llama/Meta-Llama-3-70B", 128256,
            "microsoft/phi-2", 51200,
            "Qwen/Qwen-2-7B", 151936);

    private VidurCards() {}

    static ModelCard model(String name) {
        ModelShape shape = VidurSkus.model(name);
        Integer vocabulary = VOCABULARIES.get(name);
        if (vocabulary == null) {
            throw new IllegalArgumentException("no profile is known for " + name);
        }
        return new ModelCard(
                name,
                "reference",
                shape.groupedQuery() ? ModelCard.Attention.GQA : ModelCard.Attention.MHA,
                shape.embedding(),
                shape.layers(),
                shape.queryHeads(),
                shape.kvHeads(),
                shape.headDim(),
                shape.mlpHidden(),
                shape.gatedMlp() ? GATED : PLAIN,
                shape.postAttentionNorm(),
                false,
                vocabulary,
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                MAX_POSITION,
                false,
                1,
                Confidence.HIGH,
                "dimensions of the reference simulator",
                Optional.empty());
    }
}
