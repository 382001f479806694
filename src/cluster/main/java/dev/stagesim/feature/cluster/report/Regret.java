package dev.stagesim.feature.cluster.report;

import dev.stagesim.feature.cluster.engine.ClusterSim;
import dev.stagesim.feature.cluster.engine.Decisions;
import dev.stagesim.feature.cluster.engine.Decisions.Decision;
import dev.stagesim.feature.cluster.engine.PoolRouter;
import dev.stagesim.feature.cluster.engine.ServingClusterSettings;
import dev.stagesim.feature.cluster.instance.RequestTimeline;
import dev.stagesim.model.FormerKeys;
import dev.stagesim.model.Key;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.sim.core.RandomStream;
import dev.stagesim.stats.Quantiles;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.ToIntFunction;

/**
 * Measures routing regret: replays a run with one decision changed and all others kept.
 *
 * <p>A replay takes as long as the run up to the horizon of its decision.
 */
public final class Regret {
    /** The alternatives to a decision. */
    public enum Alternatives {
        RUNNER_UP, // The instance that the router would choose if the chosen one were closed.
        ALL, // Every other open instance.
        BASELINE // The instance that the baseline chose, if it differs.
    }

    /** The section {@code regret}. */
    @FormerKeys("instead=alternatives")
    public record Settings(
            @Key("Maximum number of replays; decisions are sampled if there are more. | 64 | 1..1000000") int replays,
            @Key("Alternative instances of a decision. | runner_up") Alternatives alternatives,
            @Key("Time after a decision during which request times are compared. | 60 | s | 0.001..1000000")
                    double horizonS,
            @Key("Random seed of the sample. | 42 | 0..9223372036854775807") long seed) {}

    /**
     * A replay. All times are differences from the run, in seconds, up to the horizon.
     *
     * @param ttft TTFT of the request; NaN if the replay has none within the horizon
     * @param own time of the request in the system
     * @param others time of all other requests in the system
     */
    record Replay(Decision decision, int alternative, double ttft, double own, double others) {
        /** Returns the total time that the alternative would have saved, at least 0. */
        double regret() {
            return Math.max(0, -change());
        }

        double change() {
            return own + others;
        }
    }

    final Settings settings;

    /** Number of decisions with an alternative. */
    final int open;

    /** All replays, in order of decisions. */
    final List<Replay> replays = new ArrayList<>();

    /** Best replay of each decision, highest regret first. */
    final List<Replay> worst;

    public Regret(
            Settings settings,
            ServingClusterSettings cluster,
            ClusterFigures run,
            Decisions decisions,
            Optional<BaselineComparison> baseline) {
        this.settings = settings;
        if (settings.alternatives() == Alternatives.BASELINE
                && !baseline.orElseThrow().hasSamePools()) {
            throw StageException.input(Problem.config("regret.alternatives", "the instances of the baseline differ")
                    .hint("alternatives=baseline requires equal pools in both runs; runner_up and all do" + " not"));
        }
        List<Decision> choices = decisions.all().stream()
                .filter(decision -> alternatives(decision, baseline) > 0)
                .toList();
        open = choices.size();
        if (open == 0) {
            throw StageException.input(Problem.config("regret", "has no effect: no decision had an alternative")
                    .hint("add instances to the pools, or leave regret out"));
        }
        for (Decision decision : drawn(choices, baseline)) {
            for (int rank = 0; rank < alternatives(decision, baseline); rank++) {
                replay(cluster, run, decisions.with(decision, other(decision, rank, baseline)), decision);
            }
        }
        Map<Integer, Replay> bestReplays = new TreeMap<>();
        replays.forEach(
                best -> bestReplays.merge(best.decision().number(), best, (a, b) -> b.change() < a.change() ? b : a));
        worst = bestReplays.values().stream()
                .sorted(Comparator.comparingDouble(Replay::regret).reversed())
                .toList();
    }

    private int alternatives(Decision decision, Optional<BaselineComparison> baseline) {
        return switch (settings.alternatives()) {
            case RUNNER_UP -> decision.open() > 1 ? 1 : 0;
            case ALL -> decision.open() - 1;
            case BASELINE -> {
                int baselineChoice = baseline.orElseThrow().choice(decision.request(), decision.hasPrompt());
                yield baselineChoice >= 0 && baselineChoice != decision.chosen() ? 1 : 0;
            }
        };
    }

    private ToIntFunction<PoolRouter> other(Decision decision, int rank, Optional<BaselineComparison> baseline) {
        return switch (settings.alternatives()) {
            case RUNNER_UP ->
                poolRouter -> poolRouter.choose(decision.request(), decision.hasPrompt(), decision.chosen());
            case ALL -> poolRouter -> poolRouter.other(rank, decision.chosen());
            case BASELINE -> {
                int baselineChoice = baseline.orElseThrow().choice(decision.request(), decision.hasPrompt());
                yield poolRouter -> poolRouter.isOpen(baselineChoice) ? baselineChoice : -1;
            }
        };
    }

    /** Samples decisions up to the maximum number of replays, at least one, in their order. */
    private List<Decision> drawn(List<Decision> choices, Optional<BaselineComparison> baseline) {
        List<Decision> left = new ArrayList<>(choices);
        List<Decision> drawn = new ArrayList<>();
        RandomStream random = RandomStream.of(settings.seed(), "regret");
        int replaysLeft = settings.replays();
        while (!left.isEmpty()) {
            int at = (int) random.below(left.size());
            Decision decision = left.set(at, left.get(left.size() - 1));
            left.remove(left.size() - 1);
            replaysLeft -= alternatives(decision, baseline);
            if (replaysLeft < 0 && !drawn.isEmpty()) {
                break;
            }
            drawn.add(decision);
        }
        drawn.sort(Comparator.comparingInt(Decision::number));
        return drawn;
    }

    private void replay(
            ServingClusterSettings cluster, ClusterFigures run, Decisions.Replayed routing, Decision decision) {
        double horizon = decision.at() + settings.horizonS();
        RequestTimeline other = new ClusterSim(cluster, run.pools, run.trace, routing).runTo(horizon);
        if (routing.alternative() < 0) {
            return;
        }
        double others = 0;
        for (int i = 0; i < run.size(); i++) {
            others += i == decision.request() ? 0 : more(other, run.timeline, i, decision.at(), horizon);
        }
        int request = decision.request();
        double first = other.firstToken[request];
        replays.add(new Replay(
                decision,
                routing.alternative(),
                first <= horizon ? first - run.timeline.firstToken[request] : Double.NaN,
                more(other, run.timeline, request, decision.at(), horizon),
                others));
    }

    private static double more(RequestTimeline other, RequestTimeline run, int request, double from, double to) {
        return other.present(request, from, to) - run.present(request, from, to);
    }

    /** Returns the regret of all replayed decisions in seconds. */
    double total() {
        return worst.stream().mapToDouble(Replay::regret).sum();
    }

    /** Returns a quantile of the regret in seconds, or NaN if nothing was replayed. */
    double quantile(double q) {
        double[] sorted = worst.stream().mapToDouble(Replay::regret).toArray();
        Arrays.sort(sorted);
        return sorted.length == 0 ? Double.NaN : Quantiles.ofSorted(sorted, q);
    }

    /** Returns the mean change of the total request time with the best alternative, in seconds. */
    double mean() {
        return worst.stream().mapToDouble(Replay::change).average().orElse(Double.NaN);
    }

    /** Returns the number of decisions that no alternative improves. */
    long best() {
        return worst.stream().filter(best -> best.regret() == 0).count();
    }
}
