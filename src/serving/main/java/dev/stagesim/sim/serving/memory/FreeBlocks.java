package dev.stagesim.sim.serving.memory;

/** The free blocks of a cache, in the order in which they are taken; every operation takes constant time. */
final class FreeBlocks {
    /** The block behind each at 2i and the one before it at 2i + 1; block {@code blocks} is the anchor of the ring. */
    private final int[] neighbours;

    private final int anchor;
    private int size;

    /** Blocks 0 to {@code blocks} - 1, all free, in order of their numbers. */
    FreeBlocks(int blocks) {
        this(blocks, blocks);
    }

    private FreeBlocks(int blocks, int free) {
        anchor = blocks;
        neighbours = new int[2 * blocks + 2];
        neighbours[2 * anchor] = anchor;
        neighbours[2 * anchor + 1] = anchor;
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
        return size == 0 ? -1 : neighbours[2 * anchor];
    }

    int size() {
        return size;
    }

    /** Puts a block last. */
    void append(int block) {
        link(neighbours[2 * anchor + 1], block, anchor);
    }

    /** Puts a block first. */
    void prepend(int block) {
        link(anchor, block, neighbours[2 * anchor]);
    }

    private void link(int before, int block, int after) {
        neighbours[2 * block] = after;
        neighbours[2 * block + 1] = before;
        neighbours[2 * before] = block;
        neighbours[2 * after + 1] = block;
        size++;
    }

    void remove(int block) {
        int after = neighbours[2 * block];
        int before = neighbours[2 * block + 1];
        neighbours[2 * before] = after;
        neighbours[2 * after + 1] = before;
        size--;
    }

    int takeFirst() {
        if (size == 0) {
            throw new IllegalStateException("no block is free");
        }
        int block = neighbours[2 * anchor];
        remove(block);
        return block;
    }

    /** The blocks, first to last. */
    int[] toArray() {
        int[] order = new int[size];
        int block = neighbours[2 * anchor];
        for (int i = 0; i < order.length; i++) {
            order[i] = block;
            block = neighbours[2 * block];
        }
        return order;
    }
}
