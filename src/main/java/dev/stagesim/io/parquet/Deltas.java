package dev.stagesim.io.parquet;

import java.util.Arrays;

/** Encodes integers as differences, packed in as few bits as 32 of them need: Parquet's DELTA_BINARY_PACKED. */
final class Deltas {
    static final int BLOCK = 128;
    static final int PARTS = 4;
    static final int PART = BLOCK / PARTS;

    private final Bytes blocks = new Bytes();
    private final long[] pending = new long[BLOCK];
    private int held;
    private int count;
    private long first;
    private long last;

    void put(long value) {
        if (count == 0) {
            first = value;
        } else {
            pending[held++] = value - last;
        }
        count++;
        last = value;
        if (held == BLOCK) {
            block();
        }
    }

    int size() {
        return blocks.size() + held * Long.BYTES;
    }

    private void block() {
        long least = Arrays.stream(pending, 0, held).min().orElse(0);
        Arrays.fill(pending, held, BLOCK, least);
        blocks.zigzag(least);
        int[] widths = new int[PARTS];
        for (int i = 0; i < held; i++) {
            int width = Long.SIZE - Long.numberOfLeadingZeros(pending[i] - least);
            widths[i / PART] = Math.max(widths[i / PART], width);
        }
        for (int width : widths) {
            blocks.u8(width);
        }
        for (int i = 0; i < BLOCK; i++) {
            blocks.bits(pending[i] - least, widths[i / PART]);
            if (i % PART == PART - 1) {
                blocks.align();
            }
        }
        held = 0;
    }

    /** Appends all of it; nothing may be put afterwards. */
    void writeTo(Bytes out) {
        if (held > 0) {
            block();
        }
        out.varint(BLOCK).varint(PARTS).varint(count).zigzag(first).put(blocks);
    }
}
