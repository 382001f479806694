package dev.stagesim.sim.training.schedule;

/**
 * Operations of a pipeline order, packed into integers: kind, direction, micro-batch and stage.
 *
 * <p>A joined operation overlaps with the next operation of its rank.
 */
public final class Op {
    /** Forward. */
    public static final int F = 0;
    /** Gradient of the input. */
    static final int B = 1;
    /** Gradient of the weights. */
    public static final int W = 2;
    /** Both gradients together. */
    static final int BW = 3;

    static final int MAX_STAGES = 1 << 10;
    static final int MAX_MICRO_BATCHES = 1 << 16;

    private static final int DOWN = 1 << 2;
    private static final int JOINED = 1 << 3;
    private static final int STAGE_SHIFT = 4;
    private static final int BATCH_SHIFT = 14;
    private static final String[] NAMES = {"F", "B", "W", "BW"};

    private Op() {}

    static int of(int kind, int direction, int microBatch, int stage) {
        return kind | (direction == 0 ? 0 : DOWN) | stage << STAGE_SHIFT | microBatch << BATCH_SHIFT;
    }

    static int joined(int op) {
        return op | JOINED;
    }

    public static int kind(int op) {
        return op & 3;
    }

    /** Returns 0 for micro-batches that enter at the first rank, 1 for micro-batches that enter at the last. */
    public static int direction(int op) {
        return (op & DOWN) == 0 ? 0 : 1;
    }

    /** Returns true if the operation overlaps with the next operation of its rank. */
    public static boolean isJoined(int op) {
        return (op & JOINED) != 0;
    }

    public static int stage(int op) {
        return op >> STAGE_SHIFT & MAX_STAGES - 1;
    }

    public static int microBatch(int op) {
        return op >>> BATCH_SHIFT;
    }

    /** Returns a name such as {@code F>3.1}: kind, direction, micro-batch and stage. */
    public static String name(int op) {
        return NAMES[kind(op)] + (direction(op) == 0 ? '>' : '<') + microBatch(op) + "." + stage(op);
    }
}
