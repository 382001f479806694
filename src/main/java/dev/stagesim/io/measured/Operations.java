package dev.stagesim.io.measured;

import java.util.List;

/**
 * Operators and collectives that a training-side tool timed.
 *
 * @param rows one for each operator, by name and place
 * @param collectives one for each message size that a collective was timed with
 */
public record Operations(List<Operator> rows, List<Collective> collectives) {
    /** Nothing timed. */
    public static final Operations NONE = new Operations(List.of(), List.of());

    public Operations {
        rows = List.copyOf(rows);
        collectives = List.copyOf(collectives);
    }

    /**
     * Time spent in one operator.
     *
     * @param device {@code cpu}, {@code gpu} or what the tool names
     * @param category the tool's kind of event, such as {@code kernel}
     * @param totalNs sum over the calls
     * @param minNs shortest call
     * @param maxNs longest call
     */
    public record Operator(
            String device, String category, String name, long count, long totalNs, long minNs, long maxNs) {}

    /**
     * One collective over one message size.
     *
     * @param collective name, such as {@code all_reduce}
     * @param ranks devices taking part
     * @param bytes size of the message, of the whole buffer
     * @param inPlace whether input and output share a buffer
     * @param timeNs time of one call
     * @param algorithmGbs bytes over time, GB/s of 10^9
     * @param busGbs the same times the factor that makes it independent of the number of ranks
     * @param wrong wrong results counted; -1 when not checked
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

    public boolean isEmpty() {
        return rows.isEmpty() && collectives.isEmpty();
    }
}
