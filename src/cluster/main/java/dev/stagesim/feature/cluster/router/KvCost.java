package dev.stagesim.feature.cluster.router;

import dev.stagesim.feature.cluster.cache.KvEventBus;
import dev.stagesim.feature.cluster.cache.Prompts;
import dev.stagesim.feature.cluster.cache.Tiers;
import dev.stagesim.feature.cluster.router.view.AvailableInstances;
import dev.stagesim.feature.cluster.router.view.Loads;
import dev.stagesim.feature.cluster.router.view.PrefixIndex;
import dev.stagesim.feature.cluster.router.view.RoutingGroup;
import dev.stagesim.model.Key;
import dev.stagesim.model.OnlyIf;
import dev.stagesim.model.Variant;
import dev.stagesim.sim.core.RandomStream;
import org.jspecify.annotations.Nullable;

/** The published cost function of NVIDIA Dynamo's router: prompt blocks to compute, and active blocks. */
public final class KvCost implements Router {
    /** Default weight of prompt blocks. */
    public static final double WEIGHT = 1;

    /** The section {@code credits}: value of a cached block, relative to a block to compute. */
    public record Credits(
            @Key("Value of a block in the engine's cache. | 1 | 0..1") double device,
            @Key("Value of a block in host memory. | 0.75 | 0..1") double host,
            @Key("Value of a block on disk. | 0.25 | 0..1") double ssd,
            @Key("Value of a block in the shared store. | 0.5 | 0..1") double remote,
            @Key("Also credit cached blocks when choosing a decode instance. | false") boolean outputs) {
        /** Dynamo's published values. */
        public static final Credits DEFAULTS = new Credits(1, 0.75, 0.25, 0.5, false);
    }

    @Variant("kv_cost | NVIDIA Dynamo's router: minimises overlap_weight x (prompt blocks to compute -"
            + " cached blocks of the request) + active blocks + request_weight x requests. Ties go to the"
            + " first instance.")
    public record Settings(
            @Key("Weight of prompt blocks. | 1.0 | 0..1000000") double overlapWeight,
            @Key("Tokens per block. | 16 | tokens | 1..1000000000") int blockTokens,
            @Key("Weight of the number of requests. | 0 | 0..1000000") double requestWeight,
            @Key("Decay of the value of cached blocks on loaded instances, as 1 / (1 +"
                            + " decay_weight x excess prompt blocks / blocks of the request). | 0 |" + " 0..1000000")
                    double decayWeight,
            @Key("Temperature of random choices, with probabilities proportional to exp(-(cost -"
                            + " min) / (max - min) / temperature); 0 for the minimum. | 0 | 0..1000000")
                    double temperature,
            @Key("Random seed. | 42 | 0..9223372036854775807")
                    @OnlyIf("temperature > 0 | the choice is not random | set temperature")
                    long seed,
            @Key("Value of cached blocks by tier.") Credits credits)
            implements RouterSettings {
        @Override
        public Router over(RoutingGroup group) {
            return new KvCost(this, group);
        }

        @Override
        public boolean usesKvEvents() {
            return true;
        }

        /** Creates settings with the default credits. */
        public static Settings of(double overlapWeight, int blockTokens) {
            return new Settings(overlapWeight, blockTokens, 0, 0, 0, 42, Credits.DEFAULTS);
        }
    }

    public static final Settings DEFAULTS = Settings.of(WEIGHT, 16);

    private final Settings settings;
    private final Prompts prompts;
    private final PrefixIndex index;
    private final Loads costs;
    private final AvailableInstances members;
    private final long[] pending;
    private final long[] active;
    private final int[] missing;
    private final int[] sent;

    /** Cached tokens and cost by instance, if all instances are evaluated. */
    private final int[] hits;

    private final double[] each;
    private final RandomStream random;

    /** KV events of lower tiers, or null if absent. */
    private final @Nullable KvEventBus tiers;

    private final int[] behind = new int[Tiers.NAMES.size()];

    private KvCost(Settings settings, RoutingGroup group) {
        this.settings = settings;
        prompts = group.prompts();
        index = new PrefixIndex(group, settings.blockTokens());
        members = group.members();
        costs = new Loads(group);
        pending = new long[group.size()];
        active = new long[group.size()];
        missing = new int[prompts.trace().size()];
        sent = new int[group.size()];
        hits = new int[group.size()];
        each = new double[group.size()];
        random = group.random(settings.seed());
        tiers = group.kvEvents() != null && group.kvEvents().hasTiers() ? group.kvEvents() : null;
    }

    /**
     * Returns the cost of an instance. The blocks of the request itself are left out, because they are equal for all
     * instances.
     */
    private double cost(int instance, double hit) {
        return settings.overlapWeight() * (pending[instance] - hit) / settings.blockTokens()
                + active[instance]
                + settings.requestWeight() * sent[instance];
    }

    @Override
    public int choose(int request, boolean hasPrompt) {
        boolean scansAll = hasPrompt
                ? settings.decayWeight() > 0 || tiers != null
                : settings.credits().outputs();
        if (settings.temperature() > 0 || scansAll) {
            return amongAll(request, hasPrompt);
        }
        int best = costs.leastLoaded();
        if (!hasPrompt) {
            return best;
        }
        index.lookUp(request);
        double min = costs.minimum();
        for (int i = 0; i < index.found(); i++) {
            int instance = index.instance(i);
            double cost = cost(instance, settings.credits().device() * index.tokens(i));
            boolean isBetter = cost < min || (cost == min && instance < best);
            if (isBetter && members.isOpen(instance)) {
                min = cost;
                best = instance;
            }
        }
        return best;
    }

    /** Evaluates all open instances. */
    private int amongAll(int request, boolean hasPrompt) {
        boolean isCredited = hasPrompt || settings.credits().outputs();
        if (isCredited) {
            index.lookUp(request);
            for (int i = 0; i < index.found(); i++) {
                hits[index.instance(i)] = index.tokens(i);
            }
        }
        long free = Long.MAX_VALUE;
        for (int i = 0; i < members.count(); i++) {
            free = Math.min(free, pending[members.at(i)]);
        }
        double min = Double.POSITIVE_INFINITY;
        double max = Double.NEGATIVE_INFINITY;
        int best = members.at(0);
        for (int i = 0; i < members.count(); i++) {
            int instance = members.at(i);
            double excess = (double) (pending[instance] - free) / settings.blockTokens() / blocks(request);
            double credit = isCredited ? credit(request, instance, settings.decayWeight() * excess) : 0;
            each[i] = hasPrompt ? costOfPrompt(request, instance, credit) : costOfOutput(request, instance, credit);
            max = Math.max(max, each[i]);
            best = each[i] < min || (each[i] == min && instance < best) ? instance : best;
            min = Math.min(min, each[i]);
        }
        for (int i = 0; isCredited && i < index.found(); i++) {
            hits[index.instance(i)] = 0;
        }
        return settings.temperature() > 0 && max > min ? drawn(min, max) : best;
    }

    /** Returns the value of the cached tokens of a request, in tokens. */
    private double credit(int request, int instance, double decay) {
        Credits credits = settings.credits();
        double credit = credits.device() * hits[instance] / (1 + decay);
        if (tiers != null) {
            tiers.lowerTierTokens(request, instance, hits[instance], behind);
            credit += credits.host() * behind[0] + credits.ssd() * behind[1] + credits.remote() * behind[2];
        }
        return credit;
    }

    /** Limits the credit to the prompt tokens to compute. */
    private double costOfPrompt(int request, int instance, double credit) {
        return cost(instance, Math.min(credit, (double) pending[instance] + prompts.promptTokens(request)));
    }

    /** Limits the credit to the active blocks. */
    private double costOfOutput(int request, int instance, double credit) {
        double max = active[instance] + blocks(request);
        return cost(instance, 0) - Math.min(credit / settings.blockTokens(), max);
    }

    private int drawn(double min, double max) {
        double sum = 0;
        for (int i = 0; i < members.count(); i++) {
            each[i] = Math.exp(-(each[i] - min) / ((max - min) * settings.temperature()));
            sum += each[i];
        }
        double left = random.nextDouble() * sum;
        int at = 0;
        while (at < members.count() - 1 && left >= each[at]) {
            left -= each[at++];
        }
        return members.at(at);
    }

    @Override
    public void sent(int request, int instance, boolean hasPrompt) {
        if (hasPrompt) {
            index.lookUp(request);
            int hit = 0;
            for (int i = 0; i < index.found(); i++) {
                hit = index.instance(i) == instance ? index.tokens(i) : hit;
            }
            missing[request] = prompts.promptTokens(request) - hit;
            pending[instance] += missing[request];
        }
        index.sent(request, instance);
        sent[instance]++;
        active[instance] += blocks(request);
        costs.set(instance, cost(instance, 0));
    }

    private long blocks(int request) {
        return (prompts.promptTokens(request) + settings.blockTokens() - 1L) / settings.blockTokens();
    }

    @Override
    public void prefilled(int request, int instance) {
        pending[instance] -= missing[request];
        costs.set(instance, cost(instance, 0));
    }

    @Override
    public void done(int request, int instance, boolean hasOutput) {
        active[instance] -= blocks(request);
        sent[instance]--;
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
