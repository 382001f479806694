package dev.stagesim.feature.cluster.router;

import dev.stagesim.feature.cluster.cache.Prompts;
import dev.stagesim.feature.cluster.instance.Signals;
import dev.stagesim.feature.cluster.router.view.AvailableInstances;
import dev.stagesim.feature.cluster.router.view.RoutingGroup;
import dev.stagesim.model.Key;
import dev.stagesim.model.Variant;
import dev.stagesim.sim.core.RandomStream;
import java.util.ArrayDeque;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;

/**
 * AIBrix's vtc-basic policy: users with more tokens are sent to instances with higher numbers. A choice takes
 * O(instances).
 */
final class AibrixVtc implements Router {
    private static final double MIN_USER_TOKENS = 1000;
    private static final double MAX_RUNNING = 100;
    private static final double NOISE = 0.1;

    /** Assumed ratio of output to prompt tokens, and weight of an output token. */
    private static final double OUTPUT = 1.5;

    private static final double OUTPUT_WEIGHT = 2;

    @Variant("aibrix_vtc | AIBrix's vtc-basic policy: minimises fairness_weight x distance between the"
            + " instance number and the user's recent tokens relative to the average + load_weight x running"
            + " requests / 100 + a random number below 0.1. Each session is a user. A request counts its"
            + " prompt tokens and, with weight 2, 1.5 times as many output tokens.")
    record Settings(
            @Key("Weight of the distance. | 0.5 | 0..1000000") double fairnessWeight,
            @Key("Weight of the running requests. | 0.5 | 0..1000000") double loadWeight,
            @Key("Time window of the token counts. | 300 | s | 0.001..1000000000") double windowS,
            @Key("Random seed. | 42 | 0..9223372036854775807") long seed)
            implements RouterSettings {
        @Override
        public Router over(RoutingGroup group) {
            return new AibrixVtc(this, group);
        }

        @Override
        public boolean readsSignals() {
            return true;
        }
    }

    private record Sent(double at, long user, double tokens) {}

    private final Settings settings;
    private final Prompts prompts;
    private final AvailableInstances members;
    private final Signals signals;
    private final RandomStream random;
    private final ArrayDeque<Sent> window = new ArrayDeque<>();
    private final Map<Long, Double> tokens = new LinkedHashMap<>();

    /** Number of users by token count. */
    private final TreeMap<Double, Integer> users = new TreeMap<>();

    private AibrixVtc(Settings settings, RoutingGroup group) {
        this.settings = settings;
        prompts = group.prompts();
        members = group.members();
        signals = group.signals();
        random = group.random(settings.seed());
    }

    @Override
    public int choose(int request, boolean hasPrompt) {
        forget();
        double typicalTokens = users.isEmpty() ? 0 : (users.firstKey() + users.lastKey()) / 2;
        double userShare =
                tokens.getOrDefault(prompts.session(request), 0.0) / Math.max(MIN_USER_TOKENS, typicalTokens);
        double place = Math.min(userShare, members.count() - 1);
        int best = members.at(0);
        double lowestScore = Double.POSITIVE_INFINITY;
        for (int i = 0; i < members.count(); i++) {
            double load = Math.min(1, signals.get(members.at(i), Signals.RUNNING) / MAX_RUNNING);
            double score = settings.fairnessWeight() * Math.abs(i - place)
                    + settings.loadWeight() * load
                    + NOISE * random.nextDouble();
            if (score < lowestScore) {
                lowestScore = score;
                best = members.at(i);
            }
        }
        return best;
    }

    @Override
    public void sent(int request, int instance, boolean hasPrompt) {
        forget();
        double input = prompts.promptTokens(request);
        Sent entry =
                new Sent(signals.now(), prompts.session(request), input + OUTPUT_WEIGHT * Math.ceil(OUTPUT * input));
        window.addLast(entry);
        change(entry.user(), entry.tokens());
    }

    private void forget() {
        double from = signals.now() - settings.windowS();
        while (!window.isEmpty() && window.getFirst().at() < from) {
            Sent old = window.removeFirst();
            change(old.user(), -old.tokens());
        }
    }

    private void change(long user, double more) {
        double before = tokens.getOrDefault(user, 0.0);
        double after = before + more;
        if (before > 0) {
            users.merge(before, -1, (a, b) -> a + b == 0 ? null : a + b);
        }
        if (after > 0) {
            users.merge(after, 1, Integer::sum);
            tokens.put(user, after);
        } else {
            tokens.remove(user);
        }
    }
}
