package dev.stagesim.io.measured;

import java.util.List;

/**
 * Timed operators, collectives and steps of an engine.
 *
 * @param rows one for each operator, by name and place
 * @param collectives one for each message size of a collective
 * @param steps steps of an engine in the order of its log
 */
public record Operations(List<Operator> rows, List<Collective> collectives, List<Step> steps) {
    /** Nothing timed. */
    public static final Operations NONE = new Operations(List.of(), List.of());

    public Operations(List<Operator> rows, List<Collective> collectives) {
        this(rows, collectives, List.of());
    }

    public Operations {
        rows = List.copyOf(rows);
        collectives = List.copyOf(collectives);
        steps = List.copyOf(steps);
    }

    /**
     * One step of a serving engine.
     *
     * @param engine name of the engine process, such as the rank of data parallelism
     * @param iteration number of the step in its engine
     * @param decodeTokens tokens of requests in decode; with speculative decoding more than their requests
     * @param cachedTokens tokens in the KV cache blocks of the requests, or {@link #UNKNOWN}
     */
    public record Step(
            String engine,
            long iteration,
            long prefillRequests,
            long prefillTokens,
            long decodeRequests,
            long decodeTokens,
            long cachedTokens,
            double timeNs) {
        public static final long UNKNOWN = -1;

        public long requests() {
            return prefillRequests + decodeRequests;
        }
    }

    /**
     * Time spent in one operator.
     *
     * @param device {@code cpu}, {@code gpu} or the name that the tool uses
     * @param category the tool's kind of event, such as {@code kernel}
     * @param totalNs sum over the calls
     * @param minNs shortest call
     * @param maxNs longest call
     */
    public record Operator(
            String device, String category, String name, long count, long totalNs, long minNs, long maxNs) {}

    /**
     * One collective at one message size.
     *
     * @param collective name, such as {@code all_reduce}
     * @param ranks number of participating devices
     * @param bytes size of the message, of the whole buffer
     * @param inPlace true if input and output share a buffer
     * @param timeNs time of one call
     * @param algorithmGbs bytes over time, GB/s of 10^9
     * @param busGbs algorithm bandwidth times the factor that makes it independent of the number of ranks
     * @param wrong number of wrong results, or -1 if not checked
     */
    public record Collective(
            String collective,
            int ranks,
            long bytes,
            boolean inPlace,
            double timeNs,
            double algorithmGbs,
            double busGbs,
            long wrong) {}

    boolean isEmpty() {
        return rows.isEmpty() && collectives.isEmpty() && steps.isEmpty();
    }
}
