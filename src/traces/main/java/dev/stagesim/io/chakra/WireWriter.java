package dev.stagesim.io.chakra;

import com.google.protobuf.WireFormat;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Buffers protobuf fields and writes them to a stream.
 *
 * <p>A nested message is written first and its length is inserted afterwards, so no size is computed in advance. When
 * the buffer is full, complete messages are written to the stream.
 */
final class WireWriter {
    private static final int FULL = 1 << 16;
    private static final int MAX_VARINT_BYTES = 10;

    private final OutputStream out;
    private byte[] buffer = new byte[2 * FULL];
    private int filled;
    private long before;

    WireWriter(OutputStream out) {
        this.out = out;
    }

    /** Number of bytes written. */
    long written() {
        return before + filled;
    }

    private void room(int count) {
        if (filled + count > buffer.length) {
            buffer = Arrays.copyOf(buffer, Math.max(Math.addExact(filled, count), 2 * buffer.length));
        }
    }

    void varint(long value) {
        room(MAX_VARINT_BYTES);
        long rest = value;
        while ((rest & ~0x7fL) != 0) {
            buffer[filled++] = (byte) (rest | 0x80);
            rest >>>= 7;
        }
        buffer[filled++] = (byte) rest;
    }

    /** Writes a number with {@code bytes} bytes, in little-endian order. */
    void fixed(long value, int bytes) {
        room(bytes);
        for (int i = 0; i < bytes; i++) {
            buffer[filled++] = (byte) (value >>> (8 * i));
        }
    }

    void raw(byte[] bytes, int from, int to) {
        room(to - from);
        System.arraycopy(bytes, from, buffer, filled, to - from);
        filled += to - from;
    }

    void raw(byte[] bytes) {
        raw(bytes, 0, bytes.length);
    }

    void tag(int field, int wire) {
        varint((long) field << 3 | wire);
    }

    void number(int field, long value) {
        tag(field, WireFormat.WIRETYPE_VARINT);
        varint(value);
    }

    /** Writes a number unless it is 0. */
    void nonZero(int field, long value) {
        if (value != 0) {
            number(field, value);
        }
    }

    /** Writes the length and the bytes. */
    void framed(byte[] value) {
        varint(value.length);
        raw(value);
    }

    void text(String value) {
        framed(value.getBytes(StandardCharsets.UTF_8));
    }

    void text(int field, String value) {
        tag(field, WireFormat.WIRETYPE_LENGTH_DELIMITED);
        text(value);
    }

    void nonEmpty(int field, String value) {
        if (!value.isEmpty()) {
            text(field, value);
        }
    }

    /** Begins a part with a length prefix; pass the result to {@link #end}. */
    int begin() {
        room(1);
        return filled++;
    }

    int begin(int field) {
        tag(field, WireFormat.WIRETYPE_LENGTH_DELIMITED);
        return begin();
    }

    void end(int begun) {
        int size = filled - begun - 1;
        int more = (Integer.SIZE - 1 - Integer.numberOfLeadingZeros(size | 1)) / 7;
        room(more + MAX_VARINT_BYTES);
        if (more > 0) {
            System.arraycopy(buffer, begun + 1, buffer, begun + 1 + more, size);
        }
        filled = begun;
        varint(size);
        filled += size;
    }

    void endMessage(int begun) throws IOException {
        end(begun);
        if (filled >= FULL) {
            flush();
        }
    }

    void flush() throws IOException {
        out.write(buffer, 0, filled);
        before += filled;
        filled = 0;
    }
}
