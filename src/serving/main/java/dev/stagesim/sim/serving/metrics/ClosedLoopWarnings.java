package dev.stagesim.sim.serving.metrics;

import dev.stagesim.report.Numbers;
import dev.stagesim.sim.serving.request.RequestTrace;
import dev.stagesim.sim.workload.ClosedLoop;
import dev.stagesim.stats.Quantiles;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.IntToDoubleFunction;
import java.util.function.IntUnaryOperator;
import java.util.stream.IntStream;

/**
 * Warnings about metrics of a closed loop that describe the load generator instead of the service: a run that is mostly
 * start and end, a P99 of the TTFT that only requests of the start determine, and requests that enter in groups.
 *
 * @param loop the closed loop
 * @param trace its requests
 * @param enteredAt time at which a request entered; infinite if it did not
 * @param ttftMs time to first token of a request in ms; NaN if it was not served
 * @param isDrawn whether keys of the run determine the requests, so that the advice can name them
 */
public record ClosedLoopWarnings(
        ClosedLoop loop,
        RequestTrace trace,
        IntToDoubleFunction enteredAt,
        IntToDoubleFunction ttftMs,
        boolean isDrawn) {
    /** Number of requests per request in flight from which start and end of a closed loop are a small part. */
    private static final int STEADY_ROUNDS = 10;

    /** Number of sessions per session in flight from which the start and the end are a small part. */
    private static final int STEADY_SESSIONS = 4;

    /** Minimum ratio of two values of P99 that is reported. */
    private static final double DIFFERENT = 1.1;

    /** Minimum mean size of a group of requests that enter together. */
    private static final double GROUP = 2;

    private static final double SPREAD = 0.1;
    private static final double P99 = 0.99;
    private static final int DIGITS = 3;

    /** Returns all warnings about the metrics of the closed loop. */
    public List<String> all() {
        List<String> warnings = new ArrayList<>();
        if (isOpen()) {
            return warnings;
        }
        shortLoop().or(this::start).ifPresent(warnings::add);
        lockstep().ifPresent(warnings::add);
        return warnings;
    }

    /**
     * Returns true if the arrival times determine most entries, because the limit on the requests in flight is rarely
     * reached.
     */
    private boolean isOpen() {
        int later = trace.size() - loop.concurrency();
        long delayed = IntStream.range(0, trace.size())
                .filter(i -> enteredAt.applyAsDouble(i) > trace.arrivalSeconds(i))
                .count();
        return later > 0 && 2 * delayed < later;
    }

    /** Returns a warning if most of a closed loop is its start and its end, where fewer requests are in flight. */
    private Optional<String> shortLoop() {
        int concurrency = loop.concurrency();
        long units = loop.countsSessions() ? trace.turns().sessions() : trace.size();
        long rounds = loop.countsSessions() ? STEADY_SESSIONS : STEADY_ROUNDS;
        long enough = rounds * concurrency * trace.size() / Math.max(1, units);
        if (concurrency == 1 || units >= rounds * concurrency) {
            return Optional.empty();
        }
        String advice = !isDrawn
                ? ": use a file or run with " + Numbers.count(enough) + " requests or more"
                : ": set requests=" + enough + " or more"
                        + (loop.warmUpRequests() < concurrency ? " and arrival.warmup_requests=" + concurrency : "");
        if (units <= concurrency) {
            return Optional.of("all " + Numbers.count(units)
                    + (loop.countsSessions() ? " sessions" : " requests")
                    + " start at once, and none follows, so latencies and throughput are of this start"
                    + advice);
        }
        return Optional.of(Numbers.count(trace.size()) + " requests with " + Numbers.count(concurrency)
                + (loop.countsSessions() ? " sessions" : "")
                + " in flight are mostly the start and the end of the loop, which lower the throughput"
                + startText().map(text -> "; " + text).orElse("") + advice);
    }

    private Optional<String> start() {
        return startText().map(text -> text + (isDrawn ? ": set arrival.warmup_requests=" + loop.concurrency() : ""));
    }

    /** Returns a text if requests of the start determine the P99 of the TTFT. */
    private Optional<String> startText() {
        int first = loop.warmUpRequests();
        if (loop.concurrency() == 1 || first >= loop.concurrency()) {
            return Optional.empty();
        }
        double all = p99(first);
        double later = p99(loop.concurrency());
        return all > DIFFERENT * later
                ? Optional.of("ttft_p99_ms " + Numbers.significant(all, DIGITS) + " is of the "
                        + Numbers.count(loop.concurrency() - first) + " requests that enter at the start, and "
                        + Numbers.significant(later, DIGITS) + " without them")
                : Optional.empty();
    }

    /** Returns the P99 of the TTFT of the requests from {@code first} in ms; NaN without requests. */
    private double p99(int first) {
        double[] served = IntStream.range(Math.min(first, trace.size()), trace.size())
                .mapToDouble(ttftMs)
                .filter(ms -> !Double.isNaN(ms))
                .toArray();
        return served.length == 0 ? Double.NaN : Quantiles.of(served, P99);
    }

    /** Returns a warning if requests with equal outputs complete, and therefore enter, in groups. */
    private Optional<String> lockstep() {
        Optional<Integer> output = equal(trace::decodeTokens);
        double group = meanGroup();
        if (output.isEmpty() || group < GROUP) {
            return Optional.empty();
        }
        String prompts = equal(trace::prefillTokens)
                .map(tokens -> "prompt_tokens=" + range(tokens) + " ")
                .orElse("");
        return Optional.of("all outputs have " + Numbers.count(output.get())
                + " tokens, so requests complete together and enter in groups of " + Numbers.significant(group, DIGITS)
                + " on average, and the TTFT includes the other prompts of the group. Clients with different outputs do"
                + " not" + (isDrawn ? ": set for example " + prompts + "output_tokens=" + range(output.get()) : ""));
    }

    private Optional<Integer> equal(IntUnaryOperator tokens) {
        int first = trace.size() == 0 ? 0 : tokens.applyAsInt(0);
        return IntStream.range(0, trace.size()).map(tokens).allMatch(count -> count == first)
                ? Optional.of(first).filter(count -> count > 1)
                : Optional.empty();
    }

    private static String range(int tokens) {
        long width = Math.max(1, Math.round(SPREAD * tokens));
        return (tokens - width) + ".." + (tokens + width);
    }

    /** Returns the mean over requests after the start of the number of requests that enter at the same time. */
    private double meanGroup() {
        double[] times = IntStream.range(Math.min(loop.concurrency(), trace.size()), trace.size())
                .mapToDouble(enteredAt)
                .filter(Double::isFinite)
                .sorted()
                .toArray();
        double squares = 0;
        int from = 0;
        for (int i = 1; i <= times.length; i++) {
            if (i == times.length || times[i] != times[from]) {
                squares += (double) (i - from) * (i - from);
                from = i;
            }
        }
        return times.length == 0 ? 0 : squares / times.length;
    }
}
