package dev.stagesim.feature.cluster.router;

import dev.stagesim.feature.cluster.cache.Prompts;
import dev.stagesim.feature.cluster.router.view.AvailableInstances;
import dev.stagesim.feature.cluster.router.view.RequestRates;
import dev.stagesim.feature.cluster.router.view.RoutingGroup;
import dev.stagesim.model.FormerKeys;
import dev.stagesim.model.Key;
import dev.stagesim.model.Variant;
import dev.stagesim.sim.core.RandomStream;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The prefixaware router of vLLM's production stack: a random instance with the longest match, regardless of load.
 *
 * <p>The index never forgets prompts, not even when instances lose their cache. A choice takes O(chunks of the prompt x
 * instances with its prefix).
 */
final class ProductionPrefix implements Router {
    @FormerKeys({"least_tokens=min_tokens", "piece_tokens=chunk_tokens"})
    @Variant("production_prefix | The prefixaware router of vLLM's production stack: a random instance that was ever"
            + " sent the longest prefix of the prompt; if the match is shorter than min_tokens, the instance with the"
            + " lowest number of recent requests.")
    record Settings(
            @Key("Minimum length of a match. | 0 | tokens | 0..1000000000") int minTokens,
            @Key("Tokens per chunk; the production stack uses 128 characters. | 32 | tokens | 1..1000000")
                    int chunkTokens,
            @Key("Time window of recent requests. | 60 | s | 0.001..1000000000") double windowS,
            @Key("Random seed. | 42 | 0..9223372036854775807") long seed)
            implements RouterSettings {
        @Override
        public Router over(RoutingGroup group) {
            return new ProductionPrefix(this, group);
        }
    }

    private final Settings settings;
    private final Prompts prompts;
    private final AvailableInstances members;
    private final RequestRates rates;
    private final RandomStream random;
    private final Map<Long, BitSet> holders = new LinkedHashMap<>();
    private final BitSet open = new BitSet();

    private ProductionPrefix(Settings settings, RoutingGroup group) {
        this.settings = settings;
        prompts = group.prompts();
        members = group.members();
        rates = new RequestRates(group, settings.windowS());
        random = group.random(settings.seed());
        open.set(0, group.size());
    }

    private long[] chunks(int request) {
        return prompts.chunks(request, settings.chunkTokens(), Integer.MAX_VALUE);
    }

    @Override
    public int choose(int request, boolean hasPrompt) {
        BitSet matched = open;
        int length = 0;
        for (long key : chunks(request)) {
            BitSet next = (BitSet) holders.getOrDefault(key, new BitSet()).clone();
            next.and(matched);
            if (next.isEmpty()) {
                break;
            }
            matched = next;
            length += settings.chunkTokens();
        }
        if (length < settings.minTokens()) {
            return rates.leastLoaded();
        }
        if (length == 0) {
            return members.at((int) random.below(members.count()));
        }
        int drawn = (int) random.below(matched.cardinality());
        int instance = matched.nextSetBit(0);
        for (int i = 0; i < drawn; i++) {
            instance = matched.nextSetBit(instance + 1);
        }
        return instance;
    }

    @Override
    public void sent(int request, int instance, boolean hasPrompt) {
        for (long key : chunks(request)) {
            holders.computeIfAbsent(key, none -> new BitSet()).set(instance);
        }
        rates.sent(instance);
    }

    @Override
    public void opened(int instance) {
        open.set(instance);
        rates.changed(instance);
    }

    @Override
    public void closed(int instance) {
        open.clear(instance);
        rates.changed(instance);
    }
}
