package dev.stagesim.sim.training;

import dev.stagesim.stats.ParetoFront;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/**
 * Finds the best strategies of a search space.
 *
 * <p>Pruning is exact: it changes neither the best candidates nor the Pareto front. A strategy is skipped without an estimate if its states
 * alone exceed the memory. It is also skipped if a lower bound of its time is worse than all kept candidates, and another candidate is better
 * than its lower bounds of both time and memory.
 */
public final class StrategySearch {
    private final Architecture model;
    private final TrainingMachine machine;
    private final TrainingJob job;
    private final SearchSpace space;
    private final Objective objective;
    private final boolean prunes;
    private final Predicate<Strategy> allowed;
    private final StepEstimator steps;
    private final MemoryModel memory;
    private final Map<Integer, Layout> layouts = new LinkedHashMap<>();
    private final List<Candidate> best = new ArrayList<>();
    private final List<Candidate> front = new ArrayList<>();
    private final ParetoFront<Candidate> pareto;
    private long visited;
    private long estimated;
    private long full;

    /** Objective to minimise: step time multiplied by a weight that depends on the number of devices. */
    @FunctionalInterface
    public interface Objective {
        /** Step time. */
        Objective STEP_TIME = devices -> 1;
        /** Device-seconds per step, which are proportional to cost and energy. */
        Objective DEVICE_TIME = devices -> devices;

        double weight(int devices);

        /** Returns step time including losses from failures; minimising it maximises tokens per day. */
        static Objective withFailures(Failures failures) {
            return devices -> 1 / failures.goodput(devices);
        }
    }

    /** A strategy with its estimates. */
    public record Candidate(Strategy strategy, Layout layout, StepEstimate step, MemoryModel.Rank memory) {
        double score(Objective objective) {
            return step.step() * objective.weight(strategy.devices());
        }
    }

    /**
     * Result of a search.
     *
     * @param best best candidates, best first
     * @param front Pareto front of score and memory, best score first
     * @param visited number of valid strategies
     * @param estimated number of estimated strategies
     * @param full number of strategies that exceed the memory
     * @param rejected number of combinations rejected by each rule
     */
    public record Result(
            List<Candidate> best,
            List<Candidate> front,
            long visited,
            long estimated,
            long full,
            Map<String, Long> rejected) {}

    private StrategySearch(
            Architecture model,
            TrainingMachine machine,
            TrainingJob job,
            SearchSpace space,
            Objective objective,
            boolean prunes,
            Predicate<Strategy> allowed) {
        this.model = model;
        this.machine = machine;
        this.job = job;
        this.space = space;
        this.objective = objective;
        this.prunes = prunes;
        this.allowed = allowed;
        pareto = new ParetoFront<>(
                List.of(Comparator.comparingDouble(c -> c.score(objective)), Comparator.comparingDouble(c -> c.memory()
                        .total())),
                (first, second) -> order().compare(first, second) <= 0);
        steps = new StepEstimator(model, machine, job);
        memory = new MemoryModel(model, job);
    }

    /** Searches all valid strategies with pruning. */
    public static Result run(
            Architecture model, TrainingMachine machine, TrainingJob job, SearchSpace space, Objective objective) {
        return run(model, machine, job, space, objective, any -> true);
    }

    /** Searches the valid strategies that {@code allowed} accepts, with pruning. */
    public static Result run(
            Architecture model,
            TrainingMachine machine,
            TrainingJob job,
            SearchSpace space,
            Objective objective,
            Predicate<Strategy> allowed) {
        return new StrategySearch(model, machine, job, space, objective, true, allowed).run();
    }

    /** Searches without pruning. Slow; the result is equal. */
    static Result exhaustive(
            Architecture model, TrainingMachine machine, TrainingJob job, SearchSpace space, Objective objective) {
        return new StrategySearch(model, machine, job, space, objective, false, any -> true).run();
    }

    private Result run() {
        StrategySpace strategies = new StrategySpace(model, machine, job, space);
        strategies.each(this::visit);
        best.sort(order());
        front.sort(order());
        return new Result(List.copyOf(best), List.copyOf(front), visited, estimated, full, strategies.rejected());
    }

    /** Orders by score, then fewer devices, smaller degrees and larger micro-batches. The order is total, so results are reproducible. */
    private Comparator<Candidate> order() {
        return Comparator.<Candidate>comparingDouble(c -> c.score(objective))
                .thenComparingInt(c -> c.strategy().devices())
                .thenComparingInt(c -> c.strategy().tensor())
                .thenComparingInt(c -> c.strategy().pipeline())
                .thenComparingInt(c -> c.strategy().context())
                .thenComparingInt(c -> -c.strategy().microBatch())
                .thenComparing(c -> c.strategy().lastAxes());
    }

    /** Returns a balanced assignment of layers to stages, including the cost of the output head. */
    static Layout layout(Architecture model, int stages) {
        double head =
                model.vocabularyWeights() / ((model.activeWeights() - model.vocabularyWeights()) / model.layers());
        return stages == 1 ? Layout.even(model.layers(), 1) : Layout.balanced(model.layers(), stages, 0, head);
    }

    private void visit(Strategy s) {
        if (!allowed.test(s)) {
            return;
        }
        visited++;
        Layout layout = layouts.computeIfAbsent(s.pipeline() * s.chunks(), stages -> layout(model, stages));
        if (prunes) {
            double states = memory.states(s, layout);
            if (states > space.memory()) {
                full++;
                return;
            }
            if (isDominated(s, states)) {
                return;
            }
        }
        MemoryModel.Rank required = memory.fullest(s, layout);
        if (required.total() > space.memory()) {
            full++;
            return;
        }
        estimated++;
        keep(new Candidate(s, layout, steps.estimate(s, layout), required));
    }

    private boolean isDominated(Strategy s, double states) {
        if (best.size() < space.top()) {
            return false;
        }
        double bound = steps.bound(s) * objective.weight(s.devices());
        if (bound <= best.get(best.size() - 1).score(objective)) {
            return false;
        }
        for (Candidate other : front) {
            if (other.score(objective) < bound && other.memory().total() < states) {
                return true;
            }
        }
        return false;
    }

    private void keep(Candidate candidate) {
        if (best.size() < space.top() || order().compare(candidate, best.get(best.size() - 1)) < 0) {
            best.add(candidate);
            best.sort(order());
            if (best.size() > space.top()) {
                best.remove(best.size() - 1);
            }
        }
        pareto.add(front, candidate);
    }
}
