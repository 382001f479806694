package dev.stagesim.feature.plan;

import dev.stagesim.feature.plan.Slo.SloBound;
import dev.stagesim.predict.ForwardingTimes;
import dev.stagesim.predict.OperatorTimes;
import dev.stagesim.predict.WholeStep;
import dev.stagesim.report.Numbers;
import dev.stagesim.serving.EngineChoice;
import dev.stagesim.serving.PoolSimulator;
import dev.stagesim.serving.PoolSimulator.Pool;
import dev.stagesim.serving.PoolSimulator.Router;
import dev.stagesim.serving.PoolSimulator.Served;
import dev.stagesim.serving.ReplicaModel;
import dev.stagesim.sim.serving.metrics.CopyTimes;
import dev.stagesim.sim.serving.metrics.SustainedLoad.Verdict;
import dev.stagesim.sim.serving.replica.AdmissionLimit;
import dev.stagesim.sim.serving.replica.ServingRecorder;
import dev.stagesim.sim.serving.request.RequestTrace;
import dev.stagesim.sim.workload.ClosedLoop;
import dev.stagesim.stats.ParetoFront;
import dev.stagesim.stats.Quantiles;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.IntFunction;
import java.util.function.IntToDoubleFunction;
import java.util.stream.IntStream;

/** Runs and caches simulations of deployments. The worst seed sets the metrics of a deployment. */
final class SimulationCache {
    /** Relative error of the capacity that the steady-state model predicts. */
    private static final double STEADY_ERROR = 0.1;

    /** Factor by which the number of repetitions of the requests grows. */
    private static final int REPETITION_FACTOR = 4;

    /** Maximum number of requests per instance of a repeated run. */
    private static final long MAX_REPEATED = 100_000;

    /** Metric of a closed loop: the seconds from one completion to the next, on average. */
    static final String SECONDS_PER_REQUEST = "s_per_request";

    /** Metric of a closed loop: the mean number of requests that the engines have admitted and not completed. */
    private static final String RUNNING = "running_requests";

    /** Minimum share of the requests in flight that run at once if no limit of an engine keeps the others waiting. */
    private static final double MIN_RUNNING_SHARE = 0.9;

    /** Minimum share if prompts wait for the token budget of a step: all prompts of a wave wait for each other. */
    private static final double MIN_SHARE_OF_WAVES = 0.5;

    private static final double MS = 1e3;
    private static final int DIGITS = 3;
    private static final double TIMEOUT_SECONDS = 120;
    private static final double WAITING = 0.05;
    private static final double PERCENT = 100;

    /** Maximum ratio of a metric to its previous value for which further copies are tried. */
    private static final double MIN_IMPROVEMENT = 0.97;

    private static final int[] QUANTILES = {50, 90, 95, 99};
    private static final ServingRecorder[] NO_RECORDERS = {};

    private final RequestSamples requests;
    private final Slo slo;
    private final Map<SimulationKey, DeploymentResult> results = new ConcurrentHashMap<>();
    private final Map<SeedKey, DeploymentResult> seedRuns = new ConcurrentHashMap<>();

    SimulationCache(RequestSamples requests, Slo slo) {
        this.requests = requests;
        this.slo = slo;
    }

    private record SimulationKey(EngineChoice deployment, int replicas, double load, double slowdown) {}

    /** A run, and whether it ended before it showed that the load is sustained. */
    private record Trial(DeploymentResult result, boolean isTooShort) {}

    private record SeedKey(SimulationKey key, int seed) {}

    /**
     * Result of a deployment at a load.
     *
     * @param load requests per second
     * @param keepsUp whether the queue stays bounded with every seed
     * @param metrics percentiles by name, each of the worst seed; empty if not all requests were served
     * @param waitsFor cause of most of the waiting, if it is significant
     * @param meetsSlo whether the SLO is met with every seed
     * @param seedsSatisfied number of seeds that meet the SLO
     * @param seeds number of simulated seeds; simulation stops at the first that fails
     * @param repetitions repetitions of the requests in the longest run
     */
    record DeploymentResult(
            double load,
            boolean keepsUp,
            Map<String, Double> metrics,
            AdmissionLimit waitsFor,
            boolean meetsSlo,
            int seedsSatisfied,
            int seeds,
            int repetitions) {
        /** Front of price, P99 TTFT and P99 TPOT. */
        static final ParetoFront<double[]> FRONT = ParetoFront.ofVectors(3);

        double[] objectives(double price) {
            return new double[] {price, metrics.get("ttft_p99_ms"), metrics.get("tpot_p99_ms")};
        }

        /** Returns the metric of a bound; infinite if not all requests were served. */
        double value(SloBound bound) {
            return metrics.getOrDefault(bound.metric(), Double.POSITIVE_INFINITY);
        }

        /** Returns the median output tokens per second of a user; infinite if no request has several tokens. */
        double tokensPerUser() {
            return MS / metrics.getOrDefault("tpot_p50_ms", Double.POSITIVE_INFINITY);
        }

        /** Returns the metric of each bound as text, followed by the verdict. */
        List<String> cells(Slo slo) {
            List<String> cells = new ArrayList<>();
            for (SloBound bound : slo.bounds()) {
                Double metric = metrics.get(bound.metric());
                cells.add(metric == null ? Numbers.NONE : Numbers.significant(metric, DIGITS));
            }
            cells.add(meetsSlo ? "satisfied" : keepsUp ? "violated" : "requests pile up");
            return cells;
        }

        /** Returns the requests per second: the load, or the throughput of a closed loop. */
        double rate(boolean isClosed) {
            return isClosed ? 1 / metrics.getOrDefault(SECONDS_PER_REQUEST, Double.NaN) : load;
        }

        /** Returns the mean number of requests that run at once; all requests in flight if it is unknown. */
        double running() {
            return metrics.getOrDefault(RUNNING, load);
        }

        /** Returns true if requests of a closed loop wait in the queue of an engine, so that more of them only wait longer. */
        boolean isQueued() {
            boolean isLimited = waitsFor == AdmissionLimit.KV_BLOCKS || waitsFor == AdmissionLimit.BATCH_CAP;
            return running() < (isLimited ? MIN_RUNNING_SHARE : MIN_SHARE_OF_WAVES) * load;
        }

        /** True if adding copies did not improve any violated objective, compared with a run of the same length. */
        boolean isFutile(DeploymentResult previous, Slo slo) {
            return previous.keepsUp
                    && keepsUp
                    && repetitions == previous.repetitions
                    && slo.violated(metrics).stream()
                            .anyMatch(bound -> value(bound) > MIN_IMPROVEMENT * previous.value(bound));
        }

        private DeploymentResult repeated(int count) {
            return new DeploymentResult(load, keepsUp, metrics, waitsFor, meetsSlo, seedsSatisfied, seeds, count);
        }

        /** Combines two seeds by the worse value of each metric. */
        private DeploymentResult worst(DeploymentResult other) {
            Map<String, Double> worst = new LinkedHashMap<>();
            if (!metrics.isEmpty() && !other.metrics.isEmpty()) {
                metrics.forEach(
                        (name, value) -> worst.put(name, Math.max(value, other.metrics.getOrDefault(name, value))));
            }
            return new DeploymentResult(
                    load,
                    keepsUp && other.keepsUp,
                    worst,
                    waitsFor == AdmissionLimit.NONE ? other.waitsFor : waitsFor,
                    meetsSlo && other.meetsSlo,
                    seedsSatisfied + other.seedsSatisfied,
                    seeds + other.seeds,
                    Math.max(repetitions, other.repetitions));
        }
    }

    /** Returns the number of simulated combinations of deployment, copies and load. */
    int count() {
        return results.size();
    }

    /** Returns the number of simulations, counting each seed. */
    int seedRuns() {
        return seedRuns.size();
    }

    /**
     * A simulated size of a deployment.
     *
     * @param replicas number of copies
     */
    record SimulatedSize(EngineChoice deployment, int replicas, DeploymentResult result) {
        int devices() {
            return replicas * deployment.shape().devices();
        }
    }

    /** Returns all simulated deployments, copies and loads that meet the SLO, in no particular order. */
    List<SimulatedSize> satisfied() {
        return results.entrySet().stream()
                .filter(e -> e.getKey().slowdown() == 1 && e.getValue().meetsSlo())
                .map(e -> new SimulatedSize(e.getKey().deployment(), e.getKey().replicas(), e.getValue()))
                .toList();
    }

    /** Returns the results of a number of copies at all simulated loads, in ascending order of load. */
    List<DeploymentResult> loads(EngineChoice deployment, int replicas) {
        return results.entrySet().stream()
                .filter(e -> e.getKey().deployment().equals(deployment)
                        && e.getKey().replicas() == replicas
                        && e.getKey().slowdown() == 1)
                .map(Map.Entry::getValue)
                .sorted(Comparator.comparingDouble(DeploymentResult::load))
                .toList();
    }

    /** Simulates copies of a deployment at a load until a seed fails. */
    DeploymentResult of(ReplicaModel replica, EngineChoice deployment, int replicas, double load) {
        return of(replica, deployment, replicas, load, 1);
    }

    /**
     * Simulates copies of a deployment at a load, with all step times scaled by {@code slowdown}. Unless it is 1, a result
     * that misses the SLO has no metrics.
     */
    DeploymentResult of(ReplicaModel replica, EngineChoice deployment, int replicas, double load, double slowdown) {
        SimulationKey key = new SimulationKey(deployment, replicas, load, slowdown);
        DeploymentResult previous = results.get(key);
        if (previous != null) {
            return previous;
        }
        DeploymentResult first = run(replica, key, 0);
        DeploymentResult result = first.meetsSlo() ? rest(replica, key, first) : first;
        results.put(key, result);
        return result;
    }

    /** Simulates every seed, even if the first one fails. */
    DeploymentResult ofEverySeed(ReplicaModel replica, EngineChoice deployment, int replicas, double load) {
        SimulationKey key = new SimulationKey(deployment, replicas, load, 1);
        return rest(replica, key, run(replica, key, 0));
    }

    private DeploymentResult rest(ReplicaModel replica, SimulationKey key, DeploymentResult first) {
        return IntStream.range(1, requests.seeds())
                .parallel()
                .mapToObj(seed -> run(replica, key, seed))
                .reduce(DeploymentResult::worst)
                .map(first::worst)
                .orElse(first);
    }

    private DeploymentResult run(ReplicaModel replica, SimulationKey key, int seed) {
        SeedKey seeded = new SeedKey(key, seed);
        DeploymentResult previous = seedRuns.get(seeded);
        if (previous != null) {
            return previous;
        }
        DeploymentResult result = simulate(replica, key, seed);
        seedRuns.put(seeded, result);
        return result;
    }

    private DeploymentResult simulate(ReplicaModel replica, SimulationKey key, int seed) {
        return untilDecided(key.replicas(), repetitions -> {
            RequestTrace trace = requests.at(key.load(), seed, repetitions);
            int dp = key.deployment().shape().layout().dp();
            int copies = Math.max(1, key.replicas() / repetitions);
            return simulate(replica, key, copies, share(trace, key.replicas() * dp, copies * dp));
        });
    }

    /**
     * Repeats a run with more requests until it shows whether the load is sustained. A longer run has longer latencies, so
     * a run that misses the SLO decides. The maximum number of requests is proportional to the instances.
     */
    private DeploymentResult untilDecided(int instances, IntFunction<Trial> run) {
        int repetitions = 1;
        Trial trial = run.apply(repetitions);
        while (trial.isTooShort()
                && trial.result().meetsSlo()
                && requests.canRepeat()
                && (long) requests.size() * repetitions * REPETITION_FACTOR <= MAX_REPEATED * instances) {
            repetitions *= REPETITION_FACTOR;
            trial = run.apply(repetitions);
        }
        return trial.result().repeated(repetitions);
    }

    /** Returns the requests that a round robin over all engines sends to the first ones. */
    private static RequestTrace share(RequestTrace trace, int engines, int first) {
        return first == engines
                ? trace
                : trace.part(IntStream.range(0, trace.size())
                        .filter(request -> request % engines < first)
                        .toArray());
    }

    /** Simulates copies of a deployment, which can be a part of them with its part of the load. */
    private Trial simulate(ReplicaModel replica, SimulationKey key, int copies, RequestTrace trace) {
        double slowdown = key.slowdown();
        double timeout = timeoutSeconds(trace);
        OperatorTimes times = slowdown == 1 ? replica.times() : new ScaledStepTimes(replica.times(), slowdown);
        ServingRecorder[] recorders = slowdown == 1 ? NO_RECORDERS : new ServingRecorder[] {new SloWatch(slo, trace)};
        CopyTimes outcome;
        try {
            outcome = CopyTimes.of(count -> replica.replicated(count, timeout).spec(), copies, trace, times, recorders);
        } catch (SloWatch.ViolatedException certain) {
            return new Trial(
                    new DeploymentResult(key.load(), false, Map.of(), AdmissionLimit.NONE, false, 0, 1, 1), false);
        }
        Optional<Map<String, Double>> metrics = outcome.isFinished()
                ? Optional.of(metrics(trace, outcome::arrivedAt, outcome::firstTokenAt, outcome::departedAt))
                : Optional.empty();
        metrics.filter(all -> trace.closedLoop().isPresent())
                .ifPresent(all ->
                        all.put(RUNNING, running(trace, outcome, all.getOrDefault(SECONDS_PER_REQUEST, Double.NaN))));
        Verdict verdict = metrics.isPresent() && trace.closedLoop().isEmpty()
                ? outcome.load().verdict()
                : Verdict.AT_ONCE;
        boolean keepsUp = metrics.isPresent() && keepsUp(replica, key, verdict);
        boolean meetsSlo = keepsUp && slo.violated(metrics.get()).isEmpty();
        AdmissionLimit limit =
                limit(outcome, copies * key.deployment().shape().layout().dp());
        return new Trial(
                new DeploymentResult(
                        key.load(), keepsUp, metrics.orElse(Map.of()), limit, meetsSlo, meetsSlo ? 1 : 0, 1, 1),
                verdict == Verdict.TOO_SHORT);
    }

    /**
     * Returns false if the run shows an overload. A run that is too short to tell keeps up, unless the model of the steady
     * state is overloaded by more than its error.
     */
    private boolean keepsUp(ReplicaModel replica, SimulationKey key, Verdict verdict) {
        return switch (verdict) {
            case SATURATED -> false;
            case TOO_SHORT ->
                new SteadyStateModel(replica, requests, key.deployment())
                        .at((1 - STEADY_ERROR) * key.load() * key.slowdown() / key.replicas())
                        .isPresent();
            default -> true;
        };
    }

    private static AdmissionLimit limit(CopyTimes outcome, int engines) {
        AdmissionLimit longest = outcome.admission().longest();
        return outcome.admission().seconds(longest) > WAITING * engines * outcome.endSeconds()
                ? longest
                : AdmissionLimit.NONE;
    }

    /** Simulates pools with a router, without caching. */
    DeploymentResult of(PoolSimulator simulator, Pool prompts, Optional<Pool> outputs, Router router, double load) {
        DeploymentResult result = pools(simulator, prompts, outputs, router, load, 0);
        for (int seed = 1; result.meetsSlo() && seed < requests.seeds(); seed++) {
            result = result.worst(pools(simulator, prompts, outputs, router, load, seed));
        }
        return result;
    }

    private DeploymentResult pools(
            PoolSimulator simulator, Pool prompts, Optional<Pool> outputs, Router router, double load, int seed) {
        int instances = prompts.copies() + outputs.map(Pool::copies).orElse(0);
        return untilDecided(instances, repetitions -> {
            RequestTrace trace = requests.at(load, seed, repetitions);
            Served served = simulator.serve(prompts, outputs, router, trace, timeoutSeconds(trace));
            boolean isTooShort = served.isComplete() && served.verdict() == Verdict.TOO_SHORT;
            boolean keepsUp = served.isComplete()
                    && served.verdict() != Verdict.SATURATED
                    && !(isTooShort && isOverloaded(prompts, outputs, load));
            Map<String, Double> metrics = keepsUp
                    ? metrics(trace, trace::arrivalSeconds, i -> served.firstToken()[i], i -> served.completed()[i])
                    : Map.of();
            boolean meetsSlo = keepsUp && slo.violated(metrics).isEmpty();
            DeploymentResult result =
                    new DeploymentResult(load, keepsUp, metrics, AdmissionLimit.NONE, meetsSlo, meetsSlo ? 1 : 0, 1, 1);
            return new Trial(result, isTooShort);
        });
    }

    /** Returns true if the rates of the steady state are below the load by more than their error. */
    private boolean isOverloaded(Pool prompts, Optional<Pool> outputs, double load) {
        double sure = (1 - STEADY_ERROR) * load;
        SteadyStateModel first = new SteadyStateModel(prompts.replica(), requests, prompts.deployment());
        if (outputs.isEmpty()) {
            return first.at(sure / prompts.copies()).isEmpty();
        }
        Pool second = outputs.get();
        SteadyStateModel decode = new SteadyStateModel(second.replica(), requests, second.deployment());
        return first.promptsPerS() * prompts.copies() < sure
                || decode.outputsPerS(Double.POSITIVE_INFINITY) * second.copies() < sure;
    }

    /** Returns the limit on the simulated time in seconds, or 0 for none. */
    private static double timeoutSeconds(RequestTrace trace) {
        return trace.closedLoop().isPresent() ? 0 : deadline(trace.arrivalSeconds(trace.size() - 1));
    }

    /** Returns the end of a simulation in seconds, even if requests are unfinished. */
    static double deadline(double lastArrival) {
        return 2 * lastArrival + TIMEOUT_SECONDS;
    }

    private static Map<String, Double> metrics(
            RequestTrace trace, IntToDoubleFunction arrival, IntToDoubleFunction token, IntToDoubleFunction end) {
        int begin = trace.closedLoop().map(ClosedLoop::warmUpRequests).orElse(0);
        int size = trace.size() - begin;
        double[] first = new double[size];
        double[] e2e = new double[size];
        double[] tpot = new double[size];
        int count = 0;
        for (int i = begin; i < trace.size(); i++) {
            first[i - begin] = MS * (token.applyAsDouble(i) - arrival.applyAsDouble(i));
            e2e[i - begin] = MS * (end.applyAsDouble(i) - arrival.applyAsDouble(i));
            int tokens = trace.decodeTokens(i);
            if (tokens > 1) {
                tpot[count++] = MS * (end.applyAsDouble(i) - token.applyAsDouble(i)) / (tokens - 1);
            }
        }
        Map<String, Double> metrics = new LinkedHashMap<>();
        quantiles(metrics, "ttft", first);
        quantiles(metrics, "tpot", Arrays.copyOf(tpot, count));
        quantiles(metrics, "e2e", e2e);
        if (trace.closedLoop().isPresent()) {
            double from = arrival.applyAsDouble(begin);
            double to =
                    IntStream.range(begin, trace.size()).mapToDouble(end).max().orElse(from);
            metrics.put(SECONDS_PER_REQUEST, (to - from) / size);
        }
        return metrics;
    }

    /** Returns the mean number of admitted requests: their mean time from admission to completion times their rate. */
    private static double running(RequestTrace trace, CopyTimes outcome, double secondsPerRequest) {
        int begin = trace.closedLoop().map(ClosedLoop::warmUpRequests).orElse(0);
        double seconds = IntStream.range(begin, trace.size())
                .mapToDouble(i -> outcome.departedAt(i) - outcome.startedAt(i))
                .average()
                .orElse(0);
        return seconds / secondsPerRequest;
    }

    private static void quantiles(Map<String, Double> into, String what, double[] values) {
        Arrays.sort(values);
        for (int q : QUANTILES) {
            into.put(what + "_p" + q + "_ms", values.length == 0 ? 0 : Quantiles.ofSorted(values, q / PERCENT));
        }
    }

    /** Step times multiplied by a factor. */
    private record ScaledStepTimes(OperatorTimes operators, double factor) implements ForwardingTimes {
        @Override
        public Optional<WholeStep> wholeStep() {
            return operators
                    .wholeStep()
                    .map(step -> (operatorMs, tokens, decodes, prefills) ->
                            factor * step.milliseconds(operatorMs, tokens, decodes, prefills));
        }
    }
}
