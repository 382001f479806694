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
 * The endpoint picker of llm-d: weighted scores of the instances that have most of the prompt, or of all.
 *
 * <p>Scores are relative to the other instances, so that a choice looks at each of them: O(instances x scorers).
 */
public final class LlmD implements Router {
    /** How one of the instances is taken. */
    public enum Picker {
        MAX_SCORE, // The greatest score; of equals a drawn one.
        WEIGHTED_RANDOM // Drawn by scores.
    }

    /** The section {@code affinity}. */
    public record Affinity(
            @Key(
                            "Share of the prompt's blocks that an instance has to have; 0 to look at all instances always. | 0.8 | 0..1")
                    double share,
            @Key(
                            "How much longer the prompts before it may take there than elsewhere; 0 for any time. | 18 | s | 0..1000000")
                    @OnlyIf("share > 0 | all instances are looked at | set share")
                    double slackS,
            @Key("Tokens of prompts that an instance computes, for that. | 15928 | tokens/s | 0.001..1000000000")
                    @OnlyIf("share > 0 | all instances are looked at | set share")
                    double tokensPerS) {}

    /** Its section. */
    @Variant(
            "llm_d | The greatest weighted sum of scores, as llm-d's endpoint picker: of the instances that were sent most of the"
                    + " prompt if there are any, else of all.")
    public record Settings(
            @Key("Which instances are looked at.") Affinity affinity,
            @Key("What is scored, with which weights.") Scorers scorers,
            @Key("How one of them is taken. | max_score") Picker picker,
            @Key("Tokens of a block of the router's index. | 64 | tokens | 1..1000000") int blockTokens,
            @Key("Seed of the draws. | 42 | 0..9223372036854775807") long seed)
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
        scorers.forEach(one -> one.scorer().begin(request));
        int best = view.candidates[0];
        double most = Double.NEGATIVE_INFINITY;
        int equals = 0;
        for (int i = 0; i < view.count; i++) {
            double key = key(view.candidates[i]);
            equals = key > most ? 1 : key == most ? equals + 1 : equals;
            if (key > most || (key == most && random.below(equals) == 0)) {
                most = key;
                best = view.candidates[i];
            }
        }
        return best;
    }

    private double key(int instance) {
        double sum = 0;
        for (Scorers.Weighted one : scorers) {
            sum += one.weight() * Math.min(1, Math.max(0, one.scorer().score(instance)));
        }
        // the greatest power of a draw, by its logarithm
        return settings.picker() == Picker.MAX_SCORE ? sum : Math.log(1 - random.nextDouble()) / sum;
    }

    /** Leaves the instances that have most of the prompt, unless there are none or their prompts take too long. */
    private void filter(Affinity affinity) {
        if (affinity.share() == 0) {
            return;
        }
        int sticky = 0;
        double least = Double.POSITIVE_INFINITY;
        double others = Double.POSITIVE_INFINITY;
        for (int i = 0; i < view.count; i++) {
            int instance = view.candidates[i];
            double seconds = view.tokens(instance) / affinity.tokensPerS();
            if (view.hitShare(instance) >= affinity.share()) {
                sticky++;
                least = Math.min(least, seconds);
            } else {
                others = Math.min(others, seconds);
            }
        }
        boolean isSlow = affinity.slackS() > 0 && least - others > affinity.slackS();
        if (sticky > 0 && !isSlow) {
            view.keep(instance -> view.hitShare(instance) >= affinity.share());
        }
    }

    @Override
    public void sent(int request, int instance, boolean hasPrompt) {
        view.ensureLookedUp(request);
        scorers.forEach(one -> one.scorer().sent(request, instance));
        view.sent(request, instance, hasPrompt);
    }

    @Override
    public void prompted(int request, int instance) {
        view.prompted(request, instance);
    }

    @Override
    public void done(int request, int instance, boolean hasOutput) {
        scorers.forEach(one -> one.scorer().done(request, instance));
        view.done(request, instance);
    }

    @Override
    public void opened(int instance) {
        view.opened(instance);
    }
}
