package dev.stagesim.sim.serving.memory;

/**
 * Layers that share a block table.
 *
 * @param kind tokens that a token can attend to
 * @param blockSize tokens of a block
 * @param window tokens of a sliding or rolling window or of a chunk; 0 for other kinds
 * @param states cached Mamba states
 * @param speculativeBlocks blocks of a request for the states of draft tokens (Mamba)
 * @param isDraft whether these are the layers of the draft model
 * @param shape distinguishes layouts of the same kind with different sizes
 * @param checkpointAlignment distance in tokens between positions in a prompt where the kernel can save the state (Mamba);
 *         0 if it saves only the state at the end of a chunk
 */
public record KvGroup(
        Kind kind,
        int blockSize,
        int window,
        States states,
        int speculativeBlocks,
        boolean isDraft,
        int shape,
        int checkpointAlignment) {
    /** The tokens that a token can attend to. */
    public enum Kind {
        /** All earlier tokens. */
        FULL,
        /** The last {@code window} tokens. */
        SLIDING_WINDOW,
        /** The tokens of its chunk. */
        CHUNKED_LOCAL,
        /** The prompt and the last {@code window} tokens. */
        ROLLING_WINDOW,
        /** A recurrent state. */
        MAMBA
    }

    /** The states of a Mamba layer that are cached. */
    public enum States {
        /** One state per request, no cache. */
        NONE,
        /** The states at block ends that lookups can use. */
        ALIGN,
        /** One state per block. */
        ALL
    }

    public KvGroup {
        if (blockSize < 1) {
            throw new IllegalArgumentException("a block of " + blockSize + " tokens");
        }
    }

    public KvGroup(
            Kind kind, int blockSize, int window, States states, int speculativeBlocks, boolean isDraft, int shape) {
        this(kind, blockSize, window, states, speculativeBlocks, isDraft, shape, 0);
    }

    public static KvGroup full(int blockSize) {
        return new KvGroup(Kind.FULL, blockSize, 0, States.NONE, 0, false, 0);
    }

    public static KvGroup sliding(int blockSize, int window) {
        return new KvGroup(Kind.SLIDING_WINDOW, blockSize, window, States.NONE, 0, false, 0);
    }

    public boolean isFull() {
        return kind == Kind.FULL;
    }

    boolean isAligned() {
        return kind == Kind.MAMBA && states == States.ALIGN;
    }
}
