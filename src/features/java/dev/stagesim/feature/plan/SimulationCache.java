package dev.stagesim.feature.plan;

import dev.stagesim.feature.EngineChoice;
import dev.stagesim.feature.PoolSimulator;
import dev.stagesim.feature.PoolSimulator.Pool;
import dev.stagesim.feature.PoolSimulator.Router;
import dev.stagesim.feature.PoolSimulator.Served;
import dev.stagesim.feature.plan.Slo.SloBound;
import dev.stagesim.predict.Operator;
import dev.stagesim.predict.OperatorTimes;
import dev.stagesim.predict.WholeStep;
import dev.stagesim.serving.ReplicaModel;
import dev.stagesim.sim.serving.AdmissionLimit;
import dev.stagesim.sim.serving.AdmissionTimes;
import dev.stagesim.sim.serving.RequestTrace;
import dev.stagesim.sim.serving.ServingOutcome;
import dev.stagesim.sim.serving.ServingSimulator;
import dev.stagesim.sim.serving.ServingSpec;
import dev.stagesim.sim.serving.SustainedLoad;
import dev.stagesim.stats.Quantiles;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.IntToDoubleFunction;
import java.util.stream.IntStream;

/** Simulations of deployments, each made once with every seed; the worst seed counts. */
final class SimulationCache {
    /** Relative error of the capacity of the model of the steady state. */
    private static final double STEADY_ERROR = 0.1;

    private static final double MS = 1e3;
    private static final double TIMEOUT_SECONDS = 120;
    private static final double WAITING = 0.05;
    private static final double PERCENT = 100;

    /** Maximum ratio to the previous value at which more copies are worth another simulation. */
    private static final double BETTER = 0.97;

    private static final int[] QUANTILES = {50, 90, 95, 99};

    private final RequestSamples requests;
    private final Slo slo;
    private final Map<SimulationKey, DeploymentResult> known = new ConcurrentHashMap<>();
    private final Map<SeedKey, DeploymentResult> runs = new ConcurrentHashMap<>();

    SimulationCache(RequestSamples requests, Slo slo) {
        this.requests = requests;
        this.slo = slo;
    }

    private record SimulationKey(EngineChoice deployment, int replicas, double load, double slowdown) {}

    private record SeedKey(SimulationKey question, int seed) {}

    /**
     * Result of a deployment at a load.
     *
     * @param load requests per second
     * @param keepsUp whether requests did not pile up with any seed
     * @param figures percentiles by name, of the worst seed each; empty if not all requests were served
     * @param waitsFor what kept requests waiting longest, if that is a good part of the time
     * @param meetsSlo whether the service level is satisfied with every seed
     * @param seedsSatisfied seeds with which it is satisfied
     * @param seeds seeds that were simulated; the search stops at the first that fails
     */
    record DeploymentResult(
            double load,
            boolean keepsUp,
            Map<String, Double> figures,
            AdmissionLimit waitsFor,
            boolean meetsSlo,
            int seedsSatisfied,
            int seeds) {
        /** A metric that a bound is on; infinite if not all requests were served. */
        double value(SloBound bound) {
            return figures.getOrDefault(bound.figure(), Double.POSITIVE_INFINITY);
        }

        /** Whether more copies than before improved no violated objective. */
        boolean isFutile(DeploymentResult before, Slo slo) {
            return before.keepsUp
                    && keepsUp
                    && slo.broken(figures).stream().anyMatch(bound -> value(bound) > BETTER * before.value(bound));
        }

        /** The worse of each of two seeds. */
        private DeploymentResult and(DeploymentResult other) {
            Map<String, Double> worst = new LinkedHashMap<>();
            if (!figures.isEmpty() && !other.figures.isEmpty()) {
                figures.forEach(
                        (name, value) -> worst.put(name, Math.max(value, other.figures.getOrDefault(name, value))));
            }
            return new DeploymentResult(
                    load,
                    keepsUp && other.keepsUp,
                    worst,
                    waitsFor == AdmissionLimit.NONE ? other.waitsFor : waitsFor,
                    meetsSlo && other.meetsSlo,
                    seedsSatisfied + other.seedsSatisfied,
                    seeds + other.seeds);
        }
    }

    /** Deployments at a load that were simulated so far. */
    int count() {
        return known.size();
    }

    /** Simulations so far, each seed counted. */
    int runs() {
        return runs.size();
    }

    /** Results of a number of copies at every simulated load, by rising load. */
    List<DeploymentResult> loads(EngineChoice deployment, int replicas) {
        return known.entrySet().stream()
                .filter(e -> e.getKey().deployment().equals(deployment)
                        && e.getKey().replicas() == replicas
                        && e.getKey().slowdown() == 1)
                .map(Map.Entry::getValue)
                .sorted(Comparator.comparingDouble(DeploymentResult::load))
                .toList();
    }

    /** Copies of a deployment at a load. */
    DeploymentResult of(ReplicaModel replica, EngineChoice deployment, int replicas, double load) {
        return of(replica, deployment, replicas, load, 1);
    }

    /** Copies of a deployment at a load with steps that take {@code slowdown} times as long. */
    DeploymentResult of(ReplicaModel replica, EngineChoice deployment, int replicas, double load, double slowdown) {
        SimulationKey question = new SimulationKey(deployment, replicas, load, slowdown);
        DeploymentResult before = known.get(question);
        if (before != null) {
            return before;
        }
        DeploymentResult first = run(replica, question, 0);
        DeploymentResult result = first.meetsSlo() ? rest(replica, question, first) : first;
        known.put(question, result);
        return result;
    }

    /** Copies of a deployment at a load with every seed, also if the first one fails. */
    DeploymentResult ofEverySeed(ReplicaModel replica, EngineChoice deployment, int replicas, double load) {
        SimulationKey question = new SimulationKey(deployment, replicas, load, 1);
        return rest(replica, question, run(replica, question, 0));
    }

    private DeploymentResult rest(ReplicaModel replica, SimulationKey question, DeploymentResult first) {
        return IntStream.range(1, requests.seeds())
                .parallel()
                .mapToObj(seed -> run(replica, question, seed))
                .reduce(first, DeploymentResult::and);
    }

    private DeploymentResult run(ReplicaModel replica, SimulationKey question, int seed) {
        SeedKey seeded = new SeedKey(question, seed);
        DeploymentResult before = runs.get(seeded);
        if (before != null) {
            return before;
        }
        DeploymentResult result = simulate(replica, question, seed);
        runs.put(seeded, result);
        return result;
    }

    private DeploymentResult simulate(ReplicaModel replica, SimulationKey question, int seed) {
        int replicas = question.replicas();
        double slowdown = question.slowdown();
        RequestTrace trace = requests.at(question.load(), seed);
        ServingSpec spec = replica.replicated(replicas, timeoutSeconds(trace)).spec();
        AdmissionTimes admission = new AdmissionTimes(replicas);
        OperatorTimes times = slowdown == 1 ? replica.times() : new Slower(replica.times(), slowdown);
        ServingOutcome outcome = ServingSimulator.run(spec, trace, times, admission);
        admission.finish(outcome.endSeconds());
        Optional<Map<String, Double>> figures = outcome.ending() == ServingOutcome.Ending.FINISHED
                ? Optional.of(figures(trace, outcome.states()::prefillCompletedAt, outcome.states()::completedAt))
                : Optional.empty();
        boolean keepsUp = figures.isPresent()
                && keepsUp(replica, question, SustainedLoad.of(outcome).verdict());
        boolean meetsSlo = keepsUp && slo.broken(figures.get()).isEmpty();
        AdmissionLimit limit = limit(admission, replicas, outcome);
        return new DeploymentResult(
                question.load(), keepsUp, figures.orElse(Map.of()), limit, meetsSlo, meetsSlo ? 1 : 0, 1);
    }

    /**
     * Returns false if the run shows an overload. A run that is too short to tell keeps up, unless the model of the steady
     * state is overloaded by more than its error.
     */
    private boolean keepsUp(ReplicaModel replica, SimulationKey question, SustainedLoad.Verdict verdict) {
        return switch (verdict) {
            case SATURATED -> false;
            case TOO_SHORT ->
                new SteadyStateModel(replica, requests, question.deployment())
                        .at((1 - STEADY_ERROR) * question.load() * question.slowdown() / question.replicas())
                        .isPresent();
            default -> true;
        };
    }

    private static AdmissionLimit limit(AdmissionTimes admission, int replicas, ServingOutcome outcome) {
        AdmissionLimit longest = admission.longest();
        return admission.seconds(longest) > WAITING * replicas * outcome.endSeconds() ? longest : AdmissionLimit.NONE;
    }

    /** Pools behind a router; not remembered. */
    DeploymentResult of(PoolSimulator simulator, Pool prompts, Optional<Pool> outputs, Router router, double load) {
        DeploymentResult result = pools(simulator, prompts, outputs, router, load, 0);
        for (int seed = 1; result.meetsSlo() && seed < requests.seeds(); seed++) {
            result = result.and(pools(simulator, prompts, outputs, router, load, seed));
        }
        return result;
    }

    private DeploymentResult pools(
            PoolSimulator simulator, Pool prompts, Optional<Pool> outputs, Router router, double load, int seed) {
        RequestTrace trace = requests.at(load, seed);
        Served served = simulator.serve(prompts, outputs, router, trace, timeoutSeconds(trace));
        Map<String, Double> figures =
                served.keepsUp() ? figures(trace, i -> served.firstToken()[i], i -> served.completed()[i]) : Map.of();
        boolean meetsSlo = served.keepsUp() && slo.broken(figures).isEmpty();
        return new DeploymentResult(
                load, served.keepsUp(), figures, AdmissionLimit.NONE, meetsSlo, meetsSlo ? 1 : 0, 1);
    }

    private static double timeoutSeconds(RequestTrace trace) {
        return deadline(trace.arrivalSeconds(trace.size() - 1));
    }

    /** When a simulation ends at the latest, in seconds. */
    static double deadline(double lastArrival) {
        return 2 * lastArrival + TIMEOUT_SECONDS;
    }

    private static Map<String, Double> figures(RequestTrace trace, IntToDoubleFunction token, IntToDoubleFunction end) {
        int size = trace.size();
        double[] first = new double[size];
        double[] whole = new double[size];
        double[] each = new double[size];
        int several = 0;
        for (int i = 0; i < size; i++) {
            first[i] = MS * (token.applyAsDouble(i) - trace.arrivalSeconds(i));
            whole[i] = MS * (end.applyAsDouble(i) - trace.arrivalSeconds(i));
            int tokens = trace.decodeTokens(i);
            if (tokens > 1) {
                each[several++] = MS * (end.applyAsDouble(i) - token.applyAsDouble(i)) / (tokens - 1);
            }
        }
        Map<String, Double> figures = new LinkedHashMap<>();
        quantiles(figures, "ttft", first);
        quantiles(figures, "tpot", Arrays.copyOf(each, several));
        quantiles(figures, "e2e", whole);
        return figures;
    }

    private static void quantiles(Map<String, Double> into, String what, double[] values) {
        Arrays.sort(values);
        for (int q : QUANTILES) {
            into.put(what + "_p" + q + "_ms", values.length == 0 ? 0 : Quantiles.ofSorted(values, q / PERCENT));
        }
    }

    /** Times of steps, times a factor. */
    private record Slower(OperatorTimes times, double factor) implements OperatorTimes {
        @Override
        public double milliseconds(Operator operator, int count) {
            return times.milliseconds(operator, count);
        }

        @Override
        public double decodeMilliseconds(int batch, int kvTokens) {
            return times.decodeMilliseconds(batch, kvTokens);
        }

        @Override
        public double prefillMilliseconds(int kvTokens, int chunkTokens) {
            return times.prefillMilliseconds(kvTokens, chunkTokens);
        }

        @Override
        public Optional<WholeStep> wholeStep() {
            return times.wholeStep()
                    .map(step -> (operators, tokens, decodes, prefills) ->
                            factor * step.milliseconds(operators, tokens, decodes, prefills));
        }

        @Override
        public Coverage coverage() {
            return times.coverage();
        }
    }
}
