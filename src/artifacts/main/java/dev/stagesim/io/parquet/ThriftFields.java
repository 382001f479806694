package dev.stagesim.io.parquet;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Fields of a structure in Thrift's compact protocol by id. */
final class ThriftFields {
    private static final int MAX_DEPTH = 16;

    private final Map<Integer, Object> values = new HashMap<>();

    private ThriftFields() {}

    static ThriftFields read(Input in) throws IOException {
        return read(in, 0);
    }

    private static ThriftFields read(Input in, int depth) throws IOException {
        if (depth > MAX_DEPTH) {
            throw new IOException("structures are nested too deeply");
        }
        ThriftFields fields = new ThriftFields();
        int id = 0;
        for (int head = in.u8(); head != 0; head = in.u8()) {
            id = head >> 4 == 0 ? (int) in.zigzag() : id + (head >> 4);
            int type = head & 0xF;
            fields.values.put(id, type <= 2 ? (Object) (type == 1) : value(in, type, depth));
        }
        return fields;
    }

    private static Object value(Input in, int type, int depth) throws IOException {
        return switch (type) {
            case 1, 2 -> in.u8() == 1;
            case 3 -> (long) in.u8();
            case 4, ThriftWriter.I32, ThriftWriter.I64 -> in.zigzag();
            case 7 -> Double.longBitsToDouble(in.le(Long.BYTES));
            case ThriftWriter.BINARY -> in.text(in.varint());
            case ThriftWriter.LIST, 10 -> list(in, depth);
            case ThriftWriter.STRUCT -> read(in, depth + 1);
            default -> throw new IOException("a header has a field of type " + type);
        };
    }

    private static List<Object> list(Input in, int depth) throws IOException {
        int head = in.u8();
        long size = head >> 4 == 15 ? in.varint() : head >> 4;
        List<Object> all = new ArrayList<>();
        for (long i = 0; i < size; i++) {
            all.add(value(in, head & 0xF, depth + 1));
        }
        return all;
    }

    private <T> Optional<T> find(int id, Class<T> type) {
        return Optional.ofNullable(values.get(id)).filter(type::isInstance).map(type::cast);
    }

    private static IOException missing(int id) {
        return new IOException("field " + id + " of a header is missing");
    }

    long number(int id) throws IOException {
        return find(id, Long.class).orElseThrow(() -> missing(id));
    }

    /** Returns an optional number, or {@code fallback} if it is absent. */
    long number(int id, long fallback) {
        return find(id, Long.class).orElse(fallback);
    }

    String text(int id) throws IOException {
        return find(id, String.class).orElseThrow(() -> missing(id));
    }

    ThriftFields struct(int id) throws IOException {
        return find(id, ThriftFields.class).orElseThrow(() -> missing(id));
    }

    List<ThriftFields> structs(int id) throws IOException {
        List<ThriftFields> all = new ArrayList<>();
        for (Object item : find(id, List.class).orElseThrow(() -> missing(id))) {
            if (!(item instanceof ThriftFields fields)) {
                throw missing(id);
            }
            all.add(fields);
        }
        return all;
    }
}
