package dev.stagesim.io.hf;

import dev.stagesim.io.hf.Family.Trait;
import dev.stagesim.io.hf.LayerPlan.Feed;
import dev.stagesim.io.json.LocatedJson;
import dev.stagesim.model.Problem;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Reads the inner widths of dense feed-forward parts, routed experts and shared experts. */
final class FeedReader {
    /** The mean of different widths is rounded to a multiple of this number, which tensor parallelism can divide. */
    private static final int WIDTH_MULTIPLE = 64;

    /** Ratio of inner width to hidden size in families whose cards omit the inner width. */
    private static final int DEFAULT_FACTOR = 4;

    private final int dense;
    private final int expert;
    private final int shared;
    private final Optional<Integer> latent;

    FeedReader(LocatedJson text, Family family, List<LayerPlan> layers, int hidden, List<Problem> problems) {
        latent = IntegerKey.EXPERT_HIDDEN.in(text).filter(width -> width > 0 && width != hidden);
        Optional<Integer> plain = IntegerKey.FFN
                .in(text)
                .or(() -> family.has(Trait.FOUR_TIMES) ? Optional.of(DEFAULT_FACTOR * hidden) : Optional.empty());
        boolean isMixed = layers.stream().anyMatch(layer -> layer.feed() == Feed.EXPERTS);
        Optional<Integer> expertWidth = IntegerKey.EXPERT_FFN.in(text);
        if (isMixed && expertWidth.isEmpty() && text.has("moe_intermediate_size")) {
            problems.add(text.problem("moe_intermediate_size is null, expected the inner width of an expert"));
        }
        expert = expertWidth.or(() -> plain).orElse(0);
        Optional<Integer> denseWidth = IntegerKey.DENSE_FFN.in(text).or(() -> plain);
        boolean hasDense = layers.stream().anyMatch(layer -> layer.feed() == Feed.DENSE);
        dense = average(layers).or(() -> denseWidth).orElse(hasDense ? 0 : expert);
        if ((hasDense && dense < 1) || (isMixed && expert < 1) || (family.has(Trait.DENSE_BESIDE) && plain.isEmpty())) {
            problems.add(text.problem((hasDense && dense < 1 ? "intermediate_size" : "moe_intermediate_size")
                            + " is missing or null")
                    .options(List.of("intermediate_size", "n_inner", "ffn_hidden_size", "moe_intermediate_size"))
                    .hint(ModelConfig.REQUIRED));
        }
        shared = isMixed ? sharedWidth(text, family, plain) : 0;
    }

    /** Returns the mean width of the layers with a specified width. */
    private static Optional<Integer> average(List<LayerPlan> layers) {
        double[] widths = layers.stream()
                .filter(layer -> layer.width() > 0)
                .mapToDouble(LayerPlan::width)
                .toArray();
        if (widths.length == 0) {
            return Optional.empty();
        }
        double sum = 0;
        boolean isSame = true;
        for (double width : widths) {
            sum += width;
            isSame &= width == widths[0];
        }
        double mean = sum / widths.length;
        return Optional.of(
                (int) (isSame ? mean : Math.max(WIDTH_MULTIPLE, Math.round(mean / WIDTH_MULTIPLE) * WIDTH_MULTIPLE)));
    }

    private int sharedWidth(LocatedJson text, Family family, Optional<Integer> plain) {
        if (family.has(Trait.DENSE_BESIDE)) {
            return plain.orElse(0);
        }
        int count = IntegerKey.SHARED_EXPERTS.in(text).orElse(family.has(Trait.SHARED_ONE) ? 1 : 0);
        return IntegerKey.SHARED_FFN.in(text).orElseGet(() -> Math.multiplyExact(count, expert));
    }

    int expertWidth() {
        return Math.max(1, expert);
    }

    int sharedWidth() {
        return shared;
    }

    Optional<Integer> latentWidth() {
        return latent;
    }

    Map<String, Object> components() {
        return Map.of("ffnDim", Math.max(1, dense));
    }
}
