package dev.stagesim.sim.serving.memory;

/**
 * Layers that share a block table.
 *
 * @param kind what a token can attend to
 * @param blockSize tokens of a block
 * @param window tokens of a sliding or rolling window, or of a chunk; 0 for other kinds
 * @param states which Mamba states are kept
 * @param speculativeBlocks blocks of a request for the states of draft tokens (Mamba)
 * @param isDraft whether these are the layers of the draft model
 * @param shape tells layouts of equal kind but different sizes apart
 */
public record KvGroup(
        Kind kind, int blockSize, int window, States states, int speculativeBlocks, boolean isDraft, int shape) {
    /** What a token can attend to. */
    public enum Kind {
        /** Everything before it. */
        FULL,
        /** The last {@code window} tokens. */
        SLIDING_WINDOW,
        /** The tokens of its own chunk. */
        CHUNKED_LOCAL,
        /** The prompt and the last {@code window} tokens. */
        ROLLING_WINDOW,
        /** A state. */
        MAMBA
    }

    /** Which states of a Mamba layer are kept. */
    public enum States {
        /** One for a request, nothing is cached. */
        NONE,
        /** Those at block ends that matter. */
        ALIGN,
        /** One for every block. */
        ALL
    }

    public KvGroup {
        if (blockSize < 1) {
            throw new IllegalArgumentException("a block of " + blockSize + " tokens");
        }
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
