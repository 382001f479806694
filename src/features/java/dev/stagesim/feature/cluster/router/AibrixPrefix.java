package dev.stagesim.feature.cluster.router;

import dev.stagesim.feature.cluster.router.view.RouterView;
import dev.stagesim.feature.cluster.router.view.RoutingGroup;
import dev.stagesim.model.Key;
import dev.stagesim.model.Variant;
import dev.stagesim.sim.core.RandomStream;

/** AIBrix's prefix-cache policy: the longest match among instances that are not much busier than others; O(instances) a choice. */
public final class AibrixPrefix implements Router {
    private static final int PERCENT = 100;

    /** Its section. */
    @Variant(
            "aibrix_prefix | As AIBrix's prefix-cache: the greatest percentage of the prompt, then the fewest requests, of the"
                    + " instances with at most mean + spread x standard deviation of requests; the fewest requests where"
                    + " none has anything of it, and only instances with the fewest where they differ by more than imbalance.")
    public record Settings(
            @Key("Tolerated difference between the most and the fewest requests. | 8 | requests | 0..1000000")
                    int imbalance,
            @Key("Standard deviations above the mean that an instance may have. | 1 | 0..1000") double spread,
            @Key("Tokens of a block of the router's index. | 16 | tokens | 1..1000000") int blockTokens,
            @Key("Seed of the draws. | 42 | 0..9223372036854775807") long seed)
            implements RouterSettings {
        @Override
        public Router over(RoutingGroup group) {
            return new AibrixPrefix(this, group);
        }

        @Override
        public boolean usesKvEvents() {
            return true;
        }
    }

    private final Settings settings;
    private final RouterView view;
    private final RandomStream random;
    private int fewest;
    private int most;

    private AibrixPrefix(Settings settings, RoutingGroup group) {
        this.settings = settings;
        view = new RouterView(group, settings.blockTokens());
        random = group.random(settings.seed());
    }

    @Override
    public int choose(int request, boolean hasPrompt) {
        view.lookUp(request);
        double limit = limit();
        boolean isUneven = most - fewest > settings.imbalance();
        int best = -1;
        int equals = 0;
        for (int i = 0; i < view.count; i++) {
            int instance = view.candidates[i];
            boolean isOut = isUneven ? view.inFlight(instance) > fewest : view.inFlight(instance) > limit;
            if (isOut || view.hitShare(instance) == 0) {
                continue;
            }
            int order = best < 0 ? 1 : compare(instance, best);
            equals = order > 0 ? 1 : order == 0 ? equals + 1 : equals;
            if (order > 0 || (order == 0 && random.below(equals) == 0)) {
                best = instance;
            }
        }
        return best >= 0 ? best : least();
    }

    /** The mean and so many standard deviations; notes the most and the fewest. */
    private double limit() {
        double sum = 0;
        double squares = 0;
        fewest = Integer.MAX_VALUE;
        most = 0;
        for (int i = 0; i < view.count; i++) {
            int own = view.inFlight(view.candidates[i]);
            sum += own;
            squares += (double) own * own;
            fewest = Math.min(fewest, own);
            most = Math.max(most, own);
        }
        double mean = sum / view.count;
        return mean + settings.spread() * Math.sqrt(Math.max(0, squares / view.count - mean * mean));
    }

    private int compare(int instance, int other) {
        int byMatch =
                Integer.compare((int) (PERCENT * view.hitShare(instance)), (int) (PERCENT * view.hitShare(other)));
        return byMatch != 0 ? byMatch : Integer.compare(view.inFlight(other), view.inFlight(instance));
    }

    private int least() {
        int best = -1;
        int equals = 0;
        for (int i = 0; i < view.count; i++) {
            if (view.inFlight(view.candidates[i]) == fewest && random.below(++equals) == 0) {
                best = view.candidates[i];
            }
        }
        return best;
    }

    @Override
    public void sent(int request, int instance, boolean hasPrompt) {
        view.sent(request, instance, hasPrompt);
    }

    @Override
    public void done(int request, int instance, boolean hasOutput) {
        view.done(request, instance);
    }

    @Override
    public void opened(int instance) {
        view.opened(instance);
    }
}
