package dev.stagesim.feature.plan;

import dev.stagesim.feature.Deployment;
import dev.stagesim.feature.Deployment.Shape;
import dev.stagesim.feature.Replica;
import dev.stagesim.feature.plan.Candidate.Estimate;
import dev.stagesim.feature.plan.Candidate.Fate;
import dev.stagesim.feature.plan.Slo.Bound;
import dev.stagesim.feature.plan.Steady.State;
import dev.stagesim.model.StageException;
import dev.stagesim.report.Numbers;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.IntPredicate;

/** Estimates every deployment by its steady state: copies that should do, and copies that none can do without. */
final class Estimator {
    /** What a simulation may be better than the steady state by. */
    private static final double SLACK = 0.9;

    /** A rate at which requests do not meet. */
    private static final double ALONE = 1e-6;

    private static final double GIB = 1L << 30;
    private static final double P99 = 0.99;

    /** Loads beside the asked one that are looked at. */
    private static final double RAISE = 1.05;

    private static final int STEPS = 30;
    private static final State NONE = new State(0, 1, 0, 0, 0);

    private final PlanSettings settings;
    private final Requests requests;
    private final Slo slo;
    private final SearchSpace space;

    Estimator(PlanSettings settings, Requests requests, Slo slo) {
        this.settings = settings;
        this.requests = requests;
        this.slo = slo;
        this.space = new SearchSpace(settings);
    }

    /** All deployments, shape by shape; a shape that cannot run is one candidate. */
    List<List<Candidate>> all() {
        return space.shapes().parallelStream().map(this::of).toList();
    }

    private List<Candidate> of(Shape shape) {
        Optional<String> misfit = Replica.misfit(shape, settings.model(), settings.hardware());
        if (misfit.isPresent()) {
            return List.of(refused(new Deployment(shape, 0, 0), Fate.UNSUPPORTED, misfit.get()));
        }
        Replica replica = new Replica(
                shape, settings.model(), settings.hardware(), settings.memoryUtilization(), requests.longest());
        List<Candidate> candidates = new ArrayList<>();
        for (Deployment deployment : space.limits(shape)) {
            try {
                Steady steady = new Steady(replica, requests, deployment);
                candidates.add(new Copies(deployment, replica, steady).candidate());
            } catch (StageException noRoom) {
                candidates.add(refused(deployment, Fate.MEMORY, tooBig(shape)));
            }
        }
        boolean noneFits = candidates.stream().allMatch(candidate -> candidate.fate() == Fate.MEMORY);
        return noneFits ? List.of(refused(new Deployment(shape, 0, 0), Fate.MEMORY, tooBig(shape))) : candidates;
    }

    private String tooBig(Shape shape) {
        long bytes = settings.model()
                .stored(shape.weights(), shape.experts(), shape.kv())
                .size()
                .weightBytes();
        return "weights of " + Numbers.fixed(bytes / GIB / shape.devices(), 0) + " GiB a device, what a step needs"
                + " and the longest request do not fit "
                + Numbers.fixed(
                        settings.memoryUtilization() * settings.hardware().usableMemGib(), 0)
                + " GiB";
    }

    private static Candidate refused(Deployment deployment, Fate fate, String why) {
        return new Candidate(deployment, Optional.empty(), Optional.empty(), fate, why, Optional.empty());
    }

    /** Copies of a deployment. */
    private final class Copies {
        private final Deployment deployment;
        private final Replica replica;
        private final Steady steady;
        private final TreeMap<Double, Optional<State>> states = new TreeMap<>();
        private final int least;

        Copies(Deployment deployment, Replica replica, Steady steady) {
            this.deployment = deployment;
            this.replica = replica;
            this.steady = steady;
            least = first(1, settings.search().maxReplicas(), this::mayHold);
        }

        private double rate(int replicas) {
            return settings.load() / replicas;
        }

        private Optional<State> state(double rate) {
            return states.computeIfAbsent(rate, steady::at);
        }

        /** Whether nothing rules out that so many copies hold. */
        private boolean mayHold(int replicas) {
            Optional<State> state = steady.at(SLACK * rate(replicas));
            return state.isPresent() && slo.bounds().stream().allMatch(bound -> mayHold(bound, state.get()));
        }

        private boolean mayHold(Bound bound, State state) {
            double most =
                    switch (bound.kind()) {
                        case "tpot" -> state.tpotMs();
                        case "ttft" -> bound.quantile() >= P99 ? steady.promptMs(0) : 0;
                        default -> 0;
                    };
            return SLACK * most <= bound.most();
        }

        Candidate candidate() {
            int most = settings.search().maxReplicas();
            if (least > most) {
                return new Candidate(
                        deployment, Optional.of(replica), Optional.empty(), Fate.MISSES, why(), Optional.empty());
            }
            int wanted = first(least, most, copies -> shouldHold(rate(copies)));
            Estimate estimate = wanted > most
                    ? new Estimate(least, least, false, NONE, 0, 0, 0)
                    : estimate(wanted, state(rate(wanted)).orElseThrow());
            return new Candidate(
                    deployment, Optional.of(replica), Optional.of(estimate), Fate.NOT_SIMULATED, "", Optional.empty());
        }

        private Estimate estimate(int replicas, State state) {
            double rate = rate(replicas);
            int steps = first(1, STEPS, step -> !shouldHold(rate * spare(step))) - 1;
            double ttft = steady.longTtftMs(state, rate);
            return new Estimate(least, replicas, true, state, ttft, steady.longTpotMs(state, rate), spare(steps));
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

        /** Why no number of copies holds. */
        private String why() {
            int most = settings.search().maxReplicas();
            if (steady.at(SLACK * rate(most)).isEmpty()) {
                return "overload: " + most + " copies, the most of search.max_replicas, cannot keep up";
            }
            double alone = steady.at(ALONE).map(State::tpotMs).orElse(0.0);
            return "one request alone takes "
                    + Math.round(steady.promptMs(0)) + " ms to its first token with a long prompt and "
                    + Math.round(alone) + " ms a token";
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
