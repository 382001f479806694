package dev.stagesim.io.measured;

import dev.stagesim.io.measured.Requests.Request;
import dev.stagesim.model.Count;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/** Checks that measured requests are plausible: token counts, the order of times, and unique ids. */
final class RequestCheck {
    private RequestCheck() {}

    /** Clients read two clocks when they plan a request and when they send it. */
    private static final long CLOCK_TOLERANCE_NS = 1_000_000;

    /** Servers may send two events for each token, and one at each end of the stream. */
    private static final int MAX_CHUNKS_PER_TOKEN = 2;

    /**
     * A request and its place in the file, for messages.
     *
     * @param sent time at which the client sent it, or {@link Requests#NONE} if absent
     * @param chunkCount number of chunks of output; 0 if unknown
     */
    record Placed(String where, Request request, long sent, long chunkCount) {}

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
        RejectedRecords leftOut = new RejectedRecords("request");
        Map<String, String> places = new HashMap<>();
        List<Request> accepted = new ArrayList<>();
        List<Placed> manyChunks = new ArrayList<>();
        for (Placed placed : all) {
            Request request = placed.request();
            String name = "request '" + request.promptId() + "' ";
            String earlier = places.putIfAbsent(request.promptId(), placed.where());
            Optional<String> wrong = earlier == null || !hasIds
                    ? wrong(placed)
                    : Optional.of("has the id of an earlier request (" + earlier + "), expected a unique id");
            wrong.ifPresentOrElse(what -> leftOut.add(placed.where(), name + what), () -> accepted.add(request));
            if (wrong.isEmpty() && request.completed() && placed.chunkCount() > request.actual() + 1) {
                manyChunks.add(placed);
            }
        }
        leftOut.among(all.size()).ifPresent(warnings);
        manyChunks.stream()
                .findFirst()
                .ifPresent(first -> warnings.accept(Count.of(manyChunks.size(), "request")
                        + " with more chunks than output tokens, expected at most one chunk per token, for example "
                        + first.where() + ": " + first.chunkCount() + " chunks, "
                        + first.request().actual() + " output tokens"));
        return accepted;
    }

    private static Optional<String> wrong(Placed placed) {
        Request request = placed.request();
        if (request.promptId().isBlank()) {
            return Optional.of("has no id, expected a unique id");
        }
        if (!ToolUnits.isDuration(request.arrival())) {
            return Optional.of("arrives " + ToolUnits.ms(request.arrival())
                    + " after the start of the run, expected from 0 to below a year");
        }
        if (!isCount(request.prefill()) || !isCount(request.requested()) || !isCount(request.actual())) {
            return Optional.of(
                    "has " + request.prefill() + " prompt and " + Math.max(request.requested(), request.actual())
                            + " output tokens, expected 0 to " + Integer.MAX_VALUE);
        }
        return request.completed() ? wrongTimes(placed) : Optional.empty();
    }

    private static Optional<String> wrongTimes(Placed placed) {
        Request request = placed.request();
        long ttft = ToolUnits.since(request.first(), request.arrival());
        long latency = ToolUnits.since(request.completion(), request.arrival());
        if (request.actual() < 1) {
            return Optional.of("completed with " + request.actual() + " output tokens, expected at least 1");
        }
        if (ttft <= 0 || !ToolUnits.isDuration(ttft)) {
            return Optional.of(
                    "has a time to first token of " + ToolUnits.ms(ttft) + ", expected above 0 and below a year");
        }
        if (latency < ttft || !ToolUnits.isDuration(latency)) {
            return Optional.of("has a latency of " + ToolUnits.ms(latency) + ", expected from its time to first token ("
                    + ToolUnits.ms(ttft) + ") to below a year");
        }
        if (placed.chunkCount() > MAX_CHUNKS_PER_TOKEN * (request.actual() + 1)) {
            return Optional.of("has " + placed.chunkCount() + " chunks and " + request.actual()
                    + " output tokens, expected at most one chunk per token");
        }
        boolean isSent = placed.sent() != Requests.NONE;
        if (isSent && request.arrival() - placed.sent() > CLOCK_TOLERANCE_NS) {
            return Optional.of("is sent " + ToolUnits.ms(ToolUnits.since(request.arrival(), placed.sent()))
                    + " before it arrives, expected after its arrival");
        }
        if (isSent && request.first() < placed.sent()) {
            return Optional.of("has its first chunk " + ToolUnits.ms(ToolUnits.since(placed.sent(), request.first()))
                    + " before it is sent, expected after it is sent");
        }
        long before = request.arrival();
        for (int i = 0; i < request.chunks().length; i++) {
            long chunk = request.chunks()[i];
            if (chunk < before || chunk > request.completion()) {
                return Optional.of("has chunk " + i + " at " + ToolUnits.ms(ToolUnits.since(chunk, request.arrival()))
                        + " after its arrival, expected from " + ToolUnits.ms(before - request.arrival())
                        + " to its completion at " + ToolUnits.ms(latency));
            }
            before = chunk;
        }
        return Optional.empty();
    }

    private static boolean isCount(long tokens) {
        return tokens >= 0 && tokens <= Integer.MAX_VALUE;
    }
}
