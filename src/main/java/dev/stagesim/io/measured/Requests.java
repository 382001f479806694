package dev.stagesim.io.measured;

import dev.stagesim.contract.RequestStatus;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** The requests of a measurement, numbered from 0 in order of arrival; the first arrives at the measurement's time 0 or later. */
public record Requests(List<Request> all) {
    /** Marks a time that there is none of. */
    public static final long NONE = -1;

    /**
     * One request; times in ns since the start of the run, {@link #NONE} where it has none.
     *
     * @param first when its first token came
     * @param completion when its last token came
     * @param prefill prompt tokens
     * @param asked output tokens asked for, at least 1
     * @param actual output tokens that came
     * @param chunks when each chunk of output came; empty when that was not measured
     * @param wholeTokens true when every chunk is known to be one token
     */
    public record Request(
            String promptId,
            long arrival,
            long first,
            long completion,
            long prefill,
            long asked,
            long actual,
            RequestStatus status,
            long[] chunks,
            boolean wholeTokens) {
        /** A request that ended well; {@code chunks} may be empty. */
        static Request completed(
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

        /** A request that did not; what was asked of it is often unknown, and then at least a token. */
        static Request failed(String promptId, long arrival, long prefill, long asked, RequestStatus status) {
            return new Request(
                    promptId, arrival, NONE, NONE, prefill, Math.max(1, asked), 0, status, new long[0], false);
        }

        public boolean completed() {
            return status == RequestStatus.COMPLETED;
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

    /** True when every completed request tells when its chunks came. */
    public boolean hasChunks() {
        return all.stream().anyMatch(Request::completed)
                && all.stream().filter(Request::completed).allMatch(r -> r.chunks().length > 0);
    }

    /** True when some chunk may hold several tokens. */
    public boolean hasUnknownChunks() {
        return all.stream().anyMatch(r -> r.chunks().length > 0 && !r.wholeTokens());
    }
}
