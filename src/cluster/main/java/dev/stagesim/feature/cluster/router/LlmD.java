package dev.stagesim.feature.cluster.router;

import dev.stagesim.feature.cluster.router.scorer.Scorers;
import dev.stagesim.feature.cluster.router.view.RouterView;
import dev.stagesim.feature.cluster.router.view.RoutingGroup;
import dev.stagesim.model.Key;
import dev.stagesim.model.OnlyIf;
import dev.stagesim.model.Variant;
import dev.stagesim.sim.core.RandomStream;
import java.util.List;

/**
 * The endpoint picker of llm-d: weighted scores of the instances with a long prefix match, or of all instances.
 *
 * <p>Scores compare instances, so a choice takes O(instances x scorers).
 */
public final class LlmD implements Router {
    /** Choice by score. */
    public enum Picker {
        MAX_SCORE, // The highest score. Ties are broken randomly.
        WEIGHTED_RANDOM // Random, with probabilities proportional to the scores.
    }

    public record Affinity(
            @Key("Minimum share of the prompt blocks in the cache; 0 to consider all instances." + " | 0.8 | 0..1")
                    double share,
            @Key("Maximum excess queueing time on the matching instances; 0 for no limit. | 18 |" + " s | 0..1000000")
                    @OnlyIf("share > 0 | all instances are considered | set share")
                    double slackS,
            @Key("Prefill throughput, to convert queued tokens to time. | 15928 | tokens/s | 0.001..1000000000")
                    @OnlyIf("share > 0 | all instances are considered | set share")
                    double tokensPerS) {}

    @Variant("llm_d | llm-d's endpoint picker: the highest weighted sum of scores among the instances with a"
            + " long prefix match, or among all if there are none.")
    public record Settings(
            @Key("Instances to consider.") Affinity affinity,
            @Key("Scorers and their weights.") Scorers scorers,
            @Key("Choice by score. | max_score") Picker picker,
            @Key("Tokens per block of the router's index. | 64 | tokens | 1..1000000") int blockTokens,
            @Key("Random seed. | 42 | 0..9223372036854775807") long seed)
            implements RouterSettings {
        @Override
        public Router over(RoutingGroup group) {
            return new LlmD(this, group);
        }

        @Override
        public boolean usesKvEvents() {
            return true;
        }

        @Override
        public boolean readsSignals() {
            return scorers.readsSignals();
        }
    }

    private final Settings settings;
    private final RouterView view;
    private final List<Scorers.Weighted> scorers;
    private final RandomStream random;

    private LlmD(Settings settings, RoutingGroup group) {
        this.settings = settings;
        view = new RouterView(group, settings.blockTokens());
        scorers = settings.scorers().make(view);
        random = group.random(settings.seed());
    }

    @Override
    public int choose(int request, boolean hasPrompt) {
        view.lookUp(request);
        filter(settings.affinity());
        scorers.forEach(weighted -> weighted.scorer().begin(request));
        int best = view.candidates[0];
        double max = Double.NEGATIVE_INFINITY;
        int ties = 0;
        for (int i = 0; i < view.count; i++) {
            double key = key(view.candidates[i]);
            ties = key > max ? 1 : key == max ? ties + 1 : ties;
            if (key > max || (key == max && random.below(ties) == 0)) {
                max = key;
                best = view.candidates[i];
            }
        }
        return best;
    }

    private double key(int instance) {
        double sum = 0;
        for (Scorers.Weighted weighted : scorers) {
            sum += weighted.weight() * Math.min(1, Math.max(0, weighted.scorer().score(instance)));
        }
        // weighted sampling by exponential keys
        return settings.picker() == Picker.MAX_SCORE ? sum : Math.log(1 - random.nextDouble()) / sum;
    }

    /** Keeps the instances with a long prefix match, unless there are none or their queues are too long. */
    private void filter(Affinity affinity) {
        if (affinity.share() == 0) {
            return;
        }
        int matching = 0;
        double min = Double.POSITIVE_INFINITY;
        double others = Double.POSITIVE_INFINITY;
        for (int i = 0; i < view.count; i++) {
            int instance = view.candidates[i];
            double seconds = view.tokens(instance) / affinity.tokensPerS();
            if (view.hitShare(instance) >= affinity.share()) {
                matching++;
                min = Math.min(min, seconds);
            } else {
                others = Math.min(others, seconds);
            }
        }
        boolean isSlow = affinity.slackS() > 0 && min - others > affinity.slackS();
        if (matching > 0 && !isSlow) {
            view.keep(instance -> view.hitShare(instance) >= affinity.share());
        }
    }

    @Override
    public void sent(int request, int instance, boolean hasPrompt) {
        view.ensureLookedUp(request);
        scorers.forEach(weighted -> weighted.scorer().sent(request, instance));
        view.sent(request, instance, hasPrompt);
    }

    @Override
    public void prefilled(int request, int instance) {
        view.prefilled(request, instance);
    }

    @Override
    public void done(int request, int instance, boolean hasOutput) {
        scorers.forEach(weighted -> weighted.scorer().done(request, instance));
        view.done(request, instance);
    }

    @Override
    public void opened(int instance) {
        view.opened(instance);
    }
}
