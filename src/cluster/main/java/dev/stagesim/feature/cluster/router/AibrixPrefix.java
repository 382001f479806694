package dev.stagesim.feature.cluster.router;

import dev.stagesim.feature.cluster.router.view.RouterView;
import dev.stagesim.feature.cluster.router.view.RoutingGroup;
import dev.stagesim.model.Key;
import dev.stagesim.model.Variant;
import dev.stagesim.sim.core.RandomStream;

/** AIBrix's prefix-cache policy: the longest match among instances without excess load. A choice takes O(instances). */
public final class AibrixPrefix implements Router {
    private static final int PERCENT = 100;

    @Variant("aibrix_prefix | AIBrix's prefix-cache policy: among the instances with at most mean + spread x"
            + " standard deviation of requests, the one with the highest percentage of the prompt, then the"
            + " fewest requests. Without a match, the instance with the fewest requests. If loads differ by"
            + " more than imbalance, only the least loaded instances are candidates.")
    public record Settings(
            @Key("Maximum difference between the highest and lowest number of requests. | 8 | requests |"
                            + " 0..1000000")
                    int imbalance,
            @Key("Maximum load above the mean, in standard deviations. | 1 | 0..1000") double spread,
            @Key("Tokens per block of the router's index. | 16 | tokens | 1..1000000") int blockTokens,
            @Key("Random seed. | 42 | 0..9223372036854775807") long seed)
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
    private int min;
    private int max;

    private AibrixPrefix(Settings settings, RoutingGroup group) {
        this.settings = settings;
        view = new RouterView(group, settings.blockTokens());
        random = group.random(settings.seed());
    }

    @Override
    public int choose(int request, boolean hasPrompt) {
        view.lookUp(request);
        double limit = limit();
        boolean isUneven = max - min > settings.imbalance();
        int best = -1;
        int equals = 0;
        for (int i = 0; i < view.count; i++) {
            int instance = view.candidates[i];
            boolean isOut = isUneven ? view.inFlight(instance) > min : view.inFlight(instance) > limit;
            if (isOut || view.hitShare(instance) == 0) {
                continue;
            }
            int order = best < 0 ? 1 : compare(instance, best);
            equals = order > 0 ? 1 : order == 0 ? equals + 1 : equals;
            if (order > 0 || (order == 0 && random.below(equals) == 0)) {
                best = instance;
            }
        }
        return best >= 0 ? best : leastLoaded();
    }

    /** Returns the load limit, and updates the lowest and highest load. */
    private double limit() {
        double sum = 0;
        double squares = 0;
        min = Integer.MAX_VALUE;
        max = 0;
        for (int i = 0; i < view.count; i++) {
            int requests = view.inFlight(view.candidates[i]);
            sum += requests;
            squares += (double) requests * requests;
            min = Math.min(min, requests);
            max = Math.max(max, requests);
        }
        double mean = sum / view.count;
        return mean + settings.spread() * Math.sqrt(Math.max(0, squares / view.count - mean * mean));
    }

    private int compare(int instance, int other) {
        int byMatch =
                Integer.compare((int) (PERCENT * view.hitShare(instance)), (int) (PERCENT * view.hitShare(other)));
        return byMatch != 0 ? byMatch : Integer.compare(view.inFlight(other), view.inFlight(instance));
    }

    private int leastLoaded() {
        int best = -1;
        int equals = 0;
        for (int i = 0; i < view.count; i++) {
            if (view.inFlight(view.candidates[i]) == min && random.below(++equals) == 0) {
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
