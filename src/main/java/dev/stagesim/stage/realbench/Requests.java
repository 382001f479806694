package dev.stagesim.stage.realbench;

import dev.stagesim.contract.RequestStatus;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** The requests of a measurement, numbered from 0 in order of arrival; the first arrives at the measurement's time 0 or later. */
record Requests(List<Request> all) {
    /** Marks a time that there is none of. */
    static final long NONE = -1;

    /**
     * One request; times in ns since the start of the run, {@link #NONE} where it has none.
     *
     * @param promptId name of its prompt
     * @param arrival when it was made
     * @param first when its first token came
     * @param completion when its last token came
     * @param prefill prompt tokens
     * @param asked output tokens asked for, at least 1
     * @param actual output tokens that came
     * @param status what became of it
     * @param chunks when each chunk of output came; empty when that was not measured
     * @param wholeTokens true when every chunk is known to be one token
     */
    record Request(
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
        boolean completed() {
            return status == RequestStatus.COMPLETED;
        }
    }

    Requests {
        List<Request> sorted = new ArrayList<>(all);
        sorted.sort(Comparator.comparingLong(Request::arrival));
        all = List.copyOf(sorted);
    }

    int size() {
        return all.size();
    }

    /** True when every completed request tells when its chunks came. */
    boolean hasChunks() {
        return all.stream().anyMatch(Request::completed)
                && all.stream().filter(Request::completed).allMatch(r -> r.chunks().length > 0);
    }

    /** True when some chunk may hold several tokens. */
    boolean hasUnknownChunks() {
        return all.stream().anyMatch(r -> r.chunks().length > 0 && !r.wholeTokens());
    }
}
