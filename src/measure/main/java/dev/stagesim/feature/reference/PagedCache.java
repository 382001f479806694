package dev.stagesim.feature.reference;

import java.util.Arrays;

/**
 * Keys and values of all sequences, in blocks of a fixed number of tokens.
 *
 * <p>A table maps the positions of a sequence to slots. The block that was released last is allocated first.
 */
final class PagedCache {
    private final int blockSize;
    private final int kvHeads;
    private final int[] free;
    private int freeCount;
    private final int[][] blocks;
    private final int[][] slots;
    private final int[] blockCounts;

    /** Keys by layer and {@code slot * kvHeads + head}. */
    final float[][][] keys;

    /** Values by layer and {@code slot * kvHeads + head}. */
    final float[][][] values;

    PagedCache(EngineShape shape, int blockSize, int blockCount, int sequences) {
        this.blockSize = blockSize;
        this.kvHeads = shape.kvHeads();
        this.free = new int[blockCount];
        for (int i = 0; i < blockCount; i++) {
            free[i] = blockCount - 1 - i;
        }
        this.freeCount = blockCount;
        this.blocks = new int[sequences][0];
        this.slots = new int[sequences][0];
        this.blockCounts = new int[sequences];
        int rows = Math.multiplyExact(Math.multiplyExact(blockCount, blockSize), kvHeads);
        this.keys = new float[shape.layers()][rows][shape.headDim()];
        this.values = new float[shape.layers()][rows][shape.headDim()];
    }

    /** Allocates blocks for the first {@code tokens} tokens of a sequence. */
    void reserve(int sequence, int tokens) {
        int required = (tokens + blockSize - 1) / blockSize;
        while (blockCounts[sequence] < required) {
            if (freeCount == 0) {
                throw new IllegalStateException("no free KV block for sequence " + sequence);
            }
            append(sequence, free[--freeCount]);
        }
    }

    private void append(int sequence, int block) {
        int at = blockCounts[sequence]++;
        if (at == blocks[sequence].length) {
            int length = Math.max(4, 2 * at);
            blocks[sequence] = Arrays.copyOf(blocks[sequence], length);
            slots[sequence] = Arrays.copyOf(slots[sequence], length * blockSize);
        }
        blocks[sequence][at] = block;
        for (int i = 0; i < blockSize; i++) {
            slots[sequence][at * blockSize + i] = block * blockSize + i;
        }
    }

    /** Releases all blocks of a sequence. */
    void release(int sequence) {
        for (int i = blockCounts[sequence] - 1; i >= 0; i--) {
            free[freeCount++] = blocks[sequence][i];
        }
        blockCounts[sequence] = 0;
    }

    /** Returns the slot of each position of a sequence. Positions beyond its blocks are undefined. */
    int[] slots(int sequence) {
        return slots[sequence];
    }

    /** Writes the keys and values of one token in a layer. {@code row} contains both. */
    void write(int layer, int slot, float[] row, int keysFrom, int valuesFrom) {
        for (int h = 0; h < kvHeads; h++) {
            float[] key = keys[layer][slot * kvHeads + h];
            System.arraycopy(row, keysFrom + h * key.length, key, 0, key.length);
            System.arraycopy(row, valuesFrom + h * key.length, values[layer][slot * kvHeads + h], 0, key.length);
        }
    }
}
