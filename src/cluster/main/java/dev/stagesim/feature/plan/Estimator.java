package dev.stagesim.feature.plan;

import dev.stagesim.feature.plan.DeploymentCandidate.SizeEstimate;
import dev.stagesim.feature.plan.DeploymentCandidate.Status;
import dev.stagesim.feature.plan.PlanSettings.PlanGoal;
import dev.stagesim.feature.plan.SteadyStateModel.State;
import dev.stagesim.model.StageException;
import dev.stagesim.report.Numbers;
import dev.stagesim.serving.EngineChoice;
import dev.stagesim.serving.EngineChoice.Shape;
import dev.stagesim.serving.ReplicaModel;
import dev.stagesim.stats.Bisection;
import dev.stagesim.stats.Quantiles;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.IntPredicate;

/**
 * Estimates every deployment. Steady states predict the number of copies and order the search; lower bounds exclude
 * deployments.
 */
final class Estimator {
    private static final double GIB = 1L << 30;

    /** Step of the geometric load search above the requested load. */
    private static final double RAISE = 1.05;

    private static final int STEPS = 60;

    /** Lowest rate of a copy in requests per second that is considered, and the steps to the highest one. */
    private static final double MIN_RATE = 0.001;

    private static final int MAX_STEPS = 400;
    private static final State NONE = new State(0, 1, 0, 0, 0);

    private final PlanSettings settings;
    private final RequestSamples requests;
    private final Slo slo;
    private final DeploymentSpace space;
    private final RequestWork work;

    /** Output lengths in ascending order. */
    private final double[] outputs;

    Estimator(PlanSettings settings, RequestSamples requests, Slo slo) {
        this.settings = settings;
        this.requests = requests;
        this.slo = slo;
        this.space = new DeploymentSpace(settings);
        this.work = new RequestWork(requests);
        this.outputs = Quantiles.sorted(requests.outputs());
    }

    /** Returns all deployments, grouped by shape. A shape that cannot run is a single candidate. */
    List<List<DeploymentCandidate>> all() {
        return space.shapes().parallelStream().map(this::of).toList();
    }

    private List<DeploymentCandidate> of(Shape shape) {
        Optional<String> infeasibility = shape.whyInfeasible(settings.model(), settings.hardware());
        if (infeasibility.isPresent()) {
            return List.of(refused(new EngineChoice(shape, 0, 0), Status.UNSUPPORTED, infeasibility.get()));
        }
        if (settings.goal() != PlanGoal.CHEAPEST && settings.copies(shape.devices()) == 0) {
            return List.of(refused(
                    new EngineChoice(shape, 0, 0),
                    Status.UNSUPPORTED,
                    "needs " + shape.devices() + " devices, and the plan has " + settings.deviceCount()));
        }
        List<DeploymentCandidate> candidates = new ArrayList<>();
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
                SteadyStateModel steady = new SteadyStateModel(replica, requests, deployment);
                LowerBounds bounds = new LowerBounds(replica, floor, work, slo, deployment);
                candidates.add(new CopySearch(deployment, replica, steady, bounds).candidate());
            } catch (StageException noRoom) {
                candidates.add(refused(deployment, Status.OUT_OF_MEMORY, memoryNeed(shape)));
            }
        }
        boolean noneFits = candidates.stream().allMatch(candidate -> candidate.status() == Status.OUT_OF_MEMORY);
        return noneFits
                ? List.of(refused(new EngineChoice(shape, 0, 0), Status.OUT_OF_MEMORY, memoryNeed(shape)))
                : candidates;
    }

    private String memoryNeed(Shape shape) {
        long bytes = settings.model()
                .stored(shape.weights(), shape.experts(), shape.kv())
                .size()
                .weightBytes();
        return "weights of " + Numbers.fixed(bytes / GIB / shape.devices(), 0)
                + " GiB per device, step memory and the longest request do not fit in "
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

    private static DeploymentCandidate refused(EngineChoice deployment, Status status, String reason) {
        return new DeploymentCandidate(
                deployment, Optional.empty(), Optional.empty(), status, reason, Optional.empty());
    }

    /** Finds the number of copies of one deployment. */
    private final class CopySearch {
        private final EngineChoice deployment;
        private final ReplicaModel replica;
        private final SteadyStateModel steady;
        private final TreeMap<Double, Optional<State>> states = new TreeMap<>();
        private final LowerBounds bounds;

        CopySearch(EngineChoice deployment, ReplicaModel replica, SteadyStateModel steady, LowerBounds bounds) {
            this.deployment = deployment;
            this.replica = replica;
            this.steady = steady;
            this.bounds = bounds;
        }

        private double rate(int replicas) {
            double load = settings.load() / replicas;
            return settings.closedLoop().isEmpty() ? load : steady.rateAt(load);
        }

        /** Returns the P99 TTFT; in a closed loop, requests beyond the batch limit of {@code replicas} copies wait. */
        private double ttftMs(int replicas, State state, double rate) {
            double wait = settings.closedLoop().isEmpty() ? 0 : steady.slotWaitMs(settings.load() / replicas, rate);
            return steady.longTtftMs(state, rate) + wait;
        }

        private Optional<State> state(double rate) {
            return states.computeIfAbsent(rate, steady::at);
        }

        DeploymentCandidate candidate() {
            return settings.goal() == PlanGoal.CHEAPEST ? ofMinimumCopies() : ofFixedCopies();
        }

        /** Estimates the highest load and the latencies of a fixed number of copies. */
        private DeploymentCandidate ofFixedCopies() {
            Optional<String> unattainable = bounds.unattainable();
            if (unattainable.isPresent()) {
                return excluded(Status.SLO_MISSED, unattainable.get());
            }
            int replicas = settings.copies(deployment.shape().devices());
            double span = requests.span(settings.load());
            if (settings.goal() == PlanGoal.LATENCY && bounds.copies(span, SimulationCache.deadline(span)) > replicas) {
                return excluded(Status.OVERLOAD, "overload: " + replicas + " copies cannot keep up");
            }
            boolean isLoadGiven =
                    settings.goal() == PlanGoal.LATENCY || settings.closedLoop().isPresent();
            double rate = isLoadGiven ? rate(replicas) : maxRate(replicas);
            SizeEstimate estimate = state(rate)
                    .filter(state -> shouldMeetSlo(replicas, rate))
                    .map(state -> new SizeEstimate(
                            replicas,
                            replicas,
                            true,
                            state,
                            ttftMs(replicas, state, rate),
                            steady.longTpotMs(state, rate),
                            rate * replicas / settings.load()))
                    .orElse(new SizeEstimate(
                            replicas, replicas, false, NONE, 0, 0, MIN_RATE * replicas / settings.load()));
            return estimated(estimate);
        }

        /** Returns the highest rate of a copy that is predicted to meet the SLO, within a few percent. */
        private double maxRate(int replicas) {
            int step = first(1, MAX_STEPS, s -> !shouldMeetSlo(replicas, MIN_RATE * loadRatio(s))) - 1;
            return MIN_RATE * loadRatio(step);
        }

        private DeploymentCandidate ofMinimumCopies() {
            int max = settings.search().maxReplicas();
            Optional<String> unattainable = bounds.unattainable();
            if (unattainable.isPresent()) {
                return excluded(Status.SLO_MISSED, unattainable.get());
            }
            double span = requests.span(settings.load());
            double minReplicas = bounds.copies(span, SimulationCache.deadline(span));
            if (minReplicas > max) {
                return excluded(Status.OVERLOAD, "overload: search.max_replicas=" + max + " copies cannot keep up");
            }
            int from = (int) minReplicas;
            int predicted = first(from, max, copies -> shouldMeetSlo(copies, rate(copies)));
            SizeEstimate estimate = predicted > max
                    ? new SizeEstimate(from, from, false, NONE, 0, 0, nearness(max, rate(max)))
                    : estimate(from, predicted, state(rate(predicted)).orElseThrow());
            return estimated(estimate);
        }

        private DeploymentCandidate estimated(SizeEstimate estimate) {
            return new DeploymentCandidate(
                    deployment,
                    Optional.of(replica),
                    Optional.of(estimate),
                    Status.NOT_SIMULATED,
                    "",
                    Optional.empty());
        }

        private DeploymentCandidate excluded(Status status, String reason) {
            return new DeploymentCandidate(
                    deployment, Optional.of(replica), Optional.empty(), status, reason, Optional.empty());
        }

        private SizeEstimate estimate(int minReplicas, int replicas, State state) {
            double rate = rate(replicas);
            int steps = first(1, STEPS, step -> !shouldMeetSlo(replicas, rate * loadRatio(step))) - 1;
            double ttft = ttftMs(replicas, state, rate);
            return new SizeEstimate(
                    minReplicas, replicas, true, state, ttft, steady.longTpotMs(state, rate), loadRatio(steps));
        }

        /**
         * Returns the limit divided by the predicted value, for the worst metric: below 1 if one is missed; 0 if a copy is
         * overloaded.
         */
        private double nearness(int replicas, double rate) {
            return state(rate)
                    .map(state -> 1 / violation(replicas, state, rate))
                    .filter(Double::isFinite)
                    .orElse(0.0);
        }

        /** Returns the maximum ratio of a predicted metric to its limit. */
        private double violation(int replicas, State state, double rate) {
            double ttft = ttftMs(replicas, state, rate);
            return slo.bounds().stream()
                    .mapToDouble(bound -> switch (bound.kind()) {
                                case "ttft" -> ttft;
                                case "tpot" -> steady.longTpotMs(state, rate);
                                default -> ttft + Quantiles.ofSorted(outputs, bound.quantile()) * state.tpotMs();
                            }
                            / bound.limit())
                    .max()
                    .orElse(0);
        }

        private double loadRatio(int step) {
            return Math.pow(RAISE, step);
        }

        private boolean shouldMeetSlo(int replicas, double rate) {
            return state(rate)
                    .filter(state ->
                            Double.isFinite(steady.longTpotMs(state, rate)) && violation(replicas, state, rate) <= 1)
                    .isPresent();
        }
    }

    /**
     * Returns the smallest number from {@code from} to {@code max} that satisfies a monotone condition, or {@code max +
     * 1} if none does.
     */
    private static int first(int from, int max, IntPredicate condition) {
        int low = from - 1;
        int high = from;
        while (!condition.test(high)) {
            if (high == max) {
                return max + 1;
            }
            low = high;
            high = Math.min(max, 2 * high);
        }
        return Bisection.smallest(low, high, condition);
    }
}
