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

/** Dynamo's published cost: blocks of prompts that are still to be computed, and blocks that decode. */
public final class KvCost implements Router {
    /** Default weight of prompts. */
    public static final double WEIGHT = 1;

    /** The section {@code credits}: what a cached block is worth of one that is to be computed. */
    public record Credits(
            @Key("In the cache of the engine. | 1 | 0..1") double device,
            @Key("Behind those, in its host's memory. | 0.75 | 0..1") double host,
            @Key("Behind those, on its disk. | 0.25 | 0..1") double ssd,
            @Key("In the store of its pool, behind those of the engine. | 0.5 | 0..1") double remote,
            @Key(
                            "Whether an instance that makes outputs alone is credited too: off the blocks of its requests. | false")
                    boolean outputs) {
        /** As published. */
        public static final Credits DEFAULTS = new Credits(1, 0.75, 0.25, 0.5, false);
    }

    /** Its section. */
    @Variant(
            "kv_cost | The least overlap_weight x blocks of prompts to compute, this one's without those it has, + blocks of"
                    + " its requests + request_weight x their number, as NVIDIA Dynamo's router; the first of equals.")
    public record Settings(
            @Key("Weight of blocks of prompts. | 1.0 | 0..1000000") double overlapWeight,
            @Key("Tokens of a block. | 16 | tokens | 1..1000000000") int blockTokens,
            @Key("Weight of the number of requests. | 0 | 0..1000000") double requestWeight,
            @Key(
                            "How far what an instance has of a prompt loses worth with what it is still to compute more than the one with"
                                    + " the least: 1 / (1 + this x the difference / the prompt). | 0 | 0..1000000")
                    double decayWeight,
            @Key(
                            "How far draws go beyond the least cost: in proportion to e to the power of -(cost - least) / (most - least) /"
                                    + " this; 0 for the least always. | 0 | 0..1000000")
                    double temperature,
            @Key("Seed of the draws. | 42 | 0..9223372036854775807")
                    @OnlyIf("temperature > 0 | nothing is drawn | set temperature")
                    long seed,
            @Key("What cached blocks are worth.") Credits credits)
            implements RouterSettings {
        @Override
        public Router over(RoutingGroup group) {
            return new KvCost(this, group);
        }

        @Override
        public boolean usesKvEvents() {
            return true;
        }

        /** With weights alone. */
        public static Settings of(double overlapWeight, int blockTokens) {
            return new Settings(overlapWeight, blockTokens, 0, 0, 0, 42, Credits.DEFAULTS);
        }
    }

    /** The section's defaults. */
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

    /** What each instance has of a prompt, and what it costs there, where all are looked at. */
    private final int[] hits;

    private final double[] each;
    private final RandomStream random;

    /** What tiers hold, where instances tell and have some; else null. */
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

    /** Cost of an instance as it is; that of a request is the same everywhere but for what is cached. */
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
        int best = costs.least();
        if (!hasPrompt) {
            return best;
        }
        index.lookUp(request);
        double least = costs.value();
        for (int i = 0; i < index.found(); i++) {
            int instance = index.instance(i);
            double cost = cost(instance, settings.credits().device() * index.tokens(i));
            boolean isBetter = cost < least || (cost == least && instance < best);
            if (isBetter && members.isOpen(instance)) {
                least = cost;
                best = instance;
            }
        }
        return best;
    }

    /** Looks at all open instances. */
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
        double least = Double.POSITIVE_INFINITY;
        double most = Double.NEGATIVE_INFINITY;
        int best = members.at(0);
        for (int i = 0; i < members.count(); i++) {
            int instance = members.at(i);
            double ahead = (double) (pending[instance] - free) / settings.blockTokens() / blocks(request);
            double credit = isCredited ? credit(request, instance, settings.decayWeight() * ahead) : 0;
            each[i] = hasPrompt ? costOfPrompt(request, instance, credit) : costOfOutput(request, instance, credit);
            most = Math.max(most, each[i]);
            best = each[i] < least || (each[i] == least && instance < best) ? instance : best;
            least = Math.min(least, each[i]);
        }
        for (int i = 0; isCredited && i < index.found(); i++) {
            hits[index.instance(i)] = 0;
        }
        return settings.temperature() > 0 && most > least ? drawn(least, most) : best;
    }

    /** Tokens that what an instance has of a prompt is worth. */
    private double credit(int request, int instance, double decay) {
        Credits credits = settings.credits();
        double credit = credits.device() * hits[instance] / (1 + decay);
        if (tiers != null) {
            tiers.lowerTierTokens(request, instance, hits[instance], behind);
            credit += credits.host() * behind[0] + credits.ssd() * behind[1] + credits.remote() * behind[2];
        }
        return credit;
    }

    /** As {@link #cost}: no instance has less than nothing to compute. */
    private double costOfPrompt(int request, int instance, double credit) {
        return cost(instance, Math.min(credit, (double) pending[instance] + prompts.promptTokens(request)));
    }

    /** The same where outputs alone are made. */
    private double costOfOutput(int request, int instance, double credit) {
        double most = active[instance] + blocks(request);
        return cost(instance, 0) - Math.min(credit / settings.blockTokens(), most);
    }

    private int drawn(double least, double most) {
        double sum = 0;
        for (int i = 0; i < members.count(); i++) {
            each[i] = Math.exp(-(each[i] - least) / ((most - least) * settings.temperature()));
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
    public void prompted(int request, int instance) {
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
