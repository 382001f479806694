package dev.stagesim.feature.cluster.router;

import dev.stagesim.feature.cluster.instance.Signals;
import dev.stagesim.feature.cluster.router.view.AvailableInstances;
import dev.stagesim.feature.cluster.router.view.RoutingGroup;
import dev.stagesim.model.Key;
import dev.stagesim.model.Variant;
import dev.stagesim.sim.core.RandomStream;

/** AIBrix's policies that look for the least of one figure; O(instances) a choice. */
final class Aibrix implements Router {
    /** What the least is looked for of. */
    public enum Policy {
        LEAST_REQUEST, // Requests that were sent and are not done.
        LEAST_KV_CACHE, // The share of the KV cache in use.
        THROUGHPUT, // 2 x mean prompt + mean output of what an instance has served.
        LEAST_LATENCY // Mean time in its queue + of prompts + of outputs, for prompts and outputs of the mean length of
        // all.
    }

    /** Its section. */
    @Variant("aibrix | The least of one figure, as AIBrix's policies of that name; of equals a drawn one.")
    public record Settings(
            @Key("What it is of. | least_request") Policy policy,
            @Key("Seed of the draws. | 42 | 0..9223372036854775807") long seed)
            implements RouterSettings {
        @Override
        public Router over(RoutingGroup group) {
            return new Aibrix(this, group);
        }

        @Override
        public boolean readsSignals() {
            return policy != Policy.LEAST_REQUEST;
        }
    }

    /** Tokens of a prompt and an output where nothing has been served yet. */
    private static final double GUESSED_PROMPT = 10;

    private static final double GUESSED_OUTPUT = 100;

    private final Policy policy;
    private final AvailableInstances members;
    private final Signals signals;
    private final RandomStream random;
    private final int[] inFlight;
    private double prompt;
    private double output;

    private Aibrix(Settings settings, RoutingGroup group) {
        policy = settings.policy();
        members = group.members();
        signals = group.signals();
        random = group.random(settings.seed());
        inFlight = new int[group.size()];
    }

    @Override
    public int choose(int request, boolean hasPrompt) {
        prompt = guess(Signals.PROMPT_TOKENS, GUESSED_PROMPT);
        output = guess(Signals.OUTPUT_TOKENS, GUESSED_OUTPUT);
        int best = members.at(0);
        double least = Double.POSITIVE_INFINITY;
        int equals = 0;
        for (int i = 0; i < members.count(); i++) {
            double value = figure(members.at(i));
            equals = value < least ? 1 : value == least ? equals + 1 : equals;
            if (value < least || (value == least && random.below(equals) == 0)) {
                least = value;
                best = members.at(i);
            }
        }
        return best;
    }

    private double figure(int instance) {
        return switch (policy) {
            case LEAST_REQUEST -> inFlight[instance];
            case LEAST_KV_CACHE -> signals.get(instance, Signals.KV_USAGE);
            case THROUGHPUT -> 2 * mean(instance, Signals.PROMPT_TOKENS) + mean(instance, Signals.OUTPUT_TOKENS);
            case LEAST_LATENCY ->
                mean(instance, Signals.QUEUE_S)
                        + scaled(instance, Signals.PREFILL_S, Signals.PROMPT_TOKENS, prompt)
                        + scaled(instance, Signals.DECODE_S, Signals.OUTPUT_TOKENS, output);
        };
    }

    private double mean(int instance, int kind) {
        double count = signals.get(instance, Signals.COMPLETED);
        return count == 0 ? 0 : signals.get(instance, kind) / count;
    }

    /** The mean time of an instance for so many tokens. */
    private double scaled(int instance, int time, int tokens, double usual) {
        double own = signals.get(instance, tokens);
        return own == 0 ? 0 : signals.get(instance, time) / own * usual;
    }

    /** The mean over instances of their means, of those that have served something. */
    private double guess(int kind, double otherwise) {
        double sum = 0;
        int count = 0;
        for (int i = 0; i < members.count() && policy == Policy.LEAST_LATENCY; i++) {
            double own = mean(members.at(i), kind);
            sum += own;
            count += own > 0 ? 1 : 0;
        }
        return count == 0 ? otherwise : sum / count;
    }

    @Override
    public void sent(int request, int instance, boolean hasPrompt) {
        inFlight[instance]++;
    }

    @Override
    public void done(int request, int instance, boolean hasOutput) {
        inFlight[instance]--;
    }
}
