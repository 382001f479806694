package dev.stagesim.io.hf;

import dev.stagesim.io.hf.Family.Trait;
import dev.stagesim.io.hf.LayerPlan.Feed;
import dev.stagesim.io.hf.LayerPlan.Mixer;
import dev.stagesim.io.json.LocatedJson;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Counts weights outside of attention, feed-forward parts and states. */
final class OtherWeights {
    private final LocatedJson text;
    private final Family family;
    private final List<LayerPlan> layers;
    private final long hidden;

    OtherWeights(LocatedJson text, Family family, List<LayerPlan> layers, int hidden) {
        this.text = text;
        this.family = family;
        this.layers = layers;
        this.hidden = hidden;
    }

    Optional<Long> count() {
        long linear = layers.stream()
                        .mapToInt(layer ->
                                (layer.mixer() == Mixer.LINEAR ? 1 : 0) + (layer.feed() == Feed.LINEAR ? 1 : 0))
                        .sum()
                * hidden
                * hidden;
        long sum = linear + positions() + inputs() + streams();
        return sum == 0 ? Optional.empty() : Optional.of(sum);
    }

    private long positions() {
        return family.has(Trait.POSITIONS)
                ? hidden * IntegerKey.CONTEXT.in(text).orElse(0)
                : 0;
    }

    /** Returns the weights of embeddings per layer, with their gates and projections. */
    private long inputs() {
        long width = IntegerKey.LAYER_INPUT.in(text).orElse(0);
        long vocabulary = IntegerKey.LAYER_VOCABULARY.in(text).orElse(0);
        return width * layers.size() * (vocabulary + 3 * hidden);
    }

    /** Returns the weights that mix residual streams before attention and the feed-forward part. */
    private long streams() {
        long streams = IntegerKey.STREAMS.in(text).orElse(0);
        return 2L * layers.size() * (2 + streams) * streams * streams * hidden;
    }

    /** Describes parts that are not counted. */
    List<String> limitations() {
        List<String> limitations = new ArrayList<>();
        int sharing = IntegerKey.SHARED_KV_LAYERS.in(text).orElse(0);
        if (sharing > 0) {
            limitations.add("the last " + sharing
                    + " layers share the cache of others (num_kv_shared_layers), which is not modelled");
        }
        if (IntegerKey.EMBEDDING_DIM.in(text).filter(width -> width != hidden).isPresent()) {
            limitations.add("embeddings of another width (word_embed_proj_dim) are not modelled");
        }
        return limitations;
    }
}
