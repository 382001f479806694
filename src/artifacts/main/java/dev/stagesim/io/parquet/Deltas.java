package dev.stagesim.io.parquet;

import java.util.Arrays;

/** Encodes integers as differences; each block of 32 uses its minimum bit width (Parquet's DELTA_BINARY_PACKED). */
final class Deltas {
    static final int BLOCK = 128;
    static final int PARTS = 4;
    static final int PART = BLOCK / PARTS;

    private final Bytes blocks = new Bytes();
    private final long[] pending = new long[BLOCK];
    private int pendingCount;
    private int count;
    private long first;
    private long last;

    void put(long value) {
        if (count == 0) {
            first = value;
        } else {
            pending[pendingCount++] = value - last;
        }
        count++;
        last = value;
        if (pendingCount == BLOCK) {
            block();
        }
    }

    int size() {
        return blocks.size() + pendingCount * Long.BYTES;
    }

    private void block() {
        long minDelta = Arrays.stream(pending, 0, pendingCount).min().orElse(0);
        Arrays.fill(pending, pendingCount, BLOCK, minDelta);
        blocks.zigzag(minDelta);
        int[] widths = new int[PARTS];
        for (int i = 0; i < pendingCount; i++) {
            int width = Long.SIZE - Long.numberOfLeadingZeros(pending[i] - minDelta);
            widths[i / PART] = Math.max(widths[i / PART], width);
        }
        for (int width : widths) {
            blocks.u8(width);
        }
        for (int i = 0; i < BLOCK; i++) {
            blocks.bits(pending[i] - minDelta, widths[i / PART]);
            if (i % PART == PART - 1) {
                blocks.align();
            }
        }
        pendingCount = 0;
    }

    /** Appends the encoded bytes to {@code out}. No values can be added after it. */
    void writeTo(Bytes out) {
        if (pendingCount > 0) {
            block();
        }
        out.varint(BLOCK).varint(PARTS).varint(count).zigzag(first).put(blocks);
    }
}
