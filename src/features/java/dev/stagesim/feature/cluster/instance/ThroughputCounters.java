package dev.stagesim.feature.cluster.instance;

/** What came to a cluster and what was completed, as sums; planners look at what is new. */
public final class ThroughputCounters {
    /**
     * Sums over an interval.
     *
     * @param arrived requests that came, with so many tokens in their prompts
     * @param completed requests that were completed, and of them tokens, times to the first token, times between tokens and
     *     from arrival to end
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

    /** A request is done, with the seconds from its arrival to its first token and to its last. */
    public void completed(int outputTokens, double first, double whole) {
        sums = new Sums(
                sums.arrived,
                sums.promptTokens,
                sums.completed + 1,
                sums.outputTokens + outputTokens,
                sums.firstSeconds + first,
                sums.gaps + outputTokens - 1,
                sums.gapSeconds + whole - first,
                sums.seconds + whole);
    }
}
