package dev.stagesim.sim.workload;

import dev.stagesim.sim.core.RandomSource;
import dev.stagesim.sim.core.RandomStream;
import dev.stagesim.sim.core.RealMath;
import dev.stagesim.sim.core.Variates;

/** The distributions of request lengths. */
public final class Lengths {
    private Lengths() {}

    /** Every request alike. */
    public static LengthSource fixed(int prefill, int decode) {
        return new Drawn() {
            @Override
            public boolean next() {
                return set(prefill, decode);
            }
        };
    }

    /** Total uniform over the integers from {@code least} to {@code most}, split at {@code ratio} to 1. */
    public static LengthSource uniform(RandomSource random, int least, int most, double ratio) {
        return new Drawn() {
            @Override
            public boolean next() {
                return split(least + random.below((long) most - least + 1), ratio);
            }
        };
    }

    /**
     * Total {@code least + i - 1} with a weight of {@code i^-theta}, split at {@code ratio} to 1. Exact, by a table of
     * {@code most - least + 1} sums; any theta from 0 on.
     *
     * @param scramble seeded one-to-one scattering of the totals over the range
     */
    public static LengthSource zipf(
            RandomStream random, int least, int most, double theta, double ratio, boolean scramble) {
        double[] sums = ZipfTable.sums(most - least + 1, theta);
        int[] rank = scramble ? shuffled(random.split(), sums.length) : new int[0];
        return new Drawn() {
            @Override
            public boolean next() {
                int i = ZipfTable.find(sums, random.nextDouble());
                return split((long) least + (scramble ? rank[i] : i), ratio);
            }
        };
    }

    /** A log-normal number: median, spread of the logarithm, bounds. */
    public record LogNormal(double median, double sigma, int least, int most) {}

    /** Prompt and output apart, each log-normal, rounded and kept within its bounds. */
    public static LengthSource logNormal(RandomStream random, LogNormal prefill, LogNormal decode) {
        Variates prefillNormal = new Variates(random.split());
        Variates decodeNormal = new Variates(random.split());
        RealMath math = new RealMath();
        return new Drawn() {
            @Override
            public boolean next() {
                return set(draw(prefill, prefillNormal, math), draw(decode, decodeNormal, math));
            }
        };
    }

    private static int draw(LogNormal shape, Variates normal, RealMath math) {
        double value = shape.median() * math.exp(shape.sigma() * normal.normal());
        return (int) Math.max(shape.least(), Math.min(shape.most(), Math.rint(value)));
    }

    /** Rows in the given order, each once, or over and over. */
    public static LengthSource rows(int[] prefill, int[] decode, int[] order, boolean repeat) {
        return new Rows(prefill, decode) {
            private int at;

            @Override
            public boolean next() {
                if (at == order.length) {
                    at = 0;
                    return order.length > 0 && repeat && pick(order[at++]);
                }
                return pick(order[at++]);
            }
        };
    }

    /** Rows drawn with replacement. */
    public static LengthSource drawnRows(RandomSource random, int[] prefill, int[] decode) {
        return new Rows(prefill, decode) {
            @Override
            public boolean next() {
                return prefill.length > 0 && pick((int) random.below(prefill.length));
            }
        };
    }

    /** Numbers from 0 to {@code length - 1} in random order. */
    public static int[] shuffled(RandomSource random, int length) {
        int[] order = inOrder(length);
        for (int i = length - 1; i > 0; i--) {
            int j = (int) random.below(i + 1L);
            int swap = order[i];
            order[i] = order[j];
            order[j] = swap;
        }
        return order;
    }

    /** Numbers from 0 to {@code length - 1}. */
    public static int[] inOrder(int length) {
        int[] order = new int[length];
        for (int i = 0; i < length; i++) {
            order[i] = i;
        }
        return order;
    }

    /** Holds the lengths drawn last. */
    abstract static class Drawn implements LengthSource {
        private int prefill;
        private int decode;

        final boolean set(int newPrefill, int newDecode) {
            prefill = newPrefill;
            decode = newDecode;
            return true;
        }

        /** Splits a total of at least 2 so that nothing is lost and each side has a token. */
        final boolean split(long total, double ratio) {
            long share = Math.round(total / (1.0 + ratio));
            int output = (int) Math.max(1, Math.min(total - 1, share));
            return set((int) (total - output), output);
        }

        @Override
        public final int prefill() {
            return prefill;
        }

        @Override
        public final int decode() {
            return decode;
        }
    }

    private abstract static class Rows implements LengthSource {
        private final int[] prefill;
        private final int[] decode;
        private int row;

        Rows(int[] prefill, int[] decode) {
            this.prefill = prefill;
            this.decode = decode;
        }

        final boolean pick(int newRow) {
            row = newRow;
            return true;
        }

        @Override
        public final int prefill() {
            return prefill[row];
        }

        @Override
        public final int decode() {
            return decode[row];
        }

        @Override
        public final int row() {
            return row;
        }
    }
}
