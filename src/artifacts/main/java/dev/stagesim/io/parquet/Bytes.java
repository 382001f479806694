package dev.stagesim.io.parquet;

import java.io.IOException;
import java.io.OutputStream;
import java.util.Arrays;

/** A growing byte buffer in little-endian order. */
final class Bytes {
    private byte[] bytes = new byte[64];
    private int size;
    /** Bits that do not yet fill a byte. */
    private long bits;

    private int used;

    int size() {
        return size;
    }

    Bytes u8(int value) {
        room(1);
        bytes[size++] = (byte) value;
        return this;
    }

    Bytes le(long value, int count) {
        room(count);
        for (int i = 0; i < count; i++) {
            bytes[size++] = (byte) (value >>> (8 * i));
        }
        return this;
    }

    Bytes varint(long value) {
        long rest = value;
        while ((rest & ~0x7FL) != 0) {
            u8(((int) rest & 0x7F) | 0x80);
            rest >>>= 7;
        }
        return u8((int) rest);
    }

    Bytes zigzag(long value) {
        return varint((value << 1) ^ (value >> 63));
    }

    Bytes put(byte[] more) {
        return put(more, more.length);
    }

    Bytes put(Bytes more) {
        return put(more.bytes, more.size);
    }

    private Bytes put(byte[] more, int count) {
        room(count);
        System.arraycopy(more, 0, bytes, size, count);
        size += count;
        return this;
    }

    /** Appends the lowest bits of a value; {@link #align} pads to the next byte. */
    void bits(long value, int width) {
        bits |= value << used;
        int free = Long.SIZE - used;
        if (width < free) {
            used += width;
            return;
        }
        le(bits, Long.BYTES);
        bits = free == Long.SIZE ? 0 : value >>> free;
        used = width - free;
    }

    void align() {
        le(bits, (used + 7) / 8);
        bits = 0;
        used = 0;
    }

    void set(int at, int value) {
        bytes[at] = (byte) value;
    }

    void writeTo(OutputStream out) throws IOException {
        out.write(bytes, 0, size);
    }

    private void room(int count) {
        if (size + count > bytes.length) {
            bytes = Arrays.copyOf(bytes, Math.max(2 * bytes.length, size + count));
        }
    }
}
