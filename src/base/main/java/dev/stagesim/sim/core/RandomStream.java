package dev.stagesim.sim.core;

/**
 * The product's random generator: xoshiro256++ seeded through SplitMix64, with independent streams by name.
 *
 * <p>Separate streams for separate purposes keep draws independent: an additional draw of a length does not change the
 * arrivals. Draws do not allocate.
 */
public final class RandomStream implements RandomSource {
    private static final long GOLDEN = 0x9e3779b97f4a7c15L;
    private static final double TWO_POW_MINUS_53 = 1.0 / (1L << 53);

    private long s0;
    private long s1;
    private long s2;
    private long s3;

    private RandomStream(long seed) {
        long state = seed;
        s0 = mix(state += GOLDEN);
        s1 = mix(state += GOLDEN);
        s2 = mix(state += GOLDEN);
        s3 = mix(state + GOLDEN);
    }

    /** Returns the stream of a seed for one purpose; different purposes have unrelated sequences. */
    public static RandomStream of(long seed, String purpose) {
        long state = mix(seed + GOLDEN);
        for (int i = 0; i < purpose.length(); i++) {
            state = mix((state ^ purpose.charAt(i)) + GOLDEN);
        }
        return new RandomStream(state);
    }

    /** Returns a new stream that is unrelated to the further output of this one; consumes one draw. */
    public RandomStream split() {
        return new RandomStream(nextLong());
    }

    /** Returns the next 64 random bits. */
    long nextLong() {
        long result = Long.rotateLeft(s0 + s3, 23) + s0;
        long shifted = s1 << 17;
        s2 ^= s0;
        s3 ^= s1;
        s1 ^= s2;
        s0 ^= s3;
        s2 ^= shifted;
        s3 = Long.rotateLeft(s3, 45);
        return result;
    }

    @Override
    public double nextDouble() {
        return (nextLong() >>> 11) * TWO_POW_MINUS_53;
    }

    @Override
    public long below(long bound) {
        if (bound < 1) {
            throw new IllegalArgumentException("bound must be at least 1, got " + bound);
        }
        if (bound == 1) {
            return 0;
        }
        int shift = Long.numberOfLeadingZeros(bound - 1);
        long drawn = nextLong() >>> shift;
        while (drawn >= bound) {
            drawn = nextLong() >>> shift;
        }
        return drawn;
    }

    /** Scrambles 64 bits one to one (the finaliser of SplitMix64); also a seedable hash of an integer. */
    public static long mix(long value) {
        long z = (value ^ (value >>> 30)) * 0xbf58476d1ce4e5b9L;
        z = (z ^ (z >>> 27)) * 0x94d049bb133111ebL;
        return z ^ (z >>> 31);
    }
}
