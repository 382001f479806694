package dev.stagesim.io.sqlite;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/** A row of a table with access by column name. Valid until the next row is read. */
public final class SqliteRow {
    private final Map<String, Integer> columns;
    private final int keyColumn;
    private final long[] types;
    private final int[] offsets;
    private byte[] payload = new byte[0];
    private long number;

    SqliteRow(Map<String, Integer> columns, int keyColumn) {
        this.columns = columns;
        this.keyColumn = keyColumn;
        this.types = new long[columns.size()];
        this.offsets = new int[columns.size()];
    }

    /** Parses a record. */
    void set(long rowNumber, byte[] bytes) {
        number = rowNumber;
        payload = bytes;
        ByteBuffer in = ByteBuffer.wrap(bytes);
        int body = (int) Math.min(Varint.read(in), bytes.length);
        int at = 0;
        int offset = body;
        while (in.position() < body) {
            long type = Varint.read(in);
            if (at < types.length) {
                types[at] = type;
                offsets[at++] = offset;
            }
            offset = (int) Math.min((long) offset + length(type), Integer.MAX_VALUE);
        }
        while (at < types.length) {
            types[at++] = 0; // the column was added after the row was written
        }
    }

    private static int length(long type) {
        if (type < 0 || type / 2 > Integer.MAX_VALUE) {
            throw new IndexOutOfBoundsException("type " + type);
        }
        return switch ((int) Math.min(type, 12)) {
            case 0, 8, 9, 10, 11 -> 0;
            case 1, 2, 3, 4 -> (int) type;
            case 5 -> 6;
            case 6, 7 -> 8;
            default -> (int) ((type - 12) / 2);
        };
    }

    private int column(String name) {
        Integer at = columns.get(name);
        if (at == null) {
            throw new IllegalArgumentException("no column " + name + " among " + columns.keySet());
        }
        return at;
    }

    public boolean isNull(String name) {
        int at = column(name);
        return types[at] == 0 && at != keyColumn;
    }

    /** Returns the integer in a column, or 0 if it is null. */
    public long integer(String name) {
        int at = column(name);
        if (types[at] == 0) {
            return at == keyColumn ? number : 0;
        }
        if (types[at] == 7) {
            return (long) ByteBuffer.wrap(payload, offsets[at], 8).getDouble();
        }
        if (types[at] >= 8) {
            return types[at] == 9 ? 1 : 0;
        }
        int length = length(types[at]);
        long value = payload[offsets[at]];
        for (int i = 1; i < length; i++) {
            value = value << 8 | (payload[offsets[at] + i] & 0xff);
        }
        return value;
    }

    /** Returns the number in a column, or 0 if it is null. */
    public double real(String name) {
        int at = column(name);
        return types[at] == 7 ? ByteBuffer.wrap(payload, offsets[at], 8).getDouble() : integer(name);
    }

    /** Returns the text in a column, empty if it is null; numbers are converted to text. */
    public String text(String name) {
        int at = column(name);
        if (types[at] < 12) {
            return isNull(name) ? "" : Long.toString(integer(name));
        }
        return new String(payload, offsets[at], length(types[at]), StandardCharsets.UTF_8);
    }
}
