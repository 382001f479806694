package dev.stagesim.io.hf;

import dev.stagesim.io.hf.LayerPlan.Feed;
import dev.stagesim.io.json.LocatedJson;
import dev.stagesim.model.Problem;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Reads the routed experts of a config.json. */
final class ExpertReader {
    private final Optional<Integer> count;
    private final Optional<Integer> perToken;
    private final boolean isOff;

    ExpertReader(LocatedJson text, Family family, List<Problem> problems) {
        perToken = IntegerKey.EXPERTS_PER_TOKEN.in(text);
        isOff = text.find("enable_moe_block").map(at -> !at.asBool()).orElse(false);
        count = isOff ? Optional.empty() : IntegerKey.EXPERTS.in(text).filter(experts -> experts > 1);
        if (count.isPresent() && perToken.filter(n -> n > 0).isEmpty()) {
            String what = perToken.map(n -> "num_experts_per_tok is " + n + ", expected 1 to " + count.get())
                    .orElse("num_experts_per_tok is missing");
            problems.add(text.problem(what)
                    .options(IntegerKey.EXPERTS_PER_TOKEN.spellings())
                    .hint("a mixture of experts needs it; add it to the file"));
        }
    }

    /** Returns the number of routed experts per layer, or empty for a dense model. */
    Optional<Integer> count() {
        return count;
    }

    /** Describes contradictions between the keys of experts and the layers. */
    List<String> limitations(List<LayerPlan> layers) {
        boolean hasExperts = layers.stream().anyMatch(layer -> layer.feed() == Feed.EXPERTS);
        if (count.isPresent() && !hasExperts) {
            return List.of("config.json states " + count.get() + " experts, but none of its layers has experts");
        }
        if (count.isEmpty() && !isOff && perToken.orElse(0) > 0) {
            return List.of("config.json states " + perToken.get()
                    + " experts per token, but not more than one expert; the model is read as dense");
        }
        return List.of();
    }

    Map<String, Object> components(List<LayerPlan> layers, FeedReader feed) {
        Map<String, Object> components = new HashMap<>();
        if (count.isEmpty()) {
            return components;
        }
        components.put("numExperts", count);
        components.put("expertsPerToken", perToken);
        components.put("moeFfnDim", Optional.of(feed.expertWidth()));
        components.put("moeHiddenSize", feed.latentWidth());
        if (feed.sharedWidth() > 0) {
            components.put("sharedExperts", Optional.of(1));
            components.put("sharedFfnDim", Optional.of(feed.sharedWidth()));
        }
        List<Feed> feeds = layers.stream()
                .map(LayerPlan::feed)
                .filter(kind -> kind != Feed.NONE && kind != Feed.LINEAR)
                .toList();
        positions(feeds, components);
        return components;
    }

    /**
     * Describes the layers with experts by a number of leading dense layers and a step, or by their number if they do
     * not fit this form.
     */
    private static void positions(List<Feed> feeds, Map<String, Object> components) {
        for (int first = 0; first <= feeds.size(); first++) {
            for (int step = 1; step <= Math.max(1, feeds.size() - first); step++) {
                if (matches(feeds, first, step)) {
                    components.put("firstDenseLayers", Optional.of(first));
                    components.put("moeLayerStep", Optional.of(step));
                    return;
                }
            }
        }
        components.put("firstDenseLayers", Optional.of(0));
        components.put("moeLayerStep", Optional.of(1));
        components.put("expertLayers", Optional.of((int)
                feeds.stream().filter(kind -> kind == Feed.EXPERTS).count()));
    }

    private static boolean matches(List<Feed> feeds, int first, int step) {
        for (int i = 0; i < feeds.size(); i++) {
            boolean isMixture = i >= first && (i - first + 1) % step == 0;
            if (isMixture != (feeds.get(i) == Feed.EXPERTS)) {
                return false;
            }
        }
        return true;
    }
}
