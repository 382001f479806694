package dev.stagesim.feature.cluster;

import dev.stagesim.model.Key;
import dev.stagesim.model.Variant;

/** Dynamo's published cost: blocks of prompts that are still to be computed, and blocks that decode. */
final class KvCost implements Router {
    /** Default weight of prompts. */
    static final double WEIGHT = 1;

    /** Its section. */
    @Variant(
            "kv_cost | The least overlap_weight x blocks of prompts to compute, this one's without those it has, + blocks of"
                    + " its requests, as NVIDIA Dynamo's router; the first of equals.")
    public record Settings(
            @Key("Weight of blocks of prompts. | 1.0 | 0..") double overlapWeight,
            @Key("Tokens of a block. | 16 | tokens | 1..") int blockTokens)
            implements RouterSettings {
        @Override
        public Router over(Group group) {
            return new KvCost(this, group);
        }
    }

    /** The section's defaults. */
    static final Settings USUAL = new Settings(WEIGHT, 16);

    private final Settings settings;
    private final Prompts prompts;
    private final PrefixIndex index;
    private final Loads costs;
    private final Members members;
    private final long[] pending;
    private final long[] active;
    private final int[] missing;

    private KvCost(Settings settings, Group group) {
        this.settings = settings;
        prompts = group.prompts();
        index = new PrefixIndex(group, settings.blockTokens());
        members = group.members();
        costs = new Loads(group);
        pending = new long[group.size()];
        active = new long[group.size()];
        missing = new int[prompts.trace().size()];
    }

    /** Cost of an instance as it is; that of a request is the same everywhere but for what is cached. */
    private double cost(int instance, int hit) {
        return settings.overlapWeight() * (pending[instance] - hit) / settings.blockTokens() + active[instance];
    }

    @Override
    public int choose(int request, boolean hasPrompt) {
        int best = costs.least();
        if (!hasPrompt) {
            return best;
        }
        index.look(request);
        double least = costs.value();
        for (int i = 0; i < index.found(); i++) {
            int instance = index.instance(i);
            double cost = cost(instance, index.tokens(i));
            boolean isBetter = cost < least || (cost == least && instance < best);
            if (isBetter && members.isOpen(instance)) {
                least = cost;
                best = instance;
            }
        }
        return best;
    }

    @Override
    public void sent(int request, int instance, boolean hasPrompt) {
        if (hasPrompt) {
            index.look(request);
            int hit = 0;
            for (int i = 0; i < index.found(); i++) {
                hit = index.instance(i) == instance ? index.tokens(i) : hit;
            }
            missing[request] = prompts.promptTokens(request) - hit;
            pending[instance] += missing[request];
        }
        index.sent(request, instance);
        active[instance] += blocks(request);
        costs.set(instance, cost(instance, 0));
    }

    private long blocks(int request) {
        return (prompts.promptTokens(request) + settings.blockTokens() - 1L) / settings.blockTokens();
    }

    @Override
    public void prompted(int request, int instance) {
        pending[instance] -= missing[request];
        costs.set(instance, cost(instance, 0));
    }

    @Override
    public void done(int request, int instance, boolean hasOutput) {
        active[instance] -= blocks(request);
        costs.set(instance, cost(instance, 0));
        if (hasOutput) {
            index.served(request, instance);
        }
    }

    @Override
    public void opened(int instance) {
        index.forget(instance);
        costs.changed(instance);
    }

    @Override
    public void closed(int instance) {
        costs.changed(instance);
    }
}
