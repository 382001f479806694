package dev.stagesim.io.measured;

import dev.stagesim.io.measured.Requests.Request;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/** Checks that measured requests can be true: counts, the order of their times, and ids that are unique. */
final class RequestCheck {
    private RequestCheck() {}

    /** A request and its place in the file, for messages. */
    record Placed(String where, Request request) {}

    /** Returns the plausible requests of a file. */
    static List<Request> accepted(List<Placed> all, Consumer<String> warnings) {
        return accepted(all, true, warnings);
    }

    /**
     * Returns the plausible requests.
     *
     * @param hasIds true if the names of requests are unique ids; prompts of a workload may repeat
     */
    static List<Request> accepted(List<Placed> all, boolean hasIds, Consumer<String> warnings) {
        LeftOut leftOut = new LeftOut("request");
        Map<String, String> places = new HashMap<>();
        List<Request> accepted = new ArrayList<>();
        for (Placed placed : all) {
            Request request = placed.request();
            String name = "request '" + request.promptId() + "' ";
            String earlier = places.putIfAbsent(request.promptId(), placed.where());
            Optional<String> wrong = earlier == null || !hasIds
                    ? wrong(request)
                    : Optional.of("has the id of an earlier request (" + earlier + "), expected an id of its own");
            wrong.ifPresentOrElse(what -> leftOut.add(placed.where(), name + what), () -> accepted.add(request));
        }
        leftOut.among(all.size()).ifPresent(warnings);
        return accepted;
    }

    private static Optional<String> wrong(Request request) {
        if (request.promptId().isBlank()) {
            return Optional.of("has no id, expected an id of its own");
        }
        if (!Units.isDuration(request.arrival())) {
            return Optional.of("arrives " + Units.ms(request.arrival())
                    + " after the start of the run, expected from 0 to below a year");
        }
        if (!isCount(request.prefill()) || !isCount(request.asked()) || !isCount(request.actual())) {
            return Optional.of("has " + request.prefill() + " prompt and " + Math.max(request.asked(), request.actual())
                    + " output tokens, expected 0 to " + Integer.MAX_VALUE);
        }
        return request.completed() ? wrongTimes(request) : Optional.empty();
    }

    private static Optional<String> wrongTimes(Request request) {
        long ttft = Units.since(request.first(), request.arrival());
        long latency = Units.since(request.completion(), request.arrival());
        if (request.actual() < 1) {
            return Optional.of("completed with " + request.actual() + " output tokens, expected at least 1");
        }
        if (ttft <= 0 || !Units.isDuration(ttft)) {
            return Optional.of(
                    "has a time to first token of " + Units.ms(ttft) + ", expected above 0 and below a year");
        }
        if (latency < ttft || !Units.isDuration(latency)) {
            return Optional.of("has a latency of " + Units.ms(latency) + ", expected from its time to first token ("
                    + Units.ms(ttft) + ") to below a year");
        }
        long before = request.arrival();
        for (int i = 0; i < request.chunks().length; i++) {
            long chunk = request.chunks()[i];
            if (chunk < before || chunk > request.completion()) {
                return Optional.of("has chunk " + i + " at " + Units.ms(Units.since(chunk, request.arrival()))
                        + " after its arrival, expected from " + Units.ms(before - request.arrival())
                        + " to its completion at " + Units.ms(latency));
            }
            before = chunk;
        }
        return Optional.empty();
    }

    private static boolean isCount(long tokens) {
        return tokens >= 0 && tokens <= Integer.MAX_VALUE;
    }
}
