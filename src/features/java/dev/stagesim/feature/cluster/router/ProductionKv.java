package dev.stagesim.feature.cluster.router;

import dev.stagesim.feature.cluster.cache.Prompts;
import dev.stagesim.feature.cluster.router.view.AvailableInstances;
import dev.stagesim.feature.cluster.router.view.PrefixIndex;
import dev.stagesim.feature.cluster.router.view.RoutingGroup;
import dev.stagesim.model.Key;
import dev.stagesim.model.Variant;

/** The kv-aware router of vLLM's production stack: where nearly all of the prompt is cached, else where the conversation belongs. */
public final class ProductionKv implements Router {
    /** Its section. */
    @Variant(
            "production_kv | As kvaware of vLLM's production stack: the instance with the longest match where at most so many tokens"
                    + " are missing; else by consistent hashing of the conversation.")
    public record Settings(
            @Key("Maximum tokens of the prompt that may be missing. | 2000 | tokens | 0..1000000000") int missingTokens,
            @Key("Points of an instance on the ring of conversations. | 128 | 1..100000") int points,
            @Key("Tokens of a block of the router's index. | 16 | tokens | 1..1000000000") int blockTokens)
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
        int most = 0;
        for (int i = 0; i < index.found(); i++) {
            if (index.tokens(i) > most && members.isOpen(index.instance(i))) {
                most = index.tokens(i);
                best = index.instance(i);
            }
        }
        boolean isEnough = most >= prompts.promptTokens(request) - settings.missingTokens();
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
