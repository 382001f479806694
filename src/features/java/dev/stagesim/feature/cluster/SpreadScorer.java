package dev.stagesim.feature.cluster;

/** The fewest of what a signal counts: (most - own) / (most - fewest) over the candidates, 1 where they are equal. */
final class SpreadScorer implements Scorer {
    private final Knowledge known;
    private final int signal;
    private double least;
    private double most;

    private SpreadScorer(Knowledge known, int signal) {
        this.known = known;
        this.signal = signal;
    }

    /** Requests that wait. */
    static Scorer queue(Knowledge known, Scorers settings) {
        return new SpreadScorer(known, Signals.WAITING);
    }

    /** Requests in the batch. */
    static Scorer running(Knowledge known, Scorers settings) {
        return new SpreadScorer(known, Signals.RUNNING);
    }

    @Override
    public void begin(int request) {
        least = Double.POSITIVE_INFINITY;
        most = Double.NEGATIVE_INFINITY;
        for (int i = 0; i < known.count; i++) {
            double value = known.signal(known.candidates[i], signal);
            least = Math.min(least, value);
            most = Math.max(most, value);
        }
    }

    @Override
    public double score(int instance) {
        return most == least ? 1 : (most - known.signal(instance, signal)) / (most - least);
    }
}
