package dev.stagesim.sim.workload;

import dev.stagesim.sim.core.RandomSource;
import dev.stagesim.sim.core.RandomStream;
import dev.stagesim.sim.core.RealMath;
import dev.stagesim.sim.core.Variates;
import java.util.function.IntSupplier;

/** Distributions of request lengths. */
public final class Lengths {
    private Lengths() {}

    /** Constant lengths. */
    public static LengthSource fixed(int prefill, int decode) {
        return new Drawn() {
            @Override
            public boolean next() {
                return set(prefill, decode);
            }
        };
    }

    /** Total uniform over the integers from {@code min} to {@code max}, split at {@code ratio} to 1. */
    public static LengthSource uniform(RandomSource random, int min, int max, double ratio) {
        return new Drawn() {
            @Override
            public boolean next() {
                return split(min + random.below((long) max - min + 1), ratio);
            }
        };
    }

    /**
     * Total {@code min + i - 1} with weight {@code i^-theta}, split at {@code ratio} to 1. Exact, by a table of {@code
     * max - min + 1} sums; any theta from 0.
     *
     * @param scramble whether a seeded permutation scatters the totals over the range
     */
    public static LengthSource zipf(
            RandomStream random, int min, int max, double theta, double ratio, boolean scramble) {
        double[] sums = ZipfTable.sums(max - min + 1, theta);
        int[] rank = scramble ? shuffled(random.split(), sums.length) : new int[0];
        return new Drawn() {
            @Override
            public boolean next() {
                int i = ZipfTable.find(sums, random.nextDouble());
                return split((long) min + (scramble ? rank[i] : i), ratio);
            }
        };
    }

    /** A log-normal distribution: median, standard deviation of the logarithm, bounds. */
    public record LogNormal(double median, double sigma, int min, int max) {}

    /** Independent log-normal prompts and outputs, rounded and limited to their bounds. */
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
        return (int) Math.max(shape.min(), Math.min(shape.max(), Math.rint(value)));
    }

    /** Independent prompts and outputs. */
    public static LengthSource independent(RandomStream random, TokenDistribution prefill, TokenDistribution decode) {
        IntSupplier prompts = prefill.draws(random.split());
        IntSupplier outputs = decode.draws(random.split());
        return new Drawn() {
            @Override
            public boolean next() {
                return set(prompts.getAsInt(), outputs.getAsInt());
            }
        };
    }

    /** Rows in the given order, once or repeatedly. */
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

    /** Base class that stores the last lengths drawn. */
    abstract static class Drawn implements LengthSource {
        private int prefill;
        private int decode;

        final boolean set(int newPrefill, int newDecode) {
            prefill = newPrefill;
            decode = newDecode;
            return true;
        }

        /** Splits a total of at least 2, so that each side has at least one token. */
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
