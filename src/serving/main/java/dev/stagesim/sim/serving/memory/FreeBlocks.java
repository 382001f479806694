package dev.stagesim.sim.serving.memory;

import java.util.Arrays;

/**
 * The free blocks of a cache in the order of allocation; every operation takes constant time. Memory is proportional to
 * the number of blocks that were ever taken or added.
 */
final class FreeBlocks {
    /** The node at both ends of the ring, and the node of all blocks that were never taken, in ascending order. */
    private static final int ANCHOR = 0;

    private static final int FRESH = 1;
    /** Node of block 0. */
    private static final int FIRST_BLOCK = 2;

    /** A ring: the next node at 2i and the previous one at 2i + 1. */
    private int[] neighbours = new int[256];

    private int fresh;
    private final int end;
    private int size;

    /** Creates a queue of blocks {@code from} to {@code end} - 1, all free, in ascending order. */
    FreeBlocks(int from, int end) {
        this.fresh = from;
        this.end = end;
        if (from < end) {
            insert(ANCHOR, FRESH, ANCHOR);
            size = end - from;
        }
    }

    /** Creates an empty queue. */
    static FreeBlocks none() {
        return new FreeBlocks(0, 0);
    }

    /** Returns the first block, or -1 if the queue is empty. */
    int first() {
        int node = neighbours[2 * ANCHOR];
        return size == 0 ? -1 : node == FRESH ? fresh : node - FIRST_BLOCK;
    }

    int size() {
        return size;
    }

    /** Adds a block at the end. */
    void append(int block) {
        link(neighbours[2 * ANCHOR + 1], block, ANCHOR);
    }

    /** Adds a block at the front. */
    void prepend(int block) {
        link(ANCHOR, block, neighbours[2 * ANCHOR]);
    }

    private void link(int before, int block, int after) {
        int node = block + FIRST_BLOCK;
        if (2 * node >= neighbours.length) {
            neighbours = Arrays.copyOf(neighbours, Math.max(2 * neighbours.length, 2 * node + 2));
        }
        insert(before, node, after);
        size++;
    }

    private void insert(int before, int node, int after) {
        neighbours[2 * node] = after;
        neighbours[2 * node + 1] = before;
        neighbours[2 * before] = node;
        neighbours[2 * after + 1] = node;
    }

    /** Removes a block that was taken before. */
    void remove(int block) {
        unlink(block + FIRST_BLOCK);
        size--;
    }

    private void unlink(int node) {
        int after = neighbours[2 * node];
        int before = neighbours[2 * node + 1];
        neighbours[2 * before] = after;
        neighbours[2 * after + 1] = before;
    }

    int takeFirst() {
        if (size == 0) {
            throw new IllegalStateException("no block is free");
        }
        size--;
        int node = neighbours[2 * ANCHOR];
        if (node != FRESH) {
            unlink(node);
            return node - FIRST_BLOCK;
        }
        if (fresh + 1 == end) {
            unlink(FRESH);
        }
        return fresh++;
    }

    /** Returns the blocks from first to last. */
    int[] toArray() {
        int[] order = new int[size];
        int node = neighbours[2 * ANCHOR];
        int count = 0;
        while (count < order.length) {
            if (node == FRESH) {
                for (int block = fresh; block < end; block++) {
                    order[count++] = block;
                }
            } else {
                order[count++] = node - FIRST_BLOCK;
            }
            node = neighbours[2 * node];
        }
        return order;
    }
}
