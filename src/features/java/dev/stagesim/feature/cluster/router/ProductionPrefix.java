package dev.stagesim.feature.cluster.router;

import dev.stagesim.feature.cluster.cache.Prompts;
import dev.stagesim.feature.cluster.router.view.AvailableInstances;
import dev.stagesim.feature.cluster.router.view.RequestRates;
import dev.stagesim.feature.cluster.router.view.RoutingGroup;
import dev.stagesim.model.Key;
import dev.stagesim.model.Variant;
import dev.stagesim.sim.core.RandomStream;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The prefix-aware router of vLLM's production stack: one of the instances with the longest match, whatever their load.
 *
 * <p>It forgets nothing, not even what instances have lost. A choice costs the pieces of the prompt and the instances that have
 * its beginning.
 */
final class ProductionPrefix implements Router {
    /** Its section. */
    @Variant(
            "production_prefix | As prefixaware of vLLM's production stack: a drawn one of the instances that were ever sent the"
                    + " longest part of the prompt; below a least length the one that was sent the fewest requests of late.")
    public record Settings(
            @Key("Length below which a match does not count. | 0 | tokens | 0..1000000000") int leastTokens,
            @Key("Tokens of a piece; the stack has 128 characters. | 32 | tokens | 1..1000000") int pieceTokens,
            @Key("Window in which requests are counted. | 60 | s | 0.001..1000000000") double windowS,
            @Key("Seed of the draws. | 42 | 0..9223372036854775807") long seed)
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

    private long[] pieces(int request) {
        return prompts.pieces(request, settings.pieceTokens(), Integer.MAX_VALUE);
    }

    @Override
    public int choose(int request, boolean hasPrompt) {
        BitSet matched = open;
        int length = 0;
        for (long key : pieces(request)) {
            BitSet next = (BitSet) holders.getOrDefault(key, new BitSet()).clone();
            next.and(matched);
            if (next.isEmpty()) {
                break;
            }
            matched = next;
            length += settings.pieceTokens();
        }
        if (length < settings.leastTokens()) {
            return rates.least();
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
        for (long key : pieces(request)) {
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
