package dev.stagesim.io.measured;

import static dev.stagesim.model.Nanos.NS_PER_S;

import dev.stagesim.io.measured.Requests.Request;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Checks the counts, the duration, the concurrency and the rates of a run against each other and against its latencies.
 * A contradiction is an error. A value that is possible but unlikely is a warning.
 */
final class RunCheck {
    /** Tools round values, and some measure a rate over a part of the run. */
    private static final double TOLERANCE = 1.05;

    private static final double TOLERANCE_NS = 5e6;

    /** Output lengths and times per token vary between requests, so a product of their means is less exact. */
    private static final double MEANS_TOLERANCE = 1.5;

    /** Tools average rates over time, over requests or over a part of the run. */
    private static final double RATES_TOLERANCE = 1.25;

    /** 15e15 FLOP/s, the dense FP4 rate of one GB300 device, over 2 FLOPs for each of 75e6 parameters. */
    static final double MAX_TOKENS_PER_DEVICE_S = 1e8;

    /** A value and its place in the file. */
    record Stated(double value, String where) {}

    private final Map<RunFact, Stated> facts;
    private final Map<String, Stated> rates;
    private final Collection<Published> published;
    private final Collection<Request> requests;
    private final Consumer<String> warnings;

    RunCheck(
            Map<RunFact, Stated> facts,
            Map<String, Stated> rates,
            Collection<Published> published,
            Collection<Request> requests,
            Consumer<String> warnings) {
        this.facts = facts;
        this.rates = rates;
        this.published = published;
        this.requests = requests;
        this.warnings = warnings;
    }

    /**
     * Checks the run.
     *
     * @param statedPrompt mean prompt tokens of a request; 0 if unknown
     * @param statedOutput mean output tokens of a request; 0 if unknown
     */
    void check(double statedPrompt, double statedOutput) {
        double prompts = statedPrompt > 0 ? statedPrompt : each(RunFact.PROMPT_TOKENS);
        double outputTokens = statedOutput > 0 ? statedOutput : each(RunFact.OUTPUT_TOKENS);
        counts();
        duration();
        tokenRates();
        volume("requests_per_s", 1, "completed requests");
        volume("output_tokens_per_s", outputTokens, "output tokens");
        double total = prompts > 0 && outputTokens > 0 ? prompts + outputTokens : each(RunFact.TOTAL_TOKENS);
        volume("total_tokens_per_s", total, "prompt and output tokens");
        if (prompts > 0 && outputTokens > 0) {
            shares(total / outputTokens);
        }
        speed("user_tokens_per_s_decoding", "tpot", 1);
        speed("user_tokens_per_s_with_prompt", "e2e", outputTokens);
        inFlight("requests_per_s", "e2e", TOLERANCE);
        inFlight("output_tokens_per_s", "tpot", MEANS_TOLERANCE);
    }

    private Optional<Stated> fact(RunFact fact) {
        return Optional.ofNullable(facts.get(fact));
    }

    /** Returns a number of tokens per completed request, or 0 if unknown. */
    private double each(RunFact tokens) {
        double completed = fact(RunFact.COMPLETED_REQUESTS).map(Stated::value).orElse(0.0);
        return completed > 0 ? fact(tokens).map(Stated::value).orElse(0.0) / completed : 0;
    }

    private void counts() {
        fact(RunFact.CLIENTS).filter(clients -> !(clients.value() >= 1)).ifPresent(clients -> {
            throw wrong(clients, "is " + text(clients.value()) + ", expected at least 1 request in flight");
        });
        Optional<Stated> completed = fact(RunFact.COMPLETED_REQUESTS);
        Optional<Stated> failed = fact(RunFact.FAILED_REQUESTS);
        Optional<Stated> sent = fact(RunFact.SENT_REQUESTS);
        double ended = completed.map(Stated::value).orElse(0.0);
        double broken = failed.map(Stated::value).orElse(0.0);
        if (sent.isPresent() && ended + broken > sent.get().value()) {
            throw wrong(
                    sent.get(),
                    "is " + text(sent.get().value()) + " requests, expected at least the " + text(ended)
                            + " completed and " + text(broken) + " failed requests in "
                            + completed.or(() -> failed).get().where());
        }
        Optional<Stated> requests = sent.or(() -> completed);
        fact(RunFact.CLIENTS)
                .filter(clients -> requests.isPresent() && requests.get().value() >= 1)
                .filter(clients -> clients.value() > requests.get().value())
                .ifPresent(clients -> warnings.accept("the concurrency is " + text(clients.value()) + " in "
                        + clients.where() + ", expected at most "
                        + text(requests.get().value())
                        + ", the number of requests: the limit was never reached"));
    }

    /** Every completed request starts and ends within the run. */
    private void duration() {
        Optional<Stated> stated = fact(RunFact.DURATION_NS);
        if (stated.isEmpty()) {
            return;
        }
        Stated duration = stated.get();
        double completed = fact(RunFact.COMPLETED_REQUESTS).map(Stated::value).orElse(1.0);
        if (completed > 0 && !(duration.value() > 0 && ToolUnits.isDuration(duration.value()))) {
            throw wrong(
                    duration,
                    "is " + ToolUnits.ms(duration.value()) + " for completed requests, expected above 0 and below a"
                            + " year");
        }
        for (Published figure : published) {
            lasts(duration, figure.valueNs(), figure.metric() + " " + figure.statistic());
        }
        for (Request request : requests) {
            if (request.completed()) {
                lasts(
                        duration,
                        request.completion() - request.arrival(),
                        "the latency of request '" + request.promptId() + "'");
            }
        }
        span(duration);
    }

    /** All requests of the file arrive and end within the run. */
    private void span(Stated duration) {
        long start = requests.stream().mapToLong(Request::arrival).min().orElse(0);
        long end = requests.stream()
                .filter(Request::completed)
                .mapToLong(Request::completion)
                .max()
                .orElse(start);
        if (DerivedCheck.isContradiction(duration.value(), Math.max(duration.value(), end - start), TOLERANCE_NS)) {
            lasts(duration, end - start, "the time from the first arrival to the last completion of its requests");
        } else if (end - start > duration.value() * TOLERANCE + TOLERANCE_NS) {
            warnings.accept("the requests of the file take " + ToolUnits.ms(end - start)
                    + " from the first arrival to the last completion, expected at most the duration of "
                    + ToolUnits.ms(duration.value()) + " in " + duration.where());
        }
    }

    private static void lasts(Stated duration, double ns, String what) {
        if (ns > duration.value() * TOLERANCE + TOLERANCE_NS) {
            throw wrong(
                    duration,
                    "is a duration of " + ToolUnits.ms(duration.value()) + ", expected at least " + what + ", "
                            + ToolUnits.ms(ns));
        }
    }

    /** Total tokens include the output tokens, and no device computes more than {@link #MAX_TOKENS_PER_DEVICE_S}. */
    private void tokenRates() {
        atMost("output_tokens_per_s", "total_tokens_per_s");
        // both count the same tokens; the last request ends after it was sent
        atMost("completed_tokens_per_s", "output_tokens_per_s");
        Optional<Stated> devices = fact(RunFact.DEVICES);
        double max = MAX_TOKENS_PER_DEVICE_S * devices.map(Stated::value).orElse(1.0);
        rates.forEach((name, rate) -> {
            if (name.contains("tokens_per_s") && rate.value() > max) {
                String text = name + " is " + rate.value() + ", expected at most " + max + " on "
                        + devices.map(n -> text(n.value()) + " devices").orElse("one device");
                if (devices.isPresent()) {
                    throw wrong(rate, text);
                }
                warnings.accept(text + " (" + rate.where() + "; the number of devices is not stated)");
            }
        });
    }

    private void atMost(String part, String whole) {
        Stated lower = rates.get(part);
        Stated upper = rates.get(whole);
        if (lower != null && upper != null && lower.value() > upper.value() * TOLERANCE) {
            throw wrong(
                    lower,
                    part + " is " + lower.value() + ", expected at most " + whole + ", " + upper.value() + " in "
                            + upper.where());
        }
    }

    /** Compares a rate with the requests completed in the duration, or with the rate of requests. */
    private void volume(String name, double perRequest, String what) {
        Stated rate = rates.get(name);
        Stated requestRate = rates.get("requests_per_s");
        Optional<Stated> duration = fact(RunFact.DURATION_NS);
        Optional<Stated> completed = fact(RunFact.COMPLETED_REQUESTS);
        if (rate == null || perRequest <= 0) {
            return;
        }
        if (duration.isPresent() && completed.isPresent()) {
            double expected =
                    completed.get().value() * perRequest / duration.get().value() * NS_PER_S;
            compare(
                    rate,
                    name,
                    expected,
                    TOLERANCE,
                    "the " + what + " over the duration of "
                            + ToolUnits.ms(duration.get().value()));
        } else if (requestRate != null && !rate.equals(requestRate)) {
            double expected = requestRate.value() * perRequest;
            compare(
                    rate,
                    name,
                    expected,
                    RATES_TOLERANCE,
                    "the " + what + " of " + requestRate.value() + " requests/s");
        }
    }

    /** Compares the rate of all tokens with the rate of output tokens, if the file states no rate of requests. */
    private void shares(double totalPerOutput) {
        Stated output = rates.get("output_tokens_per_s");
        Stated total = rates.get("total_tokens_per_s");
        if (output != null && total != null && !rates.containsKey("requests_per_s")) {
            compare(
                    total,
                    "total_tokens_per_s",
                    output.value() * totalPerOutput,
                    RATES_TOLERANCE,
                    "the prompt and output tokens of " + output.value() + " output tokens/s");
        }
    }

    private void compare(Stated rate, String name, double expected, double tolerance, String source) {
        if (rate.value() > expected * tolerance || rate.value() * tolerance < expected) {
            warnings.accept(name + " is " + rate.value() + " in " + rate.where() + ", expected about " + expected + ", "
                    + source);
        }
    }

    /** Compares the output speed of one request with the mean time of its tokens. */
    private void speed(String name, String metric, double tokens) {
        Stated rate = rates.get(name);
        Optional<Published> mean = mean(metric);
        if (rate != null && mean.isPresent() && tokens > 0) {
            double expected = tokens / mean.get().valueNs() * NS_PER_S;
            compare(rate, name, expected, 2, "the inverse of " + metric + " mean");
        }
    }

    /**
     * By Little's law, a rate times the mean time is the mean number of requests in flight. It cannot exceed the
     * concurrency.
     */
    private void inFlight(String name, String metric, double tolerance) {
        Stated rate = rates.get(name);
        Optional<Stated> clients = fact(RunFact.CLIENTS);
        Optional<Published> mean = mean(metric);
        if (rate == null || clients.isEmpty() || mean.isEmpty()) {
            return;
        }
        double inFlight = rate.value() * mean.get().valueNs() / NS_PER_S;
        if (inFlight > clients.get().value() * tolerance) {
            warnings.accept(name + " of " + rate.value() + " (" + rate.where() + ") with a mean " + metric + " of "
                    + ToolUnits.ms(mean.get().valueNs()) + " needs " + inFlight
                    + " requests in flight, expected at most "
                    + text(clients.get().value()) + " (" + clients.get().where() + ")");
        }
    }

    private Optional<Published> mean(String metric) {
        return published.stream()
                .filter(figure ->
                        figure.metric().equals(metric) && figure.statistic().equals("mean"))
                .findFirst();
    }

    private static StageException wrong(Stated stated, String what) {
        return StageException.input(Problem.artifact(stated.where(), what));
    }

    private static String text(double count) {
        return count == Math.rint(count) && Math.abs(count) < 1e15
                ? String.valueOf((long) count)
                : String.valueOf(count);
    }
}
