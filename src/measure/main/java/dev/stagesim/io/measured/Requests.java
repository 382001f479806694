package dev.stagesim.io.measured;

import dev.stagesim.contract.RequestStatus;
import dev.stagesim.io.csv.TableWriter;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;

/** The requests of a measurement in order of arrival. Times count from the start of the measurement. */
public record Requests(List<Request> all) {
    /** Marks an absent time. */
    public static final long NONE = -1;

    /**
     * One request. Times are in ns since the start of the run, or {@link #NONE} if absent.
     *
     * @param first time of the first token
     * @param completion time of the last token
     * @param prefill prompt tokens
     * @param requested requested output tokens, at least 1
     * @param actual received output tokens
     * @param chunks time of each chunk of output; empty if not measured
     * @param wholeTokens true if every chunk contains one token
     */
    public record Request(
            String promptId,
            long arrival,
            long first,
            long completion,
            long prefill,
            long requested,
            long actual,
            RequestStatus status,
            long[] chunks,
            boolean wholeTokens) {
        /** Creates a completed request; {@code chunks} may be empty. */
        public static Request completed(
                String promptId, long arrival, long first, long completion, long prefill, long tokens, long[] chunks) {
            return new Request(
                    promptId,
                    arrival,
                    first,
                    completion,
                    prefill,
                    Math.max(1, tokens),
                    tokens,
                    RequestStatus.COMPLETED,
                    chunks,
                    chunks.length == tokens);
        }

        /** Creates a request that did not complete. If its requested length is unknown, one token is assumed. */
        public static Request failed(
                String promptId, long arrival, long prefill, long requested, RequestStatus status) {
            return new Request(
                    promptId, arrival, NONE, NONE, prefill, Math.max(1, requested), 0, status, new long[0], false);
        }

        public boolean completed() {
            return status == RequestStatus.COMPLETED;
        }

        /** Returns the times of a completed request in a metric of {@link Published}: one, one for each gap, or none. */
        DoubleStream times(String metric) {
            return switch (metric) {
                case "ttft" -> DoubleStream.of(first - arrival);
                case "e2e" -> DoubleStream.of(completion - arrival);
                case "norm_latency" -> DoubleStream.of((double) (completion - arrival) / actual);
                case "tpot" ->
                    actual < 2 ? DoubleStream.empty() : DoubleStream.of((double) (completion - first) / (actual - 1));
                case "token_gap" -> IntStream.range(1, chunks.length).mapToDouble(i -> chunks[i] - chunks[i - 1]);
                default -> DoubleStream.empty();
            };
        }
    }

    public Requests {
        List<Request> sorted = new ArrayList<>(all);
        sorted.sort(Comparator.comparingLong(Request::arrival));
        all = List.copyOf(sorted);
    }

    public int size() {
        return all.size();
    }

    /** True if every completed request has the times of its chunks. */
    public boolean hasChunks() {
        return all.stream().anyMatch(Request::completed)
                && all.stream().filter(Request::completed).allMatch(r -> r.chunks().length > 0);
    }

    /** True if some chunk may contain several tokens. */
    public boolean hasUnknownChunks() {
        return all.stream().anyMatch(r -> r.chunks().length > 0 && !r.wholeTokens());
    }

    /** Writes the latency, the latency per token and the time per token of a request; empty cells if it is incomplete. */
    public static void writeLatencies(
            TableWriter rows, boolean isComplete, long arrival, long first, long last, long tokens) throws IOException {
        rows.putIf(isComplete, last - arrival);
        rows.putIf(isComplete, (double) (last - arrival) / tokens);
        rows.putIf(isComplete && tokens > 1, (double) (last - first) / (tokens - 1));
    }
}
