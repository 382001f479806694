package dev.stagesim.feature.plan;

import dev.stagesim.feature.Deployment;
import dev.stagesim.feature.PoolSimulator;
import dev.stagesim.feature.PoolSimulator.Pool;
import dev.stagesim.feature.PoolSimulator.Router;
import dev.stagesim.feature.PoolSimulator.Served;
import dev.stagesim.feature.Replica;
import dev.stagesim.feature.plan.Slo.Bound;
import dev.stagesim.predict.Operator;
import dev.stagesim.predict.OperatorTimes;
import dev.stagesim.predict.WholeStep;
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

/** Simulations of deployments, each made once. */
final class Trials {
    private static final double MS = 1e3;
    private static final double PATIENCE_S = 120;
    private static final double WAITING = 0.05;
    private static final double PERCENT = 100;

    /** What more copies must improve a figure by to be worth it. */
    private static final double BETTER = 0.97;

    private static final int[] QUANTILES = {50, 90, 95, 99};

    private final Requests requests;
    private final Slo slo;
    private final Map<Question, Trial> known = new ConcurrentHashMap<>();

    Trials(Requests requests, Slo slo) {
        this.requests = requests;
        this.slo = slo;
    }

    private record Question(Deployment deployment, int replicas, double load, double slower) {}

    /**
     * What a simulation gave.
     *
     * @param load requests a second
     * @param keepsUp whether requests did not pile up
     * @param figures percentiles by name; empty where not all requests were served
     * @param waitsFor what kept requests waiting longest, where that is a good part of the time
     * @param holds whether the service level held
     */
    record Trial(double load, boolean keepsUp, Map<String, Double> figures, AdmissionLimit waitsFor, boolean holds) {
        /** A figure that a bound is on; infinite where not all requests were served. */
        double value(Bound bound) {
            return figures.getOrDefault(bound.figure(), Double.POSITIVE_INFINITY);
        }

        /** Whether more copies than before bettered nothing that is broken. */
        boolean isVain(Trial before, Slo slo) {
            return before.keepsUp
                    && keepsUp
                    && slo.broken(figures).stream().anyMatch(bound -> value(bound) > BETTER * before.value(bound));
        }
    }

    /** Simulations so far. */
    int count() {
        return known.size();
    }

    /** What is known of copies at any load, by rising load. */
    List<Trial> loads(Deployment deployment, int replicas) {
        return known.entrySet().stream()
                .filter(e -> e.getKey().deployment().equals(deployment)
                        && e.getKey().replicas() == replicas
                        && e.getKey().slower() == 1)
                .map(Map.Entry::getValue)
                .sorted(Comparator.comparingDouble(Trial::load))
                .toList();
    }

    /** Copies of a deployment at a load. */
    Trial of(Replica replica, Deployment deployment, int replicas, double load) {
        return of(replica, deployment, replicas, load, 1);
    }

    /** The same with steps that take so many times as long. */
    Trial of(Replica replica, Deployment deployment, int replicas, double load, double slower) {
        return known.computeIfAbsent(
                new Question(deployment, replicas, load, slower),
                question -> simulate(replica, deployment, replicas, load, slower));
    }

    private Trial simulate(Replica replica, Deployment deployment, int replicas, double load, double slower) {
        RequestTrace trace = requests.at(load);
        ServingSpec spec = replica.spec(deployment, replicas, patience(trace));
        AdmissionTimes admission = new AdmissionTimes(replicas);
        OperatorTimes times = slower == 1 ? replica.times() : new Slower(replica.times(), slower);
        ServingOutcome outcome = ServingSimulator.run(spec, trace, times, admission);
        admission.finish(outcome.endSeconds());
        Optional<Map<String, Double>> figures = outcome.ending() == ServingOutcome.Ending.FINISHED
                ? Optional.of(figures(trace, outcome.states()::prefillCompletedAt, outcome.states()::completedAt))
                : Optional.empty();
        boolean keepsUp = figures.isPresent() && SustainedLoad.of(outcome).verdict() != SustainedLoad.Verdict.SATURATED;
        boolean holds = keepsUp && slo.broken(figures.get()).isEmpty();
        return new Trial(load, keepsUp, figures.orElse(Map.of()), limit(admission, replicas, outcome), holds);
    }

    private static AdmissionLimit limit(AdmissionTimes admission, int replicas, ServingOutcome outcome) {
        AdmissionLimit longest = admission.longest();
        return admission.seconds(longest) > WAITING * replicas * outcome.endSeconds() ? longest : AdmissionLimit.NONE;
    }

    /** The same of pools behind a router; each is made once only by those who ask. */
    Trial of(PoolSimulator simulator, Pool prompts, Optional<Pool> outputs, Router router, double load) {
        RequestTrace trace = requests.at(load);
        Served served = simulator.serve(prompts, outputs, router, trace, patience(trace));
        Map<String, Double> figures =
                served.keepsUp() ? figures(trace, i -> served.firstToken()[i], i -> served.completed()[i]) : Map.of();
        boolean holds = served.keepsUp() && slo.broken(figures).isEmpty();
        return new Trial(load, served.keepsUp(), figures, AdmissionLimit.NONE, holds);
    }

    private static double patience(RequestTrace trace) {
        return 2 * trace.arrivalSeconds(trace.size() - 1) + PATIENCE_S;
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
