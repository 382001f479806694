package dev.stagesim.stats;

/**
 * A splittable 64-bit generator (SplitMix64, Steele et al., OOPSLA 2014): a counter stepped by the golden ratio and
 * mixed.
 *
 * <p>Stream {@code i} of a seed depends only on these two numbers, so work may be divided among threads in any way.
 */
final class SplitMix {
    private static final long GOLDEN = 0x9E3779B97F4A7C15L;
    private long state;

    SplitMix(long seed) {
        this.state = seed;
    }

    /** Returns the generator of an independent stream of {@code seed}. */
    static SplitMix stream(long seed, long index) {
        return new SplitMix(mix(seed + GOLDEN) ^ mix(index * GOLDEN + 1));
    }

    long nextLong() {
        state += GOLDEN;
        return mix(state);
    }

    /** Returns a number in [0, bound); the bias of the multiplication is below bound / 2^32. */
    int nextInt(int bound) {
        return (int) (((nextLong() >>> 32) * bound) >>> 32);
    }

    private static long mix(long z) {
        long a = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
        long b = (a ^ (a >>> 27)) * 0x94D049BB133111EBL;
        return b ^ (b >>> 31);
    }
}
