package dev.stagesim.feature.cluster.report;

import dev.stagesim.feature.cluster.engine.ClusterSim;
import dev.stagesim.feature.cluster.engine.Decisions;
import dev.stagesim.feature.cluster.engine.Decisions.Decision;
import dev.stagesim.feature.cluster.engine.PoolRouter;
import dev.stagesim.feature.cluster.engine.ServingClusterSettings;
import dev.stagesim.feature.cluster.instance.RequestTimeline;
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
 * What other decisions of the routers would have come to: the run again, up to a decision as it was, from there with another
 * instance for that request and all other decisions held.
 *
 * <p>A replay costs what the run costs up to the horizon of its decision.
 */
public final class Regret {
    /** The instances that a decision is replayed with. */
    public enum Alternatives {
        RUNNER_UP, // The one that the router chooses when the chosen one is closed.
        ALL, // Every other one that is open.
        AGAINST // The one of the run that against names, of decisions that differ.
    }

    /** The section {@code regret}. */
    public record Settings(
            @Key("Maximum number of replays; decisions are drawn where there are more. | 64 | 1..1000000") int replays,
            @Key("Instances that a decision is replayed with. | runner_up") Alternatives alternatives,
            @Key("How long after a decision times are counted. | 60 | s | 0.001..1000000") double horizonS,
            @Key("Seed of the draw. | 42 | 0..9223372036854775807") long seed) {}

    /**
     * A decision with another instance, in seconds more than in the run, up to the horizon.
     *
     * @param ttft the time to the first token of its request; not a number where there is none in time
     * @param own the time of its request
     * @param others the times of all other requests
     */
    record Replay(Decision decision, int alternative, double ttft, double own, double others) {
        /** What all requests together would have spent less. */
        double regret() {
            return Math.max(0, -change());
        }

        double change() {
            return own + others;
        }
    }

    final Settings settings;

    /** Decisions that could have been others. */
    final int open;

    /** All of them, by the order of decisions. */
    final List<Replay> replays = new ArrayList<>();

    /** The best replay of each decision, the worst decision first. */
    final List<Replay> worst;

    public Regret(
            Settings settings,
            ServingClusterSettings cluster,
            ClusterFigures run,
            Decisions decisions,
            Optional<BaselineComparison> against) {
        this.settings = settings;
        if (settings.alternatives() == Alternatives.AGAINST
                && !against.orElseThrow().hasSamePools()) {
            throw StageException.input(
                    Problem.config("regret.instead", "the run that against names has other instances")
                            .hint("against needs the same pools in both; runner_up and all do without"));
        }
        List<Decision> choices = decisions.all().stream()
                .filter(decision -> alternatives(decision, against) > 0)
                .toList();
        open = choices.size();
        if (open == 0) {
            throw StageException.input(Problem.config("regret", "has no effect: no decision had another instance")
                    .hint("give pools more instances, or leave regret out"));
        }
        for (Decision decision : drawn(choices, against)) {
            for (int rank = 0; rank < alternatives(decision, against); rank++) {
                replay(cluster, run, decisions.with(decision, other(decision, rank, against)), decision);
            }
        }
        Map<Integer, Replay> each = new TreeMap<>();
        replays.forEach(one -> each.merge(one.decision().number(), one, (a, b) -> b.change() < a.change() ? b : a));
        worst = each.values().stream()
                .sorted(Comparator.comparingDouble(Replay::regret).reversed())
                .toList();
    }

    private int alternatives(Decision decision, Optional<BaselineComparison> against) {
        return switch (settings.alternatives()) {
            case RUNNER_UP -> decision.open() > 1 ? 1 : 0;
            case ALL -> decision.open() - 1;
            case AGAINST -> {
                int theirs = against.orElseThrow().choice(decision.request(), decision.hasPrompt());
                yield theirs >= 0 && theirs != decision.chosen() ? 1 : 0;
            }
        };
    }

    private ToIntFunction<PoolRouter> other(Decision decision, int rank, Optional<BaselineComparison> against) {
        return switch (settings.alternatives()) {
            case RUNNER_UP ->
                poolRouter -> poolRouter.choose(decision.request(), decision.hasPrompt(), decision.chosen());
            case ALL -> poolRouter -> poolRouter.other(rank, decision.chosen());
            case AGAINST -> {
                int theirs = against.orElseThrow().choice(decision.request(), decision.hasPrompt());
                yield poolRouter -> poolRouter.isOpen(theirs) ? theirs : -1;
            }
        };
    }

    /** As many as there are replays for, one at least, in their order. */
    private List<Decision> drawn(List<Decision> choices, Optional<BaselineComparison> against) {
        List<Decision> left = new ArrayList<>(choices);
        List<Decision> drawn = new ArrayList<>();
        RandomStream random = RandomStream.of(settings.seed(), "regret");
        int replaysLeft = settings.replays();
        while (!left.isEmpty()) {
            int at = (int) random.below(left.size());
            Decision decision = left.set(at, left.get(left.size() - 1));
            left.remove(left.size() - 1);
            replaysLeft -= alternatives(decision, against);
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

    /** Seconds of all decisions that were replayed. */
    double total() {
        return worst.stream().mapToDouble(Replay::regret).sum();
    }

    /** A quantile of the regrets of decisions, in seconds; not a number where there is none. */
    double quantile(double q) {
        double[] sorted = worst.stream().mapToDouble(Replay::regret).toArray();
        Arrays.sort(sorted);
        return sorted.length == 0 ? Double.NaN : Quantiles.ofSorted(sorted, q);
    }

    /** Seconds that all requests together would have spent more, with the best of the others; a mean of the decisions. */
    double mean() {
        return worst.stream().mapToDouble(Replay::change).average().orElse(Double.NaN);
    }

    /** Decisions with which none of the others would have saved time. */
    long best() {
        return worst.stream().filter(one -> one.regret() == 0).count();
    }
}
