package dev.stagesim.feature.cluster.router;

import dev.stagesim.feature.cluster.instance.Signals;
import dev.stagesim.feature.cluster.router.view.AvailableInstances;
import dev.stagesim.feature.cluster.router.view.RoutingGroup;
import dev.stagesim.model.Key;
import dev.stagesim.model.Variant;
import dev.stagesim.sim.core.RandomStream;

/** AIBrix's policies that minimise one metric. A choice takes O(instances). */
final class Aibrix implements Router {
    /** Metric to minimise. */
    enum Policy {
        LEAST_REQUEST, // Unfinished requests.
        LEAST_KV_CACHE, // Share of the KV cache in use.
        THROUGHPUT, // 2 x mean prompt tokens + mean output tokens of completed requests.
        LEAST_LATENCY // Mean queue, prefill and decode time, scaled to the mean lengths of all requests.
    }

    @Variant("aibrix | Minimises one metric, like AIBrix's policies of the same names. Ties are broken randomly.")
    record Settings(
            @Key("Metric to minimise. | least_request") Policy policy,
            @Key("Random seed. | 42 | 0..9223372036854775807") long seed)
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

    /** Assumed prompt and output tokens before the first completion. */
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
        double min = Double.POSITIVE_INFINITY;
        int equals = 0;
        for (int i = 0; i < members.count(); i++) {
            double value = figure(members.at(i));
            equals = value < min ? 1 : value == min ? equals + 1 : equals;
            if (value < min || (value == min && random.below(equals) == 0)) {
                min = value;
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

    /** Returns the mean time of an instance, scaled to a number of tokens. */
    private double scaled(int instance, int time, int tokens, double tokenCount) {
        double instanceMean = signals.get(instance, tokens);
        return instanceMean == 0 ? 0 : signals.get(instance, time) / instanceMean * tokenCount;
    }

    /** Returns the mean over instances with completed requests, or {@code otherwise} if there are none. */
    private double guess(int kind, double otherwise) {
        double sum = 0;
        int count = 0;
        for (int i = 0; i < members.count() && policy == Policy.LEAST_LATENCY; i++) {
            double instanceMean = mean(members.at(i), kind);
            sum += instanceMean;
            count += instanceMean > 0 ? 1 : 0;
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
