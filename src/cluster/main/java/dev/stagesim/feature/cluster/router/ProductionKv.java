package dev.stagesim.feature.cluster.router;

import dev.stagesim.feature.cluster.cache.Prompts;
import dev.stagesim.feature.cluster.router.view.AvailableInstances;
import dev.stagesim.feature.cluster.router.view.PrefixIndex;
import dev.stagesim.feature.cluster.router.view.RoutingGroup;
import dev.stagesim.model.Key;
import dev.stagesim.model.Variant;

/**
 * The kvaware router of vLLM's production stack: an instance with almost the whole prompt in its cache, otherwise
 * consistent hashing of the session.
 */
public final class ProductionKv implements Router {
    @Variant("production_kv | The kvaware router of vLLM's production stack: the instance with the longest"
            + " match if it lacks at most missing_tokens of the prompt; otherwise consistent hashing of the"
            + " session.")
    public record Settings(
            @Key("Maximum number of missing prompt tokens. | 2000 | tokens | 0..1000000000") int missingTokens,
            @Key("Points per instance on the hash ring. | 128 | 1..100000") int points,
            @Key("Tokens per block of the router's index. | 16 | tokens | 1..1000000000") int blockTokens)
            implements RouterSettings {
        @Override
        public Router over(RoutingGroup group) {
            return new ProductionKv(this, group);
        }

        @Override
        public boolean usesKvEvents() {
            return true;
        }
    }

    private final Settings settings;
    private final Prompts prompts;
    private final AvailableInstances members;
    private final PrefixIndex index;
    private final Router sessions;

    private ProductionKv(Settings settings, RoutingGroup group) {
        this.settings = settings;
        prompts = group.prompts();
        members = group.members();
        index = new PrefixIndex(group, settings.blockTokens());
        sessions = new SessionHash.Settings(settings.points()).over(group);
    }

    @Override
    public int choose(int request, boolean hasPrompt) {
        index.lookUp(request);
        int best = -1;
        int longest = 0;
        for (int i = 0; i < index.found(); i++) {
            if (index.tokens(i) > longest && members.isOpen(index.instance(i))) {
                longest = index.tokens(i);
                best = index.instance(i);
            }
        }
        boolean isEnough = longest >= prompts.promptTokens(request) - settings.missingTokens();
        return best >= 0 && isEnough ? best : sessions.choose(request, hasPrompt);
    }

    @Override
    public void sent(int request, int instance, boolean hasPrompt) {
        index.sent(request, instance);
    }

    @Override
    public void done(int request, int instance, boolean hasOutput) {
        if (hasOutput) {
            index.served(request, instance);
        }
    }

    @Override
    public void opened(int instance) {
        index.forget(instance);
    }
}
