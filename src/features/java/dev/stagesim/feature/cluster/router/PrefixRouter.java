package dev.stagesim.feature.cluster.router;

import dev.stagesim.feature.cluster.cache.Prompts;
import dev.stagesim.feature.cluster.router.view.AvailableInstances;
import dev.stagesim.feature.cluster.router.view.Loads;
import dev.stagesim.feature.cluster.router.view.PrefixIndex;
import dev.stagesim.feature.cluster.router.view.RoutingGroup;
import dev.stagesim.model.Key;
import dev.stagesim.model.Variant;

/** The longest prefix that an instance has, against its load. */
public final class PrefixRouter implements Router {
    /** Its section. */
    @Variant(
            "prefix | The greatest prefix_weight x share of the prompt that the instance has - load_weight x its requests"
                    + " / (1 + the mean of all); the first of equals.")
    public record Settings(
            @Key("Weight of the share of the prompt. | 2.0 | 0..1000000") double prefixWeight,
            @Key("Weight of the load. | 1.0 | 0..1000000") double loadWeight,
            @Key("Tokens of a block of the router's index. | 16 | tokens | 1..1000000000") int blockTokens)
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

    /** The section's defaults. */
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
        int best = loads.least();
        double most = Double.NEGATIVE_INFINITY;
        for (int i = 0; i < index.found(); i++) {
            double score = score(request, index.instance(i), index.tokens(i));
            if (score > most && members.isOpen(index.instance(i))) {
                most = score;
                best = index.instance(i);
            }
        }
        double idle = score(request, loads.least(), 0);
        boolean isBetter = idle > most || (idle == most && loads.least() < best);
        return isBetter ? loads.least() : best;
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
