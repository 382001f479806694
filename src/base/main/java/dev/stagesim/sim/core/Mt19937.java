package dev.stagesim.sim.core;

import java.math.BigInteger;

/**
 * The 32-bit Mersenne Twister with the two seedings that Python programs use: {@code random.seed(n)} and numpy's legacy
 * {@code RandomState(n)}.
 *
 * <p>The same integer gives different sequences under the two. Draws do not allocate; the period is 2^19937 - 1.
 */
public final class Mt19937 implements RandomSource {
    private static final int N = 624;
    private static final int M = 397;
    private static final int MATRIX_A = 0x9908b0df;
    private static final int UPPER = 0x80000000;
    private static final int LOWER = 0x7fffffff;
    private static final double TWO_POW_MINUS_53 = 1.0 / (1L << 53);

    private final int[] state = new int[N];
    private int at = N;

    private Mt19937() {}

    /**
     * Returns a generator in the state of Python's {@code random.seed(seed)}, which also uses only the absolute value.
     */
    public static Mt19937 pythonSeed(long seed) {
        long magnitude = Math.abs(seed);
        int high = (int) (magnitude >>> 32);
        int[] key = high == 0 ? new int[] {(int) magnitude} : new int[] {(int) magnitude, high};
        Mt19937 generator = new Mt19937();
        generator.initByArray(key);
        return generator;
    }

    /** Returns a generator for a seed of any size. All 32-bit words of the seed are used. */
    public static Mt19937 pythonSeed(BigInteger seed) {
        BigInteger magnitude = seed.abs();
        int[] key = new int[Math.max(1, (magnitude.bitLength() + 31) / 32)];
        for (int i = 0; i < key.length; i++) {
            key[i] = magnitude.shiftRight(32 * i).intValue();
        }
        Mt19937 generator = new Mt19937();
        generator.initByArray(key);
        return generator;
    }

    /**
     * Returns a generator in the state of numpy's {@code RandomState(seed)}.
     *
     * @throws IllegalArgumentException if the seed is not in [0, 2^32), the range of numpy
     */
    public static Mt19937 numpySeed(long seed) {
        if (seed < 0 || seed >= 1L << 32) {
            throw new IllegalArgumentException("seed must be between 0 and 2^32 - 1, got " + seed);
        }
        Mt19937 generator = new Mt19937();
        generator.init((int) seed);
        return generator;
    }

    /** Returns the next 32 random bits. */
    int nextInt32() {
        if (at == N) {
            refill();
        }
        int y = state[at++];
        y ^= y >>> 11;
        y ^= (y << 7) & 0x9d2c5680;
        y ^= (y << 15) & 0xefc60000;
        return y ^ (y >>> 18);
    }

    /** {@inheritDoc} Equals Python's {@code random()} and numpy's {@code random_sample()}: two words per draw. */
    @Override
    public double nextDouble() {
        long a = Integer.toUnsignedLong(nextInt32() >>> 5);
        long b = Integer.toUnsignedLong(nextInt32() >>> 6);
        return ((a << 26) + b) * TWO_POW_MINUS_53;
    }

    /** Equals Python's {@code getrandbits(bits)}: returns an integer of at most {@code bits} bits, 1 to 63. */
    long bits(int bits) {
        if (bits < 1 || bits > 63) {
            throw new IllegalArgumentException("the number of bits must be 1 to 63, got " + bits);
        }
        if (bits <= 32) {
            return Integer.toUnsignedLong(nextInt32() >>> (32 - bits));
        }
        long low = Integer.toUnsignedLong(nextInt32());
        return low | Integer.toUnsignedLong(nextInt32() >>> (64 - bits)) << 32;
    }

    /** {@inheritDoc} Equals Python: draws as many bits as {@code bound} has until they are below it. */
    @Override
    public long below(long bound) {
        if (bound < 1) {
            throw new IllegalArgumentException("bound must be at least 1, got " + bound);
        }
        int width = 64 - Long.numberOfLeadingZeros(bound);
        long drawn = bits(width);
        while (drawn >= bound) {
            drawn = bits(width);
        }
        return drawn;
    }

    /** Equals Python's {@code randint(low, high)}, both ends included. */
    public long between(long low, long high) {
        return low + below(high - low + 1);
    }

    /**
     * Equals numpy's legacy bounded integer in [0, most]: a word masked to the width of {@code max}, redrawn while it
     * is larger. {@code most == 0} draws no word.
     */
    public int masked(int max) {
        if (max == 0) {
            return 0;
        }
        int mask = -1 >>> Integer.numberOfLeadingZeros(max);
        int drawn = nextInt32() & mask;
        while (Integer.compareUnsigned(drawn, max) > 0) {
            drawn = nextInt32() & mask;
        }
        return drawn;
    }

    /** Equals numpy's legacy {@code permutation(length)}: 0 to {@code length - 1} in random order. */
    public int[] permutation(int length) {
        int[] order = new int[length];
        for (int i = 0; i < length; i++) {
            order[i] = i;
        }
        for (int i = length - 1; i > 0; i--) {
            int j = masked(i);
            int swap = order[i];
            order[i] = order[j];
            order[j] = swap;
        }
        return order;
    }

    private void init(int seed) {
        state[0] = seed;
        for (int i = 1; i < N; i++) {
            state[i] = 1812433253 * (state[i - 1] ^ (state[i - 1] >>> 30)) + i;
        }
        at = N;
    }

    private void initByArray(int[] key) {
        init(19650218);
        int i = 1;
        int j = 0;
        for (int k = Math.max(N, key.length); k > 0; k--) {
            state[i] = (state[i] ^ ((state[i - 1] ^ (state[i - 1] >>> 30)) * 1664525)) + key[j] + j;
            i = wrapped(i + 1);
            j = j + 1 == key.length ? 0 : j + 1;
        }
        for (int k = N - 1; k > 0; k--) {
            state[i] = (state[i] ^ ((state[i - 1] ^ (state[i - 1] >>> 30)) * 1566083941)) - i;
            i = wrapped(i + 1);
        }
        state[0] = UPPER;
    }

    private int wrapped(int i) {
        if (i < N) {
            return i;
        }
        state[0] = state[N - 1];
        return 1;
    }

    private void refill() {
        for (int k = 0; k < N; k++) {
            int next = k + 1 == N ? 0 : k + 1;
            int far = k + M < N ? k + M : k + M - N;
            int y = (state[k] & UPPER) | (state[next] & LOWER);
            state[k] = state[far] ^ (y >>> 1) ^ ((y & 1) == 0 ? 0 : MATRIX_A);
        }
        at = 0;
    }
}
