package dev.stagesim.feature.plan;

import dev.stagesim.feature.EngineChoice;
import dev.stagesim.feature.PoolSimulator;
import dev.stagesim.feature.PoolSimulator.Pool;
import dev.stagesim.feature.PoolSimulator.Router;
import dev.stagesim.feature.PoolSimulator.Served;
import dev.stagesim.feature.plan.Slo.Bound;
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
final class Trials {
    private static final double MS = 1e3;
    private static final double PATIENCE_S = 120;
    private static final double WAITING = 0.05;
    private static final double PERCENT = 100;

    /** Maximum ratio to the previous value at which more copies are worth another simulation. */
    private static final double BETTER = 0.97;

    private static final int[] QUANTILES = {50, 90, 95, 99};

    private final Requests requests;
    private final Slo slo;
    private final Map<Question, Trial> known = new ConcurrentHashMap<>();
    private final Map<Seeded, Trial> runs = new ConcurrentHashMap<>();

    Trials(Requests requests, Slo slo) {
        this.requests = requests;
        this.slo = slo;
    }

    private record Question(EngineChoice deployment, int replicas, double load, double slower) {}

    private record Seeded(Question question, int seed) {}

    /**
     * Result of a deployment at a load.
     *
     * @param load requests per second
     * @param keepsUp whether requests did not pile up with any seed
     * @param figures percentiles by name, of the worst seed each; empty if not all requests were served
     * @param waitsFor what kept requests waiting longest, if that is a good part of the time
     * @param holds whether the service level is satisfied with every seed
     * @param seedsHeld seeds with which it is satisfied
     * @param seeds seeds that were simulated; the search stops at the first that fails
     */
    record Trial(
            double load,
            boolean keepsUp,
            Map<String, Double> figures,
            AdmissionLimit waitsFor,
            boolean holds,
            int seedsHeld,
            int seeds) {
        /** A metric that a bound is on; infinite if not all requests were served. */
        double value(Bound bound) {
            return figures.getOrDefault(bound.figure(), Double.POSITIVE_INFINITY);
        }

        /** Whether more copies than before improved no violated objective. */
        boolean isVain(Trial before, Slo slo) {
            return before.keepsUp
                    && keepsUp
                    && slo.broken(figures).stream().anyMatch(bound -> value(bound) > BETTER * before.value(bound));
        }

        /** The worse of each of two seeds. */
        private Trial and(Trial other) {
            Map<String, Double> worst = new LinkedHashMap<>();
            if (!figures.isEmpty() && !other.figures.isEmpty()) {
                figures.forEach(
                        (name, value) -> worst.put(name, Math.max(value, other.figures.getOrDefault(name, value))));
            }
            return new Trial(
                    load,
                    keepsUp && other.keepsUp,
                    worst,
                    waitsFor == AdmissionLimit.NONE ? other.waitsFor : waitsFor,
                    holds && other.holds,
                    seedsHeld + other.seedsHeld,
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
    List<Trial> loads(EngineChoice deployment, int replicas) {
        return known.entrySet().stream()
                .filter(e -> e.getKey().deployment().equals(deployment)
                        && e.getKey().replicas() == replicas
                        && e.getKey().slower() == 1)
                .map(Map.Entry::getValue)
                .sorted(Comparator.comparingDouble(Trial::load))
                .toList();
    }

    /** Copies of a deployment at a load. */
    Trial of(ReplicaModel replica, EngineChoice deployment, int replicas, double load) {
        return of(replica, deployment, replicas, load, 1);
    }

    /** Copies of a deployment at a load with steps that take {@code slower} times as long. */
    Trial of(ReplicaModel replica, EngineChoice deployment, int replicas, double load, double slower) {
        Question question = new Question(deployment, replicas, load, slower);
        Trial before = known.get(question);
        if (before != null) {
            return before;
        }
        Trial first = run(replica, question, 0);
        Trial trial = first.holds() ? rest(replica, question, first) : first;
        known.put(question, trial);
        return trial;
    }

    /** Copies of a deployment at a load with every seed, also if the first one fails. */
    Trial ofEverySeed(ReplicaModel replica, EngineChoice deployment, int replicas, double load) {
        Question question = new Question(deployment, replicas, load, 1);
        return rest(replica, question, run(replica, question, 0));
    }

    private Trial rest(ReplicaModel replica, Question question, Trial first) {
        return IntStream.range(1, requests.seeds())
                .parallel()
                .mapToObj(seed -> run(replica, question, seed))
                .reduce(first, Trial::and);
    }

    private Trial run(ReplicaModel replica, Question question, int seed) {
        Seeded seeded = new Seeded(question, seed);
        Trial before = runs.get(seeded);
        if (before != null) {
            return before;
        }
        Trial trial = simulate(replica, question, seed);
        runs.put(seeded, trial);
        return trial;
    }

    private Trial simulate(ReplicaModel replica, Question question, int seed) {
        int replicas = question.replicas();
        double slower = question.slower();
        RequestTrace trace = requests.at(question.load(), seed);
        ServingSpec spec = replica.replicated(replicas, patience(trace)).spec();
        AdmissionTimes admission = new AdmissionTimes(replicas);
        OperatorTimes times = slower == 1 ? replica.times() : new Slower(replica.times(), slower);
        ServingOutcome outcome = ServingSimulator.run(spec, trace, times, admission);
        admission.finish(outcome.endSeconds());
        Optional<Map<String, Double>> figures = outcome.ending() == ServingOutcome.Ending.FINISHED
                ? Optional.of(figures(trace, outcome.states()::prefillCompletedAt, outcome.states()::completedAt))
                : Optional.empty();
        boolean keepsUp = figures.isPresent()
                && keepsUp(replica, question, SustainedLoad.of(outcome).verdict());
        boolean holds = keepsUp && slo.broken(figures.get()).isEmpty();
        AdmissionLimit limit = limit(admission, replicas, outcome);
        return new Trial(question.load(), keepsUp, figures.orElse(Map.of()), limit, holds, holds ? 1 : 0, 1);
    }

    /** If most of a run came after the last arrival, it does not show a sustained load: the steady state decides. */
    private boolean keepsUp(ReplicaModel replica, Question question, SustainedLoad.Verdict verdict) {
        return switch (verdict) {
            case SATURATED -> false;
            case TOO_SHORT ->
                new Steady(replica, requests, question.deployment())
                        .at(question.load() * question.slower() / question.replicas())
                        .isPresent();
            default -> true;
        };
    }

    private static AdmissionLimit limit(AdmissionTimes admission, int replicas, ServingOutcome outcome) {
        AdmissionLimit longest = admission.longest();
        return admission.seconds(longest) > WAITING * replicas * outcome.endSeconds() ? longest : AdmissionLimit.NONE;
    }

    /** Pools behind a router; not remembered. */
    Trial of(PoolSimulator simulator, Pool prompts, Optional<Pool> outputs, Router router, double load) {
        Trial trial = pools(simulator, prompts, outputs, router, load, 0);
        for (int seed = 1; trial.holds() && seed < requests.seeds(); seed++) {
            trial = trial.and(pools(simulator, prompts, outputs, router, load, seed));
        }
        return trial;
    }

    private Trial pools(
            PoolSimulator simulator, Pool prompts, Optional<Pool> outputs, Router router, double load, int seed) {
        RequestTrace trace = requests.at(load, seed);
        Served served = simulator.serve(prompts, outputs, router, trace, patience(trace));
        Map<String, Double> figures =
                served.keepsUp() ? figures(trace, i -> served.firstToken()[i], i -> served.completed()[i]) : Map.of();
        boolean holds = served.keepsUp() && slo.broken(figures).isEmpty();
        return new Trial(load, served.keepsUp(), figures, AdmissionLimit.NONE, holds, holds ? 1 : 0, 1);
    }

    private static double patience(RequestTrace trace) {
        return deadline(trace.arrivalSeconds(trace.size() - 1));
    }

    /** When a simulation ends at the latest, in seconds. */
    static double deadline(double lastArrival) {
        return 2 * lastArrival + PATIENCE_S;
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
