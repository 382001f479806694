package dev.stagesim.sim.serving.memory;

/** The free blocks of a cache in the order of allocation; every operation takes constant time. */
final class FreeBlocks {
    /** A ring: the next block at 2i and the previous one at 2i + 1. Block {@code blocks} is the anchor. */
    private final int[] neighbours;

    private final int anchor;
    private int size;

    /** Creates a queue of blocks 0 to {@code blocks} - 1, all free, in ascending order. */
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

    /** Creates an empty queue with a capacity of {@code blocks} blocks. */
    static FreeBlocks none(int blocks) {
        return new FreeBlocks(blocks, 0);
    }

    /** Returns the first block, or -1 if the queue is empty. */
    int first() {
        return size == 0 ? -1 : neighbours[2 * anchor];
    }

    int size() {
        return size;
    }

    /** Adds a block at the end. */
    void append(int block) {
        link(neighbours[2 * anchor + 1], block, anchor);
    }

    /** Adds a block at the front. */
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
        int after = neighbours[2 * block];
        neighbours[2 * anchor] = after;
        neighbours[2 * after + 1] = anchor;
        size--;
        return block;
    }

    /** Returns the blocks from first to last. */
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
