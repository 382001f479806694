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

    private Sums sums = Sums.NONE;

    public Sums sums() {
        return sums;
    }

    public void arrived(int promptTokens) {
        sums = new Sums(
                sums.arrived + 1,
                sums.promptTokens + promptTokens,
                sums.completed,
                sums.outputTokens,
                sums.firstSeconds,
                sums.gaps,
                sums.gapSeconds,
                sums.seconds);
    }

    /** Adds a completed request with its TTFT and E2E latency in seconds. */
    public void completed(int outputTokens, double ttft, double total) {
        sums = new Sums(
                sums.arrived,
                sums.promptTokens,
                sums.completed + 1,
                sums.outputTokens + outputTokens,
                sums.firstSeconds + ttft,
                sums.gaps + outputTokens - 1,
                sums.gapSeconds + total - ttft,
                sums.seconds + total);
    }
}
