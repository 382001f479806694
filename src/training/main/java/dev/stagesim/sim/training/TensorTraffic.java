package dev.stagesim.sim.training;

/**
 * Bytes and exposed times of the tensor-parallel collectives of a layer.
 *
 * <p>Attention and the feed-forward network gather their inputs and scatter their outputs. The backward pass does the reverse. With sequence
 * parallelism it also gathers the inputs a second time for the weight gradients.
 */
final class TensorTraffic {
    /** Share of a device that a collective takes from a concurrent product. */
    static final double COLLECTIVE_UNITS = 0.12;
    /** Relative rate of a product that is split into chunks to overlap with transfers. */
    private static final double PIECES = 0.7;

    private TensorTraffic() {}

    /** Exposed seconds of collectives per layer. */
    record Exposed(double forward, double backward) {}

    /** Seconds of a block's collectives, of the sum of scattered chunks, and of the first and last products of each block. */
    record LayerTimes(double gather, double scatter, double sum, double[] first, double[] last) {}

    /** Returns the number of blocks with tensor-parallel collectives. Routed experts use expert-parallel exchange instead. */
    static int blocks(Architecture model, boolean isMixture) {
        return isMixture && model.mixture().sharedWidth() == 0 ? 1 : 2;
    }

    /** Returns the gathered bytes relative to 16-bit values. With sequence parallelism, operands are cast before the gather. */
    static double gathered(Strategy s, TrainingJob job) {
        return s.isSequence() ? job.precision().gathered() : 1;
    }

    /** Returns the traffic of a block in one pass, as a multiple of an all-reduce of its 16-bit output. */
    static double reduces(Strategy s, TrainingJob job, boolean isForward) {
        int gathers = isForward || !s.isSequence() ? 1 : 2;
        return (gathers * gathered(s, job) + 1) / 2;
    }

    static Exposed exposed(Strategy s, TrainingJob job, int blocks, LayerTimes times) {
        if (!job.overlap().tensor() || !s.isSequence()) {
            int inputGathers = s.isSequence() ? 2 : 1;
            return new Exposed(
                    blocks * (times.gather + times.scatter), blocks * (inputGathers * times.gather + times.scatter));
        }
        // Scattered chunks are summed afterwards in one pass.
        double forward = blocks * times.sum;
        double backward = blocks * times.sum;
        int t = s.tensor();
        for (int i = 0; i < blocks; i++) {
            double gather = left(times.gather, times.first[i], t);
            forward += gather + left(times.scatter, times.last[i], t);
            backward += gather + left(times.scatter, times.first[i], t) + left(times.gather, times.last[i], t);
        }
        return new Exposed(forward, backward);
    }

    /** Returns the exposed seconds of a collective that overlaps with a product: at least one chunk. */
    private static double left(double collective, double product, int pieces) {
        return Math.max(collective / pieces, collective - product * (1 - COLLECTIVE_UNITS) * PIECES);
    }
}
