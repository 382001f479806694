package dev.stagesim.sim.serving.memory;

/** Receives the changes of the set of blocks of one engine's cache that requests can find. */
public interface CacheEvents {
    /** The cache is created empty. A key represents {@code unit} tokens, and a block has {@code block} tokens. */
    void begins(int block, int unit);

    /** A block with the key of its last unit is now available, and no other block has this key. */
    void stored(long key);

    /** No block with the key is available any more. */
    void removed(long key);
}
