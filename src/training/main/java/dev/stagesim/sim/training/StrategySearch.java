package dev.stagesim.sim.training;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/**
 * Finds the best strategies of a space.
 *
 * <p>A candidate is dropped without an estimate only when its states alone do not fit, or when a lower bound of its time is worse than
 * the worst of those kept and some candidate is at least as good in both bounds of time and memory: neither the best nor the Pareto
 * front loses one.
 */
public final class StrategySearch {
    private final Architecture model;
    private final TrainingMachine machine;
    private final TrainingJob job;
    private final SearchSpace space;
    private final Objective objective;
    private final boolean prunes;
    private final Predicate<Strategy> allowed;
    private final StepModel steps;
    private final MemoryModel memory;
    private final Map<Integer, Layout> layouts = new LinkedHashMap<>();
    private final List<Candidate> best = new ArrayList<>();
    private final List<Candidate> front = new ArrayList<>();
    private long visited;
    private long estimated;
    private long full;

    /** What is made small: seconds of a step times a weight of its devices. */
    @FunctionalInterface
    public interface Objective {
        /** Seconds of a step. */
        Objective STEP_TIME = devices -> 1;
        /** Device-seconds of a step, and with them cost and energy. */
        Objective DEVICE_TIME = devices -> devices;

        double weight(int devices);

        /** Seconds of a step with its share of what failures lose, so that tokens a day are most. */
        static Objective withFailures(Failures failures) {
            return devices -> 1 / failures.goodput(devices);
        }
    }

    /** A strategy with its figures. */
    public record Candidate(Strategy strategy, Layout layout, StepEstimate step, MemoryModel.Rank memory) {
        public double score(Objective objective) {
            return step.step() * objective.weight(strategy.devices());
        }
    }

    /**
     * What was found.
     *
     * @param best the best, in order
     * @param front the Pareto front of score and memory, best score first
     * @param visited strategies that the rules allow
     * @param estimated those whose step was estimated
     * @param full those that do not fit
     * @param rejected combinations that each rule rejected
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
        steps = new StepModel(model, machine, job);
        memory = new MemoryModel(model, job);
    }

    /** Searches with what cannot win left out. */
    public static Result run(
            Architecture model, TrainingMachine machine, TrainingJob job, SearchSpace space, Objective objective) {
        return run(model, machine, job, space, objective, any -> true);
    }

    /** Searches among the strategies that {@code allowed} accepts. */
    public static Result run(
            Architecture model,
            TrainingMachine machine,
            TrainingJob job,
            SearchSpace space,
            Objective objective,
            Predicate<Strategy> allowed) {
        return new StrategySearch(model, machine, job, space, objective, true, allowed).run();
    }

    /** Estimates every strategy; the slow way to the same result. */
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

    /** Score, then fewer devices, smaller degrees and larger micro-batches: the same answer on every machine. */
    private Comparator<Candidate> order() {
        return Comparator.<Candidate>comparingDouble(c -> c.score(objective))
                .thenComparingInt(c -> c.strategy().devices())
                .thenComparingInt(c -> c.strategy().tensor())
                .thenComparingInt(c -> c.strategy().pipeline())
                .thenComparingInt(c -> c.strategy().context())
                .thenComparingInt(c -> -c.strategy().microBatch())
                .thenComparing(c -> c.strategy().toString());
    }

    /** Layers of the stages: even where they divide, else so that the head and the fullest stage weigh least. */
    public static Layout layout(Architecture model, int stages) {
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
            if (isHopeless(s, states)) {
                return;
            }
        }
        MemoryModel.Rank need = memory.fullest(s, layout);
        if (need.total() > space.memory()) {
            full++;
            return;
        }
        estimated++;
        keep(new Candidate(s, layout, steps.estimate(s, layout), need));
    }

    private boolean isHopeless(Strategy s, double states) {
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
        double score = candidate.score(objective);
        double bytes = candidate.memory().total();
        for (Candidate other : front) {
            double otherScore = other.score(objective);
            double otherBytes = other.memory().total();
            boolean isSame = otherScore == score && otherBytes == bytes;
            if (isSame ? order().compare(other, candidate) <= 0 : otherScore <= score && otherBytes <= bytes) {
                return;
            }
        }
        front.removeIf(
                other -> other.score(objective) >= score && other.memory().total() >= bytes);
        front.add(candidate);
    }
}
