package dev.stagesim.feature.cluster.instance;

/** Totals of arrived and completed requests. Planners use their differences. */
public final class ThroughputCounters {
    /**
     * Totals over an interval.
     *
     * @param arrived arrived requests
     * @param promptTokens prompt tokens of arrived requests
     * @param completed completed requests
     * @param outputTokens output tokens of completed requests
     * @param firstSeconds sum of TTFT
     * @param gaps number of intervals between output tokens
     * @param gapSeconds sum of the intervals between output tokens
     * @param seconds sum of E2E latencies
     */
    public record Sums(
            long arrived,
            long promptTokens,
            long completed,
            long outputTokens,
            double firstSeconds,
            long gaps,
            double gapSeconds,
            double seconds) {
        public static final Sums NONE = new Sums(0, 0, 0, 0, 0, 0, 0, 0);

        public Sums minus(Sums before) {
            return new Sums(
                    arrived - before.arrived,
                    promptTokens - before.promptTokens,
                    completed - before.completed,
                    outputTokens - before.outputTokens,
                    firstSeconds - before.firstSeconds,
                    gaps - before.gaps,
                    gapSeconds - before.gapSeconds,
                    seconds - before.seconds);
        }
    }

    private long arrived;
    private long promptTokens;
    private long completed;
    private long outputTokens;
    private double firstSeconds;
    private long gaps;
    private double gapSeconds;
    private double seconds;

    public Sums sums() {
        return new Sums(arrived, promptTokens, completed, outputTokens, firstSeconds, gaps, gapSeconds, seconds);
    }

    public void arrived(int tokens) {
        arrived++;
        promptTokens += tokens;
    }

    /** Adds a completed request with its TTFT and E2E latency in seconds. */
    public void completed(int tokens, double ttft, double total) {
        completed++;
        outputTokens += tokens;
        firstSeconds += ttft;
        gaps += tokens - 1;
        gapSeconds = gapSeconds + total - ttft;
        seconds += total;
    }
}
