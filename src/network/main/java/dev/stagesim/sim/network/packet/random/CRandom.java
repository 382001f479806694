package dev.stagesim.sim.network.packet.random;

/**
 * The C library's {@code rand()} after {@code srand(1)}: an additive feedback generator over the previous 31 words. The
 * first 310 outputs are discarded.
 */
public final class CRandom {
    private static final int DEGREE = 31;
    private static final int SEPARATION = 3;
    private static final int DISCARDED = 310;
    private static final int MULTIPLIER = 16807;
    private static final int MODULUS = Integer.MAX_VALUE;

    private final int[] words = new int[DEGREE];
    private int at = SEPARATION;

    public CRandom() {
        long word = 1;
        for (int i = 0; i < DEGREE; i++) {
            words[i] = (int) word;
            word = word * MULTIPLIER % MODULUS;
        }
        for (int i = 0; i < DISCARDED; i++) {
            next();
        }
    }

    /** Next number in [0, 2^31). */
    public int next() {
        int tap = at + DEGREE - SEPARATION;
        int sum = words[at] + words[tap >= DEGREE ? tap - DEGREE : tap];
        words[at] = sum;
        at = at + 1 == DEGREE ? 0 : at + 1;
        return sum >>> 1;
    }
}
