package dev.stagesim.stage.vidursim;

import static dev.stagesim.model.Nanos.NS_PER_MS;
import static dev.stagesim.model.Nanos.NS_PER_S;

import dev.stagesim.sim.serving.ServingOutcome;
import dev.stagesim.sim.serving.metrics.BatchWindow;
import dev.stagesim.sim.serving.metrics.ClosedLoopWarnings;
import dev.stagesim.sim.serving.metrics.SustainedLoad;
import dev.stagesim.sim.serving.metrics.Utilization;
import dev.stagesim.sim.serving.replica.RequestStates;
import dev.stagesim.sim.workload.ClosedLoop;
import dev.stagesim.stats.Quantiles;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.function.IntPredicate;
import java.util.function.IntToDoubleFunction;
import java.util.stream.IntStream;

/** Metrics of a run: sorted latencies of completed requests, throughput and memory. */
final class ServingMetrics {
    private static final double MEDIAN = 0.5;
    private static final double TAIL = 0.99;
    private static final double MS_PER_S = 1000;
    private static final String SATURATED = "saturated";
    private static final String TOO_SHORT = "too_short";

    private final SustainedLoad load;
    private final ServingOutcome outcome;
    private final RequestStates states;
    private final Utilization utilization;
    private final int replicas;
    private final BatchWindow window;
    private final RequestTimes times;
    private final double[] firstTokenMs;
    private final double[] perTokenMs;
    private final double[] endToEndMs;

    ServingMetrics(
            ServingOutcome outcome, RequestTimes times, Utilization utilization, int replicas, BatchWindow window) {
        this.window = window;
        this.times = times;
        this.outcome = outcome;
        this.states = outcome.states();
        this.utilization = utilization;
        this.replicas = replicas;
        load = SustainedLoad.of(outcome);
        firstTokenMs = firstTokenMs(r -> true);
        perTokenMs = sorted(r -> counts(r) && states.emittedTokens(r) > 1, r -> times.tpot(r) / NS_PER_MS);
        endToEndMs = endToEndMs(r -> true);
    }

    private boolean counts(int request) {
        return states.completed(request) && !window.isExcluded(request);
    }

    /** Returns the times to first token of completed requests of a kind, ascending. */
    double[] firstTokenMs(IntPredicate which) {
        return sorted(r -> counts(r) && which.test(r), r -> times.timeToFirstToken(r) / NS_PER_MS);
    }

    /** Returns the end-to-end latencies of completed requests of a kind, ascending. */
    double[] endToEndMs(IntPredicate which) {
        return sorted(r -> counts(r) && which.test(r), r -> times.endToEnd(r) / NS_PER_MS);
    }

    private double[] sorted(IntPredicate which, IntToDoubleFunction value) {
        return Quantiles.sorted(IntStream.range(0, states.size())
                .filter(which)
                .mapToDouble(value)
                .toArray());
    }

    /** Returns the number of completed requests that the metrics exclude, because their last batch is outside the window. */
    int excludedRequests() {
        return window.excludedRequests();
    }

    /** Returns whether the load was sustained. */
    SustainedLoad load() {
        return load;
    }

    /** Returns the P99 wait for the prefill in ms if it is far longer than prefills; empty otherwise. */
    Optional<Double> longWaitMs() {
        if (firstTokenMs.length == 0 || !SustainedLoad.isLongWait(Quantiles.ofSorted(firstTokenMs, TAIL), 0)) {
            return Optional.empty(); // no wait is longer than the time to the first token
        }
        double[] waits = sorted(this::counts, this::waitMs);
        double[] prefills = sorted(this::counts, r -> times.timeToFirstToken(r) / NS_PER_MS - waitMs(r));
        double wait = Quantiles.ofSorted(waits, TAIL);
        return SustainedLoad.isLongWait(wait, Quantiles.ofSorted(prefills, MEDIAN))
                ? Optional.of(wait)
                : Optional.empty();
    }

    private double waitMs(int request) {
        return MS_PER_S * (states.scheduledAt(request) - states.arrivedAt(request));
    }

    /** Returns the number of requests. */
    int requests() {
        return states.size();
    }

    long restarts() {
        return outcome.restarts();
    }

    Optional<ClosedLoop> closedLoop() {
        return states.trace().closedLoop();
    }

    /** Returns warnings about the metrics of a closed loop of drawn or given requests; empty for other loads. */
    List<String> closedLoopWarnings(boolean isDrawn) {
        return closedLoop().stream()
                .flatMap(loop -> new ClosedLoopWarnings(
                                loop,
                                states.trace(),
                                states::arrivedAt,
                                r -> states.completed(r) ? times.timeToFirstToken(r) / NS_PER_MS : Double.NaN,
                                isDrawn)
                        .all().stream())
                .toList();
    }

    double[] firstTokenMs() {
        return firstTokenMs;
    }

    double[] perTokenMs() {
        return perTokenMs;
    }

    double[] endToEndMs() {
        return endToEndMs;
    }

    /** Returns the time from the first arrival after the warm-up to the last event, in seconds. */
    double seconds() {
        return outcome.endSeconds() - begin(window.warmUp());
    }

    /** Returns the time of the first arrival, in seconds. */
    double begin() {
        return begin(0);
    }

    private double begin(int from) {
        double first = Double.POSITIVE_INFINITY;
        for (int request = from; request < states.size(); request++) {
            first = Math.min(first, states.arrivedAt(request));
        }
        return first;
    }

    int warmUp() {
        return window.warmUp();
    }

    /** Returns the number of completed requests after the warm-up. */
    int completed() {
        int completed = outcome.completed();
        for (int request = 0; request < window.warmUp(); request++) {
            completed -= states.completed(request) ? 1 : 0;
        }
        return completed;
    }

    /** Returns the prompt tokens of the requests after the warm-up. */
    long promptTokens() {
        return Arrays.stream(states.trace().prefillTokens())
                .skip(window.warmUp())
                .asLongStream()
                .sum();
    }

    long outputTokens() {
        long sum = 0;
        for (int request = window.warmUp(); request < states.size(); request++) {
            sum += states.emittedTokens(request);
        }
        return sum;
    }

    /**
     * Returns the energy of the devices per output token in J; empty without output tokens.
     *
     * @param boardWatts board power of all devices in W
     */
    OptionalDouble joulesPerToken(double boardWatts) {
        double joules = boardWatts * utilization.meanPower() * seconds() / measuredTokens();
        return Double.isFinite(joules) && joules > 0 ? OptionalDouble.of(joules) : OptionalDouble.empty();
    }

    /** Returns the output tokens in the measured time, including tokens of warm-up requests that end in it. */
    double measuredTokens() {
        double begin = begin(window.warmUp());
        return outputTokens()
                + warmUpShares(r -> states.emittedTokens(r)
                        * shareAfter(
                                begin,
                                states.arrivedAt(r) + times.timeToFirstToken(r) / NS_PER_S,
                                states.completedAt(r)));
    }

    /** Returns the requests served in the measured time; a warm-up request counts with its share of time in it. */
    double measuredRequests() {
        double begin = begin(window.warmUp());
        return completed() + warmUpShares(r -> shareAfter(begin, states.arrivedAt(r), states.completedAt(r)));
    }

    private double warmUpShares(IntToDoubleFunction share) {
        return IntStream.range(0, window.warmUp())
                .filter(states::completed)
                .mapToDouble(share)
                .sum();
    }

    private static double shareAfter(double begin, double from, double to) {
        return to <= begin ? 0 : from >= begin ? 1 : (to - begin) / (to - from);
    }

    double kvPeakPercent() {
        double limit = 0;
        for (int replica = 0; replica < replicas; replica++) {
            limit = Math.max(limit, utilization.memory(replica).max());
        }
        return limit;
    }

    /** Returns the headline metrics; undefined metrics are omitted. */
    Map<String, Double> headlines() {
        Map<String, Double> headlines = new LinkedHashMap<>();
        quantile(headlines, "ttft_p50_ms", firstTokenMs, 0.5);
        quantile(headlines, "ttft_p99_ms", firstTokenMs, 0.99);
        quantile(headlines, "tpot_p50_ms", perTokenMs, 0.5);
        quantile(headlines, "tpot_p99_ms", perTokenMs, 0.99);
        quantile(headlines, "e2e_p50_ms", endToEndMs, 0.5);
        if (seconds() > 0) {
            headlines.put("throughput_requests_per_s", measuredRequests() / seconds());
            headlines.put("throughput_tokens_per_s", measuredTokens() / seconds());
        }
        if (load.arrivalSeconds() > 0 && states.trace().closedLoop().isEmpty()) {
            headlines.put("offered_requests_per_s", load.offeredPerSecond());
            if (load.verdict() == SustainedLoad.Verdict.TOO_SHORT) {
                headlines.put(TOO_SHORT, 1.0); // "saturated 0" would say that the load was sustained
            } else {
                headlines.put(SATURATED, isSaturated());
            }
        } else if (states.trace().closedLoop().isEmpty() && seconds() > 0) {
            headlines.put("makespan_s", seconds()); // all requests arrived at once
        }
        headlines.put("restarts", (double) outcome.restarts());
        outcome.engine().ifPresent(engine -> {
            headlines.put("prefix_hit_percent", 100 * engine.hitRate());
            if (engine.draftTokens() > 0) {
                headlines.put("accepted_percent", 100.0 * engine.acceptedTokens() / engine.draftTokens());
            }
        });
        headlines.put("kv_peak_percent", kvPeakPercent());
        return headlines;
    }

    /** Returns further metrics, which a run does not record. */
    Map<String, Double> more() {
        Map<String, Double> more = new LinkedHashMap<>();
        quantile(more, "tpot_p99_ms", perTokenMs, 0.99);
        quantile(more, "e2e_p99_ms", endToEndMs, 0.99);
        if (states.trace().closedLoop().isEmpty()) {
            more.put(SATURATED, isSaturated());
            more.put(TOO_SHORT, load.verdict() == SustainedLoad.Verdict.TOO_SHORT ? 1.0 : 0.0);
        }
        return more;
    }

    private double isSaturated() {
        return load.verdict() == SustainedLoad.Verdict.SATURATED ? 1 : 0;
    }

    private static void quantile(Map<String, Double> into, String name, double[] sorted, double q) {
        if (sorted.length > 0) {
            into.put(name, Quantiles.ofSorted(sorted, q));
        }
    }
}
