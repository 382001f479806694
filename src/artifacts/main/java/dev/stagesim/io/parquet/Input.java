package dev.stagesim.io.parquet;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Reads bytes that can be damaged. Unreadable data is an {@link IOException}. */
final class Input {
    private final byte[] bytes;
    private final int end;
    private int at;

    Input(byte[] bytes) {
        this(bytes, 0, bytes.length);
    }

    private Input(byte[] bytes, int from, int end) {
        this.bytes = bytes;
        this.at = from;
        this.end = end;
    }

    /** Returns the next {@code count} bytes as a separate input. */
    Input part(long count) throws IOException {
        int from = skip(count);
        return new Input(bytes, from, at);
    }

    /** Skips bytes and returns the position before them. */
    private int skip(long count) throws IOException {
        if (count < 0 || count > end - at) {
            throw new IOException("the file is truncated");
        }
        int from = at;
        at += (int) count;
        return from;
    }

    int u8() throws IOException {
        return bytes[skip(1)] & 0xFF;
    }

    long le(int count) throws IOException {
        int from = skip(count);
        long value = 0;
        for (int i = 0; i < count; i++) {
            value |= (bytes[from + i] & 0xFFL) << (8 * i);
        }
        return value;
    }

    long varint() throws IOException {
        long value = 0;
        for (int shift = 0; shift < Long.SIZE; shift += 7) {
            int next = u8();
            value |= (next & 0x7FL) << shift;
            if (next < 0x80) {
                return value;
            }
        }
        throw new IOException("a number has more than 64 bits");
    }

    long zigzag() throws IOException {
        long value = varint();
        return (value >>> 1) ^ -(value & 1);
    }

    String text(long count) throws IOException {
        int from = skip(count);
        return new String(bytes, from, (int) count, StandardCharsets.UTF_8);
    }

    byte[] rest() {
        byte[] rest = Arrays.copyOfRange(bytes, at, end);
        at = end;
        return rest;
    }

    int remaining() {
        return end - at;
    }

    /** Reads {@code count} values of {@code width} bits each; together they fill whole bytes. */
    void bits(long[] values, int count, int width) throws IOException {
        if (width > Long.SIZE) {
            throw new IOException("unsupported width of numbers: " + width + " bits");
        }
        Input from = part(((long) count * width + 7) / 8);
        long mask = width == Long.SIZE ? -1 : (1L << width) - 1;
        long buffered = 0;
        int filled = 0;
        for (int i = 0; i < count; i++) {
            if (filled >= width) {
                values[i] = buffered & mask;
                buffered = width == Long.SIZE ? 0 : buffered >>> width;
                filled -= width;
                continue;
            }
            int size = Math.min(Long.BYTES, from.remaining());
            long next = from.le(size);
            values[i] = (buffered | (next << filled)) & mask;
            int taken = width - filled;
            buffered = taken == Long.SIZE ? 0 : next >>> taken;
            filled = size * 8 - taken;
        }
    }
}
