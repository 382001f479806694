package dev.stagesim.feature.cluster.router;

import dev.stagesim.feature.cluster.cache.Prompts;
import dev.stagesim.feature.cluster.router.view.AvailableInstances;
import dev.stagesim.feature.cluster.router.view.Loads;
import dev.stagesim.feature.cluster.router.view.PrefixIndex;
import dev.stagesim.feature.cluster.router.view.RoutingGroup;
import dev.stagesim.model.Key;
import dev.stagesim.model.Variant;

/** Prefers the longest prefix match, with a penalty for load. */
public final class PrefixRouter implements Router {
    @Variant("prefix | Maximises prefix_weight x cached share of the prompt - load_weight x requests / (1 +"
            + " mean requests). Ties go to the first instance.")
    public record Settings(
            @Key("Weight of the cached share. | 2.0 | 0..1000000") double prefixWeight,
            @Key("Weight of the load. | 1.0 | 0..1000000") double loadWeight,
            @Key("Tokens per block of the router's index. | 16 | tokens | 1..1000000000") int blockTokens)
            implements RouterSettings {
        @Override
        public Router over(RoutingGroup group) {
            return new PrefixRouter(this, group);
        }

        @Override
        public boolean usesKvEvents() {
            return true;
        }
    }

    public static final Settings DEFAULTS = new Settings(2, 1, 16);

    private final Settings settings;
    private final Prompts prompts;
    private final PrefixIndex index;
    private final Loads loads;
    private final AvailableInstances members;
    private long total;

    private PrefixRouter(Settings settings, RoutingGroup group) {
        this.settings = settings;
        prompts = group.prompts();
        index = new PrefixIndex(group, settings.blockTokens());
        members = group.members();
        loads = new Loads(group);
    }

    @Override
    public int choose(int request, boolean hasPrompt) {
        index.lookUp(request);
        int best = loads.leastLoaded();
        double bestScore = Double.NEGATIVE_INFINITY;
        for (int i = 0; i < index.found(); i++) {
            double score = score(request, index.instance(i), index.tokens(i));
            if (score > bestScore && members.isOpen(index.instance(i))) {
                bestScore = score;
                best = index.instance(i);
            }
        }
        double idle = score(request, loads.leastLoaded(), 0);
        boolean isBetter = idle > bestScore || (idle == bestScore && loads.leastLoaded() < best);
        return isBetter ? loads.leastLoaded() : best;
    }

    private double score(int request, int instance, int tokens) {
        return settings.prefixWeight() * tokens / prompts.promptTokens(request)
                - settings.loadWeight() * loads.get(instance) / (1 + (double) total / members.count());
    }

    @Override
    public void sent(int request, int instance, boolean hasPrompt) {
        loads.add(instance, 1);
        total++;
        index.sent(request, instance);
    }

    @Override
    public void done(int request, int instance, boolean hasOutput) {
        loads.add(instance, -1);
        total--;
        if (hasOutput) {
            index.served(request, instance);
        }
    }

    @Override
    public void opened(int instance) {
        index.forget(instance);
        loads.changed(instance);
    }

    @Override
    public void closed(int instance) {
        loads.changed(instance);
    }
}
