package dev.stagesim.sim.kernels;

import dev.stagesim.model.card.ModelCard;

/** Expected number of experts that a set of tokens visits, with a Zipf-like popularity. */
final class Experts {
    /** The i-th most frequent expert is chosen with probability proportional to i to this power. */
    private static final double SKEW = -0.8;

    /** Load of the busiest expert-parallel device relative to the mean. */
    private static final double IMBALANCE = 1.3;

    /** Probability that a token visits the expert. */
    private final double[] visits;

    Experts(ModelCard model) {
        int count = model.experts().numExperts().orElse(0);
        double perToken = model.experts().expertsPerToken().orElse(0);
        visits = new double[count];
        double sum = 0;
        for (int i = 0; i < count; i++) {
            visits[i] = Math.pow(i + 1, SKEW);
            sum += visits[i];
        }
        for (int i = 0; i < count; i++) {
            visits[i] = Math.min(1, perToken * visits[i] / sum);
        }
    }

    /** Expected number of experts visited by at least one token. */
    double touched(long tokens) {
        double sum = 0;
        for (double visit : visits) {
            sum += visit >= 1 ? 1 : -Math.expm1(tokens * Math.log1p(-visit));
        }
        return sum;
    }

    /**
     * Expected number of experts visited on the busiest of {@code parts} devices: the mean plus a deviation that grows
     * with the number of devices.
     */
    double touched(long tokens, int parts) {
        double mean = touched(tokens) / parts;
        double held = visits.length / (double) parts;
        return Math.min(held, mean + Math.sqrt(2 * mean * Math.max(0, 1 - mean / held) * Math.log(parts)));
    }

    /** Work of the busiest of {@code parts} devices relative to the mean. */
    static double imbalance(int parts) {
        return parts > 1 ? IMBALANCE : 1;
    }
}
