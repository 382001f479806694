package dev.stagesim.sim.training;

/**
 * Collectives of tensor parallelism in a layer: what they move, and how much of it the products beside them hide.
 *
 * <p>The input of the first products of attention and of the feed-forward network is gathered, the output of their last ones is
 * scattered. Backward does the mirror image, and with sequence parallelism gathers the inputs once more for the gradients of the
 * weights.
 */
final class TensorTraffic {
    /** Share of a device that a collective takes from the product beside it. */
    static final double COLLECTIVE_UNITS = 0.12;
    /** Rate of a product in pieces, each waiting for its transfer, of that of the whole. */
    private static final double PIECES = 0.7;

    private TensorTraffic() {}

    /** Seconds that no product hides. */
    record Exposed(double forward, double backward) {}

    /** Seconds of what a layer moves and of what may hide it: the first and the last products of its blocks. */
    record Beside(double gather, double scatter, double sum, double[] first, double[] last) {}

    /** Blocks of a layer with collectives of their own: routed experts get their tokens by their own exchange. */
    static int blocks(Architecture model, boolean isMixture) {
        return isMixture && model.mixture().sharedWidth() == 0 ? 1 : 2;
    }

    /** What is gathered of 16 bits: with sequence parallelism operands are cast before. */
    static double gathered(Strategy s, TrainingJob job) {
        return s.isSequence() ? job.precision().gathered() : 1;
    }

    /** What a block moves in a direction, in all-reduces of its 16-bit output. */
    static double reduces(Strategy s, TrainingJob job, boolean isForward) {
        int gathers = isForward || !s.isSequence() ? 1 : 2;
        return (gathers * gathered(s, job) + 1) / 2;
    }

    static Exposed exposed(Strategy s, TrainingJob job, int blocks, Beside beside) {
        if (!job.overlapsTensor() || !s.isSequence()) {
            int again = s.isSequence() ? 2 : 1;
            return new Exposed(
                    blocks * (beside.gather + beside.scatter), blocks * (again * beside.gather + beside.scatter));
        }
        // What is scattered in pieces is added up afterwards, in one pass over all of them.
        double forward = blocks * beside.sum;
        double backward = blocks * beside.sum;
        int t = s.tensor();
        for (int i = 0; i < blocks; i++) {
            double gather = left(beside.gather, beside.first[i], t);
            forward += gather + left(beside.scatter, beside.last[i], t);
            backward += gather + left(beside.scatter, beside.first[i], t) + left(beside.gather, beside.last[i], t);
        }
        return new Exposed(forward, backward);
    }

    /** What is left of a collective beside one product: a piece at least, and what goes on after the product. */
    private static double left(double collective, double product, int pieces) {
        return Math.max(collective / pieces, collective - product * (1 - COLLECTIVE_UNITS) * PIECES);
    }
}
