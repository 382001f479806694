package dev.stagesim.sim.workload;

import dev.stagesim.sim.core.Mt19937;
import dev.stagesim.sim.core.RealMath;

/** Distributions of request lengths that reproduce Vidur, defects included. */
public final class VidurLengths {
    private static final double HALF = 0.5;

    private VidurLengths() {}

    /**
     * Total uniform over the reals. The output is rounded up, then both are truncated to integers, so the sum may be
     * total - 1.
     */
    public static LengthSource uniform(Mt19937 python, int min, int max, double ratio) {
        return new Lengths.Drawn() {
            @Override
            public boolean next() {
                double total = min + (double) (max - min) * python.nextDouble();
                double decode = Math.ceil(total / (1.0 + ratio));
                return set((int) (total - decode), (int) decode);
            }
        };
    }

    /**
     * Zipf totals by the approximate method of Gray et al. (SIGMOD 1994), with a normalising sum that omits the upper
     * end. Both lengths are truncated to integers, so their sum may be total - 1.
     *
     * @throws IllegalArgumentException if theta is 1, because the method divides by zero
     */
    public static LengthSource zipf(Mt19937 numpy, int min, int max, double theta, double ratio) {
        if (theta == 1.0) {
            throw new IllegalArgumentException("theta must not be 1");
        }
        return new Zipf(numpy, min, max, theta, ratio);
    }

    /** Scales lengths by a factor and truncates. */
    public static void scale(int[] lengths, double factor) {
        for (int i = 0; i < lengths.length; i++) {
            lengths[i] = (int) (lengths[i] * factor);
        }
    }

    /**
     * Reduces rows above the limit in proportion, with each reduction rounded up, then raises both lengths to at least
     * 1.
     */
    public static void capInProportion(int[] prefill, int[] decode, int max) {
        for (int i = 0; i < prefill.length; i++) {
            long total = (long) prefill[i] + decode[i];
            double excess = Math.max(0, total - max);
            double prefillShare = (double) prefill[i] / total;
            double decodeShare = (double) decode[i] / total;
            prefill[i] = Math.max(1, prefill[i] - (int) Math.ceil(excess * prefillShare));
            decode[i] = Math.max(1, decode[i] - (int) Math.ceil(excess * decodeShare));
        }
    }

    /**
     * Raises both lengths to at least 1, then takes the excess over the limit from the prompt, which may become less
     * than 1.
     */
    public static void capPrompt(int[] prefill, int[] decode, int max) {
        for (int i = 0; i < prefill.length; i++) {
            decode[i] = Math.max(1, decode[i]);
            int lifted = Math.max(1, prefill[i]);
            prefill[i] = lifted - Math.max(0, lifted + decode[i] - max);
        }
    }

    private static final class Zipf extends Lengths.Drawn {
        private final Mt19937 numpy;
        private final RealMath math = new RealMath();
        private final int min;
        private final int count;
        private final double theta;
        private final double ratio;
        private final double zeta;
        private final double alpha;
        private final double eta;

        Zipf(Mt19937 numpy, int min, int max, double theta, double ratio) {
            this.numpy = numpy;
            this.min = min;
            this.count = max - min + 1;
            this.theta = theta;
            this.ratio = ratio;
            this.zeta = zeta(count);
            this.alpha = 1.0 / (1.0 - theta);
            this.eta = (1 - math.pow(2.0 / count, 1 - theta)) / (1 - zeta(2) / (zeta + 1e-8));
        }

        private double zeta(int end) {
            double sum = 0;
            for (int i = 1; i < end; i++) {
                sum += 1 / math.pow(i, theta);
            }
            return sum;
        }

        @Override
        public boolean next() {
            int total = min + rank();
            double decode = total / (1.0 + ratio);
            return set((int) (total - decode), (int) decode);
        }

        private int rank() {
            double u = numpy.nextDouble();
            double uz = u * zeta;
            if (uz < 1.0) {
                return 0;
            }
            if (uz < 1.0 + math.pow(HALF, theta)) {
                return 1;
            }
            return (int) (count * math.pow(eta * u - eta + 1, alpha));
        }
    }
}
