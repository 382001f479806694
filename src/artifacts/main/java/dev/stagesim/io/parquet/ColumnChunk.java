package dev.stagesim.io.parquet;

import dev.stagesim.contract.Column;
import dev.stagesim.contract.ColumnType;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;

/** Encodes the values of a column in one row group. */
final class ColumnChunk {
    private final ColumnType type;
    private final boolean isNullable;
    private final RunLengths levels = new RunLengths(1);
    private final Deltas deltas = new Deltas();
    private final Bytes plain = new Bytes();
    private final Map<String, Integer> dictionary = new LinkedHashMap<>();
    private final Bytes entries = new Bytes();
    private int[] places = new int[64];
    private int known;
    private int rows;
    private long minimum = Long.MAX_VALUE;
    private long maximum = Long.MIN_VALUE;

    ColumnChunk(Column column) {
        this.type = column.type();
        this.isNullable = column.nullable();
    }

    void putNull() {
        if (!isNullable) {
            throw new IllegalStateException("a value is missing");
        }
        rows++;
        levels.put(0);
    }

    private void known() {
        rows++;
        known++;
        if (isNullable) {
            levels.put(1);
        }
    }

    void put(long value) {
        known();
        deltas.put(value);
        minimum = Math.min(minimum, value);
        maximum = Math.max(maximum, value);
    }

    void put(double value) {
        known();
        plain.le(Double.doubleToLongBits(value), Long.BYTES);
    }

    void put(boolean value) {
        known();
        plain.bits(value ? 1 : 0, 1);
    }

    void put(String value) {
        Integer place = dictionary.get(value);
        if (place == null) {
            place = dictionary.size();
            dictionary.put(value, place);
            byte[] text = value.getBytes(StandardCharsets.UTF_8);
            entries.le(text.length, Integer.BYTES).put(text);
        }
        if (known == places.length) {
            places = Arrays.copyOf(places, 2 * known);
        }
        places[known] = place;
        known();
    }

    int rows() {
        return rows;
    }

    int nulls() {
        return rows - known;
    }

    boolean hasRange() {
        return type == ColumnType.INT64 && known > 0;
    }

    long minimum() {
        return minimum;
    }

    long maximum() {
        return maximum;
    }

    /** Returns the approximate encoded size in bytes. */
    int size() {
        return deltas.size() + plain.size() + entries.size() + (type == ColumnType.STRING ? Integer.BYTES * known : 0);
    }

    int words() {
        return dictionary.size();
    }

    /** Returns the dictionary page of a text column; empty for other columns. */
    Bytes dictionary() {
        return entries;
    }

    /** Returns the data page. No values can be added after it. */
    Bytes page() {
        Bytes page = new Bytes();
        if (isNullable) {
            Bytes all = levels.bytes();
            page.le(all.size(), Integer.BYTES).put(all);
        }
        switch (type) {
            case INT64 -> deltas.writeTo(page);
            case STRING -> {
                int width = Format.width(words());
                RunLengths runs = new RunLengths(width);
                Arrays.stream(places, 0, known).forEach(runs::put);
                page.u8(width).put(runs.bytes());
            }
            case FLOAT64, BOOL -> {
                plain.align();
                page.put(plain);
            }
        }
        return page;
    }

    /** Encodes levels and dictionary indices as Parquet does: runs of one value, and bit-packed groups of eight. */
    private static final class RunLengths {
        private static final int GROUP = 8;
        private static final int MAX_GROUPS = 63;

        private final Bytes out = new Bytes();
        private final int width;
        private final int[] pending = new int[GROUP];
        private int pendingCount;
        private int previous;
        private int repeated;
        private int groups;
        private int header;

        RunLengths(int width) {
            this.width = width;
        }

        void put(int value) {
            if (value == previous) {
                repeated++;
                if (repeated >= GROUP) {
                    return;
                }
            } else {
                endRun();
                repeated = 1;
                previous = value;
            }
            pending[pendingCount++] = value;
            if (pendingCount == GROUP) {
                group();
            }
        }

        private void endRun() {
            if (repeated >= GROUP) {
                endGroups();
                out.varint((long) repeated << 1).le(previous, (width + 7) / 8);
                pendingCount = 0;
                repeated = 0;
            }
        }

        private void group() {
            if (groups == MAX_GROUPS) {
                endGroups();
            }
            if (groups == 0) {
                header = out.size();
                out.u8(0);
            }
            for (int value : pending) {
                out.bits(value, width);
            }
            out.align();
            groups++;
            pendingCount = 0;
            repeated = 0;
        }

        private void endGroups() {
            if (groups > 0) {
                out.set(header, (groups << 1) | 1);
                groups = 0;
            }
        }

        /** Returns the encoded bytes. No values can be added after it. */
        Bytes bytes() {
            endRun();
            if (pendingCount > 0) {
                Arrays.fill(pending, pendingCount, GROUP, 0);
                group();
            }
            endGroups();
            return out;
        }
    }
}
