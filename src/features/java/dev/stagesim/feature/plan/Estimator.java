package dev.stagesim.feature.plan;

import dev.stagesim.feature.EngineChoice;
import dev.stagesim.feature.EngineChoice.Shape;
import dev.stagesim.feature.plan.Candidate.Estimate;
import dev.stagesim.feature.plan.Candidate.Fate;
import dev.stagesim.feature.plan.Steady.State;
import dev.stagesim.model.StageException;
import dev.stagesim.report.Numbers;
import dev.stagesim.serving.ReplicaModel;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.IntPredicate;

/**
 * Estimates every deployment: the copies that should do by its steady state, which order the search, and lower bounds, which exclude
 * deployments.
 */
final class Estimator {
    private static final double GIB = 1L << 30;

    /** Ratio of the loads that are estimated beyond the requested one. */
    private static final double RAISE = 1.05;

    private static final int STEPS = 60;
    private static final State NONE = new State(0, 1, 0, 0, 0);

    private final PlanSettings settings;
    private final Requests requests;
    private final Slo slo;
    private final SearchSpace space;
    private final RequestWork work;

    Estimator(PlanSettings settings, Requests requests, Slo slo) {
        this.settings = settings;
        this.requests = requests;
        this.slo = slo;
        this.space = new SearchSpace(settings);
        this.work = new RequestWork(requests);
    }

    /** All deployments, shape by shape; a shape that cannot run is one candidate. */
    List<List<Candidate>> all() {
        return space.shapes().parallelStream().map(this::of).toList();
    }

    private List<Candidate> of(Shape shape) {
        Optional<String> misfit = shape.whyInfeasible(settings.model(), settings.hardware());
        if (misfit.isPresent()) {
            return List.of(refused(new EngineChoice(shape, 0, 0), Fate.UNSUPPORTED, misfit.get()));
        }
        List<Candidate> candidates = new ArrayList<>();
        StepFloor floor = new StepFloor(
                shape.replica(
                        settings.model(),
                        settings.hardware(),
                        shape.scheduler(),
                        settings.memoryUtilization(),
                        requests.longest()),
                space.maxTokens());
        for (EngineChoice deployment : space.limits(shape)) {
            ReplicaModel replica = deployment.replica(
                    settings.model(), settings.hardware(), settings.memoryUtilization(), requests.longest());
            try {
                Steady steady = new Steady(replica, requests, deployment);
                LowerBounds bounds = new LowerBounds(replica, floor, work, slo, deployment);
                candidates.add(new Copies(deployment, replica, steady, bounds).candidate());
            } catch (StageException noRoom) {
                candidates.add(refused(deployment, Fate.MEMORY, tooBig(shape)));
            }
        }
        boolean noneFits = candidates.stream().allMatch(candidate -> candidate.fate() == Fate.MEMORY);
        return noneFits ? List.of(refused(new EngineChoice(shape, 0, 0), Fate.MEMORY, tooBig(shape))) : candidates;
    }

    private String tooBig(Shape shape) {
        long bytes = settings.model()
                .stored(shape.weights(), shape.experts(), shape.kv())
                .size()
                .weightBytes();
        return "weights of " + Numbers.fixed(bytes / GIB / shape.devices(), 0) + " GiB a device, what a step needs"
                + " and the longest request do not fit "
                + Numbers.fixed(
                        shape.replica(
                                                settings.model(),
                                                settings.hardware(),
                                                shape.scheduler(),
                                                settings.memoryUtilization(),
                                                1)
                                        .memoryShare()
                                * settings.hardware().usableMemGib(),
                        0)
                + " GiB";
    }

    private static Candidate refused(EngineChoice deployment, Fate fate, String why) {
        return new Candidate(deployment, Optional.empty(), Optional.empty(), fate, why, Optional.empty());
    }

    /** Copies of a deployment. */
    private final class Copies {
        private final EngineChoice deployment;
        private final ReplicaModel replica;
        private final Steady steady;
        private final TreeMap<Double, Optional<State>> states = new TreeMap<>();
        private final LowerBounds bounds;

        Copies(EngineChoice deployment, ReplicaModel replica, Steady steady, LowerBounds bounds) {
            this.deployment = deployment;
            this.replica = replica;
            this.steady = steady;
            this.bounds = bounds;
        }

        private double rate(int replicas) {
            return settings.load() / replicas;
        }

        private Optional<State> state(double rate) {
            return states.computeIfAbsent(rate, steady::at);
        }

        Candidate candidate() {
            int most = settings.search().maxReplicas();
            Optional<String> unattainable = bounds.unattainable();
            if (unattainable.isPresent()) {
                return excluded(Fate.MISSES, unattainable.get());
            }
            double span = requests.span(settings.load());
            double least = bounds.copies(span, Trials.deadline(span));
            if (least > most) {
                return excluded(
                        Fate.OVERLOAD,
                        "overload: " + most + " copies, the maximum of search.max_replicas, cannot keep up");
            }
            int from = (int) least;
            int wanted = first(from, most, copies -> shouldHold(rate(copies)));
            Estimate estimate = wanted > most
                    ? new Estimate(from, from, false, NONE, 0, 0, nearness(rate(most)))
                    : estimate(from, wanted, state(rate(wanted)).orElseThrow());
            return new Candidate(
                    deployment, Optional.of(replica), Optional.of(estimate), Fate.NOT_SIMULATED, "", Optional.empty());
        }

        private Candidate excluded(Fate fate, String why) {
            return new Candidate(deployment, Optional.of(replica), Optional.empty(), fate, why, Optional.empty());
        }

        private Estimate estimate(int least, int replicas, State state) {
            double rate = rate(replicas);
            int steps = first(1, STEPS, step -> !shouldHold(rate * spare(step))) - 1;
            double ttft = steady.longTtftMs(state, rate);
            return new Estimate(least, replicas, true, state, ttft, steady.longTpotMs(state, rate), spare(steps));
        }

        /** Limit divided by the estimate, of the worse of both metrics: below 1 if one is missed; 0 if a copy cannot keep up. */
        private double nearness(double rate) {
            return state(rate)
                    .map(state -> Math.min(
                            slo.least("ttft") / steady.longTtftMs(state, rate),
                            slo.least("tpot") / steady.longTpotMs(state, rate)))
                    .filter(Double::isFinite)
                    .orElse(0.0);
        }

        private double spare(int step) {
            return Math.pow(RAISE, step);
        }

        private boolean shouldHold(double rate) {
            Optional<State> state = state(rate);
            if (state.isEmpty()) {
                return false;
            }
            double tpot = steady.longTpotMs(state.get(), rate);
            return Double.isFinite(tpot)
                    && tpot <= slo.least("tpot")
                    && steady.longTtftMs(state.get(), rate) <= slo.least("ttft");
        }
    }

    /** The first number, from one on, that does; one more than there may be when none does. */
    private static int first(int from, int most, IntPredicate does) {
        int low = from - 1;
        int high = from;
        while (!does.test(high)) {
            if (high == most) {
                return most + 1;
            }
            low = high;
            high = Math.min(most, 2 * high);
        }
        while (high - low > 1) {
            int middle = (low + high) / 2;
            if (does.test(middle)) {
                high = middle;
            } else {
                low = middle;
            }
        }
        return high;
    }
}
