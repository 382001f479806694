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
 * Checks the counts, the duration, the concurrency and the rates of a run against each other and against its latencies. A
 * contradiction is an error. A value that is possible but unlikely is a warning.
 */
final class RunCheck {
    /** Tools round values, and some measure a rate over a part of the run. */
    private static final double TOLERANCE = 1.05;

    private static final double TOLERANCE_NS = 5e6;

    /** Output lengths and times per token vary between requests, so a product of their means is less exact. */
    private static final double MEANS_TOLERANCE = 1.5;

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
     * @param outputTokens mean output tokens of a request; 0 if unknown
     */
    void check(double outputTokens) {
        counts();
        duration();
        tokenRates();
        volume("requests_per_s", 1, "completed requests");
        volume("output_tokens_per_s", outputTokens, "output tokens");
        double prompts = fact(RunFact.PROMPT_TOKENS).map(Stated::value).orElse(0.0);
        double completed = fact(RunFact.COMPLETED_REQUESTS).map(Stated::value).orElse(0.0);
        if (prompts > 0 && completed > 0 && outputTokens > 0) {
            volume("total_tokens_per_s", prompts / completed + outputTokens, "prompt and output tokens");
        }
        inFlight("requests_per_s", "e2e", TOLERANCE);
        inFlight("output_tokens_per_s", "tpot", MEANS_TOLERANCE);
    }

    private Optional<Stated> fact(RunFact fact) {
        return Optional.ofNullable(facts.get(fact));
    }

    private void counts() {
        fact(RunFact.CLIENTS).filter(clients -> !(clients.value() >= 1)).ifPresent(clients -> {
            throw wrong(clients, "is " + text(clients.value()) + ", expected at least 1 request in flight");
        });
        Optional<Stated> completed = fact(RunFact.COMPLETED_REQUESTS);
        Optional<Stated> sent = fact(RunFact.SENT_REQUESTS);
        if (completed.isPresent()
                && sent.isPresent()
                && completed.get().value() > sent.get().value()) {
            throw wrong(
                    sent.get(),
                    "is " + text(sent.get().value()) + " requests, expected at least the "
                            + text(completed.get().value()) + " completed requests in "
                            + completed.get().where());
        }
        fact(RunFact.FAILED_REQUESTS)
                .filter(failed ->
                        sent.isPresent() && failed.value() > sent.get().value())
                .ifPresent(failed -> {
                    throw wrong(
                            failed,
                            "is " + text(failed.value()) + " failed requests, expected at most the "
                                    + text(sent.get().value()) + " requests in "
                                    + sent.get().where());
                });
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
        Stated output = rates.get("output_tokens_per_s");
        Stated all = rates.get("total_tokens_per_s");
        if (output != null && all != null && output.value() > all.value() * TOLERANCE) {
            throw wrong(
                    output,
                    "output tokens/s is " + output.value() + ", expected at most total tokens/s, " + all.value()
                            + " in " + all.where());
        }
        Optional<Stated> devices = fact(RunFact.DEVICES);
        double most = MAX_TOKENS_PER_DEVICE_S * devices.map(Stated::value).orElse(1.0);
        rates.forEach((name, rate) -> {
            if (name.contains("tokens_per_s") && rate.value() > most) {
                String text = name + " is " + rate.value() + ", expected at most " + most + " on "
                        + devices.map(n -> text(n.value()) + " devices").orElse("one device");
                if (devices.isPresent()) {
                    throw wrong(rate, text);
                }
                warnings.accept(text + " (" + rate.where() + "; the number of devices is not stated)");
            }
        });
    }

    /** Compares a rate with the requests completed in the duration. */
    private void volume(String name, double perRequest, String what) {
        Stated rate = rates.get(name);
        Optional<Stated> duration = fact(RunFact.DURATION_NS);
        Optional<Stated> completed = fact(RunFact.COMPLETED_REQUESTS);
        if (rate == null || duration.isEmpty() || completed.isEmpty() || perRequest <= 0) {
            return;
        }
        double expected = completed.get().value() * perRequest / duration.get().value() * NS_PER_S;
        if (rate.value() > expected * TOLERANCE || rate.value() * TOLERANCE < expected) {
            warnings.accept(name + " is " + rate.value() + " in " + rate.where() + ", expected about " + expected
                    + ", the " + what + " over the duration of "
                    + ToolUnits.ms(duration.get().value()));
        }
    }

    /**
     * By Little's law, a rate times the mean time is the mean number of requests in flight. It cannot exceed the
     * concurrency.
     */
    private void inFlight(String name, String metric, double tolerance) {
        Stated rate = rates.get(name);
        Optional<Stated> clients = fact(RunFact.CLIENTS);
        Optional<Published> mean = published.stream()
                .filter(figure ->
                        figure.metric().equals(metric) && figure.statistic().equals("mean"))
                .findFirst();
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

    private static StageException wrong(Stated stated, String what) {
        return StageException.input(Problem.artifact(stated.where(), what));
    }

    private static String text(double count) {
        return count == Math.rint(count) && Math.abs(count) < 1e15
                ? String.valueOf((long) count)
                : String.valueOf(count);
    }
}
