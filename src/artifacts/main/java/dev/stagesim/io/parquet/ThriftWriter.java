package dev.stagesim.io.parquet;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.Consumer;

/**
 * Writes a structure in Thrift's compact protocol, which Parquet uses for headers. Fields must be added in order of
 * their ids.
 */
final class ThriftWriter {
    static final int I32 = 5;
    static final int I64 = 6;
    static final int BINARY = 8;
    static final int LIST = 9;
    static final int STRUCT = 12;

    private final Bytes out;
    private int last;

    private ThriftWriter(Bytes out) {
        this.out = out;
    }

    static void write(Bytes out, Consumer<ThriftWriter> fields) {
        fields.accept(new ThriftWriter(out));
        out.u8(0);
    }

    private void field(int id, int type) {
        out.u8(((id - last) << 4) | type);
        last = id;
    }

    ThriftWriter i32(int id, long value) {
        field(id, I32);
        out.zigzag(value);
        return this;
    }

    ThriftWriter i64(int id, long value) {
        field(id, I64);
        out.zigzag(value);
        return this;
    }

    ThriftWriter text(int id, String value) {
        return binary(id, value.getBytes(StandardCharsets.UTF_8));
    }

    /** Adds a number in the eight-byte form that it has in a page. */
    ThriftWriter plain(int id, long value) {
        field(id, BINARY);
        out.varint(Long.BYTES).le(value, Long.BYTES);
        return this;
    }

    private ThriftWriter binary(int id, byte[] value) {
        field(id, BINARY);
        out.varint(value.length).put(value);
        return this;
    }

    ThriftWriter struct(int id, Consumer<ThriftWriter> fields) {
        field(id, STRUCT);
        write(out, fields);
        return this;
    }

    private void list(int id, int type, int size) {
        field(id, LIST);
        if (size < 15) {
            out.u8((size << 4) | type);
        } else {
            out.u8(0xF0 | type).varint(size);
        }
    }

    ThriftWriter numbers(int id, int... values) {
        list(id, I32, values.length);
        for (int value : values) {
            out.zigzag(value);
        }
        return this;
    }

    ThriftWriter texts(int id, String value) {
        list(id, BINARY, 1);
        byte[] bytes = value.getBytes(StandardCharsets.UTF_8);
        out.varint(bytes.length).put(bytes);
        return this;
    }

    ThriftWriter structs(int id, List<Consumer<ThriftWriter>> all) {
        list(id, STRUCT, all.size());
        all.forEach(each -> write(out, each));
        return this;
    }
}
