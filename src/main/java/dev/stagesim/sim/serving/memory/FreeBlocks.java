package dev.stagesim.sim.serving.memory;

/** The free blocks of a cache, in the order in which they are taken; every operation takes constant time. */
public final class FreeBlocks {
    /** Neighbours of each block; index {@code blocks} is the anchor of the ring. */
    private final int[] next;

    private final int[] previous;
    private final int anchor;
    private int size;

    /** Blocks 0 to {@code blocks} - 1, all free, in order of their numbers. */
    public FreeBlocks(int blocks) {
        this(blocks, blocks);
    }

    private FreeBlocks(int blocks, int free) {
        anchor = blocks;
        next = new int[blocks + 1];
        previous = new int[blocks + 1];
        next[anchor] = anchor;
        previous[anchor] = anchor;
        for (int block = 0; block < free; block++) {
            append(block);
        }
    }

    /** A queue for as many blocks, none of which is free. */
    static FreeBlocks none(int blocks) {
        return new FreeBlocks(blocks, 0);
    }

    /** The first block; -1 when there is none. */
    int first() {
        return size == 0 ? -1 : next[anchor];
    }

    public int size() {
        return size;
    }

    /** Puts a block last. */
    public void append(int block) {
        link(previous[anchor], block, anchor);
    }

    /** Puts a block first. */
    void prepend(int block) {
        link(anchor, block, next[anchor]);
    }

    private void link(int before, int block, int after) {
        previous[block] = before;
        next[block] = after;
        next[before] = block;
        previous[after] = block;
        size++;
    }

    public void remove(int block) {
        next[previous[block]] = next[block];
        previous[next[block]] = previous[block];
        size--;
    }

    public int takeFirst() {
        if (size == 0) {
            throw new IllegalStateException("no block is free");
        }
        int block = next[anchor];
        remove(block);
        return block;
    }

    /** The blocks, first to last. */
    public int[] toArray() {
        int[] order = new int[size];
        int block = next[anchor];
        for (int i = 0; i < order.length; i++) {
            order[i] = block;
            block = next[block];
        }
        return order;
    }
}
