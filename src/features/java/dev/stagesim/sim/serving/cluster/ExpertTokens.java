package dev.stagesim.sim.serving.cluster;

import java.util.Arrays;

/** How many tokens of a batch reach each rank and each expert of a mixture-of-experts layer, without a trace of the gate. */
public final class ExpertTokens {
    private ExpertTokens() {}

    /**
     * One rank of a balanced gate.
     *
     * @param tokens tokens of the batch that arrive at the rank
     * @param experts experts of the rank that get a token
     */
    public record Rank(int tokens, int experts) {}

    /** Tokens that each rank starts with: equal shares, the first ranks one more where they do not divide. */
    public static int[] sources(int tokens, int ranks) {
        int[] shares = new int[ranks];
        Arrays.setAll(shares, rank -> tokens / ranks + (rank < tokens % ranks ? 1 : 0));
        return shares;
    }

    /**
     * What one of {@code ranks} equal ranks gets when every token picks {@code perToken} of {@code experts} evenly.
     *
     * <p>Compatible with LLMServingSim 2: each of the picks falls on a rank independently, halves are rounded to even, and
     * with fewer experts than ranks each rank still has one.
     */
    public static Rank balanced(int tokens, int perToken, int experts, int ranks) {
        int picks = picks(perToken, experts);
        double missed = Math.pow((ranks - 1) / (double) ranks, picks);
        int arriving = (int) Math.rint(tokens * (1 - missed));
        int active = (int) Math.rint((double) ((long) tokens * picks) / ranks);
        return new Rank(arriving, Math.min(active, Math.max(1, experts / ranks)));
    }

    /** Tokens of each expert when token t goes to the experts t, t + 1, ... (modulo their number). */
    public static int[] roundRobin(int tokens, int perToken, int experts) {
        int[] counts = new int[experts];
        int picks = picks(perToken, experts);
        for (int token = 0; token < tokens; token++) {
            for (int pick = 0; pick < picks; pick++) {
                counts[(token + pick) % experts]++;
            }
        }
        return counts;
    }

    /** A token picks at least one expert, and none twice. */
    private static int picks(int perToken, int experts) {
        return Math.max(1, Math.min(perToken, experts));
    }
}
