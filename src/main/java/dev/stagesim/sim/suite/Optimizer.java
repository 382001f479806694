package dev.stagesim.sim.suite;

/** How new weights follow from gradients, and what one weight costs. */
public enum Optimizer {
    /** Two moments: reads weight, gradient and moments, writes weight and moments. */
    ADAM(12, 28),
    /** The same after a decay of the weight. */
    ADAMW(14, 36),
    /** One moment. */
    RMSPROP(7, 20);

    private final int flops;
    private final int bytes;

    Optimizer(int flops, int bytes) {
        this.flops = flops;
        this.bytes = bytes;
    }

    /** Operations per weight. */
    int flops() {
        return flops;
    }

    /** Bytes per weight of 32 bits. */
    int bytes() {
        return bytes;
    }
}
