package dev.stagesim.sim.serving.memory;

/** Hears which blocks of one engine's cache can be found by other requests. */
public interface CacheEvents {
    /** The cache begins empty; a key stands for each {@code unit} tokens, and every {@code block} tokens are a block. */
    void begins(int block, int unit);

    /** A block can be found by the key of its last unit; no other block could. */
    void stored(long key);

    /** No block can be found by a key any more. */
    void removed(long key);
}
