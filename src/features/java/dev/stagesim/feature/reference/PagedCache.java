package dev.stagesim.feature.reference;

import java.util.Arrays;

/**
 * Keys and values of all sequences, in blocks of a fixed number of tokens that are handed out one by one.
 *
 * <p>A sequence's blocks lie anywhere; its table says where each of its positions is. The last block given back is the
 * first handed out again.
 */
final class PagedCache {
    private final int blockSize;
    private final int kvHeads;
    private final int[] free;
    private int freeCount;
    private final int[][] blocks;
    private final int[][] slots;
    private final int[] held;

    /** Keys by layer, then by {@code slot * kvHeads + head}. */
    final float[][][] keys;

    /** Values, likewise. */
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
        this.held = new int[sequences];
        int rows = Math.multiplyExact(Math.multiplyExact(blockCount, blockSize), kvHeads);
        this.keys = new float[shape.layers()][rows][shape.headDim()];
        this.values = new float[shape.layers()][rows][shape.headDim()];
    }

    /** Makes sure that a sequence has room for its first {@code tokens} tokens. */
    void reserve(int sequence, int tokens) {
        int wanted = (tokens + blockSize - 1) / blockSize;
        while (held[sequence] < wanted) {
            if (freeCount == 0) {
                throw new IllegalStateException("no KV block is left for sequence " + sequence);
            }
            take(sequence, free[--freeCount]);
        }
    }

    private void take(int sequence, int block) {
        int at = held[sequence]++;
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

    /** Gives all blocks of a sequence back. */
    void release(int sequence) {
        for (int i = held[sequence] - 1; i >= 0; i--) {
            free[freeCount++] = blocks[sequence][i];
        }
        held[sequence] = 0;
    }

    /** Where each position of a sequence is; positions beyond its blocks mean nothing. */
    int[] slots(int sequence) {
        return slots[sequence];
    }

    /** Writes one token's keys and values of a layer, which stand side by side in {@code row}. */
    void write(int layer, int slot, float[] row, int keysFrom, int valuesFrom) {
        for (int h = 0; h < kvHeads; h++) {
            float[] key = keys[layer][slot * kvHeads + h];
            System.arraycopy(row, keysFrom + h * key.length, key, 0, key.length);
            System.arraycopy(row, valuesFrom + h * key.length, values[layer][slot * kvHeads + h], 0, key.length);
        }
    }
}
