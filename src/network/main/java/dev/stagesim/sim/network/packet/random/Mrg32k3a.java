package dev.stagesim.sim.network.packet.random;

/**
 * MRG32k3a, L'Ecuyer's combined multiple recursive generator, with the numbered streams of ns-3. Stream k starts k x
 * 2^127 draws after the seed (1, 1, 1, 1, 1, 1); ns-3 uses its second substream, another 2^76 draws further.
 */
public final class Mrg32k3a {
    static final long M1 = 4294967087L;
    static final long M2 = 4294944443L;

    private static final double NORM = 2.328306549295728e-10;
    private static final int STREAM_POWER = 127;
    private static final int SUBSTREAM_POWER = 76;
    private static final long LOW = 0xffffffffL;
    private static final long[] STEP1 = {0, 1, 0, 0, 0, 1, M1 - 810728, 1403580, 0};
    private static final long[] STEP2 = {0, 1, 0, 0, 0, 1, M2 - 1370589, 0, 527612};

    private final long[] state1;
    private final long[] state2;

    private Mrg32k3a(long[] state1, long[] state2) {
        this.state1 = state1;
        this.state2 = state2;
    }

    /** The generator of one stream; {@code stream} is unsigned. */
    public static Mrg32k3a stream(long stream) {
        long[] state1 = {1, 1, 1};
        long[] state2 = {1, 1, 1};
        long[] jump1 = powerOfTwo(STEP1, M1, STREAM_POWER);
        long[] jump2 = powerOfTwo(STEP2, M2, STREAM_POWER);
        for (long rest = stream; rest != 0; rest >>>= 1) {
            if ((rest & 1) != 0) {
                state1 = apply(jump1, state1, M1);
                state2 = apply(jump2, state2, M2);
            }
            jump1 = multiply(jump1, jump1, M1);
            jump2 = multiply(jump2, jump2, M2);
        }
        return new Mrg32k3a(
                apply(powerOfTwo(STEP1, M1, SUBSTREAM_POWER), state1, M1),
                apply(powerOfTwo(STEP2, M2, SUBSTREAM_POWER), state2, M2));
    }

    /** Next number in [0, 1). */
    public double next() {
        long p1 = dot(STEP1, 6, state1, M1);
        long p2 = dot(STEP2, 6, state2, M2);
        shift(state1, p1);
        shift(state2, p2);
        return uniform(p1, p2);
    }

    private static void shift(long[] state, long value) {
        state[0] = state[1];
        state[1] = state[2];
        state[2] = value;
    }

    private static double uniform(long p1, long p2) {
        return (p1 > p2 ? p1 - p2 : p1 - p2 + M1) * NORM;
    }

    /**
     * The first number of each stream in turn. It keeps the state of the current stream, so one step is one matrix
     * product.
     */
    public static final class Sequence {
        private final long[] jump1 = powerOfTwo(STEP1, M1, STREAM_POWER);
        private final long[] jump2 = powerOfTwo(STEP2, M2, STREAM_POWER);
        private final long[] first1 = multiply(STEP1, powerOfTwo(STEP1, M1, SUBSTREAM_POWER), M1);
        private final long[] first2 = multiply(STEP2, powerOfTwo(STEP2, M2, SUBSTREAM_POWER), M2);
        private final long[] state1 = {1, 1, 1};
        private final long[] state2 = {1, 1, 1};
        private long at;
        private long used;

        public Sequence(long used) {
            this.used = used;
        }

        /** Number of streams used so far. */
        public long used() {
            return used;
        }

        /** Skips a stream without drawing from it. */
        public void skip() {
            used++;
        }

        /** First number of the next stream. */
        public double draw() {
            while (at < used) {
                advance(jump1, state1, M1);
                advance(jump2, state2, M2);
                at++;
            }
            used++;
            return uniform(dot(first1, 6, state1, M1), dot(first2, 6, state2, M2));
        }

        private static void advance(long[] jump, long[] state, long modulus) {
            long a = dot(jump, 0, state, modulus);
            long b = dot(jump, 3, state, modulus);
            long c = dot(jump, 6, state, modulus);
            state[0] = a;
            state[1] = b;
            state[2] = c;
        }
    }

    private static long[] powerOfTwo(long[] matrix, long modulus, int exponent) {
        long[] power = matrix;
        for (int i = 0; i < exponent; i++) {
            power = multiply(power, power, modulus);
        }
        return power;
    }

    private static long[] multiply(long[] a, long[] b, long modulus) {
        long[] product = new long[9];
        for (int column = 0; column < 3; column++) {
            long[] vector = {b[column], b[3 + column], b[6 + column]};
            for (int row = 0; row < 3; row++) {
                product[3 * row + column] = dot(a, 3 * row, vector, modulus);
            }
        }
        return product;
    }

    private static long[] apply(long[] matrix, long[] vector, long modulus) {
        return new long[] {
            dot(matrix, 0, vector, modulus), dot(matrix, 3, vector, modulus), dot(matrix, 6, vector, modulus)
        };
    }

    private static long dot(long[] matrix, int row, long[] vector, long modulus) {
        long complement = (1L << 32) - modulus;
        long sum = fold(matrix[row] * vector[0], complement)
                + fold(matrix[row + 1] * vector[1], complement)
                + fold(matrix[row + 2] * vector[2], complement);
        long small = fold(fold(sum, complement), complement);
        return small >= modulus ? small - modulus : small;
    }

    /**
     * An equal residue of the unsigned {@code value}, since 2^32 is congruent to {@code complement} modulo the modulus.
     */
    private static long fold(long value, long complement) {
        return (value >>> 32) * complement + (value & LOW);
    }
}
