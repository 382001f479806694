package dev.stagesim.io.parquet;

import dev.stagesim.contract.Column;
import dev.stagesim.contract.ColumnType;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;

/** The values of a column in one group of rows, encoded as they come. */
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
    private long least = Long.MAX_VALUE;
    private long greatest = Long.MIN_VALUE;

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
        least = Math.min(least, value);
        greatest = Math.max(greatest, value);
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

    long least() {
        return least;
    }

    long greatest() {
        return greatest;
    }

    /** Bytes that it holds, about. */
    int size() {
        return deltas.size() + plain.size() + entries.size() + (type == ColumnType.STRING ? Integer.BYTES * known : 0);
    }

    int words() {
        return dictionary.size();
    }

    /** The page of the texts that there are; empty for other columns. */
    Bytes dictionary() {
        return entries;
    }

    /** The page of the values; nothing may be put afterwards. */
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

    /** Encodes small numbers as runs of one value and groups of eight: Parquet's levels and places in a dictionary. */
    private static final class RunLengths {
        private static final int GROUP = 8;
        private static final int MOST_GROUPS = 63;

        private final Bytes out = new Bytes();
        private final int width;
        private final int[] pending = new int[GROUP];
        private int held;
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
            pending[held++] = value;
            if (held == GROUP) {
                group();
            }
        }

        private void endRun() {
            if (repeated >= GROUP) {
                endGroups();
                out.varint((long) repeated << 1).le(previous, (width + 7) / 8);
                held = 0;
                repeated = 0;
            }
        }

        private void group() {
            if (groups == MOST_GROUPS) {
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
            held = 0;
            repeated = 0;
        }

        private void endGroups() {
            if (groups > 0) {
                out.set(header, (groups << 1) | 1);
                groups = 0;
            }
        }

        /** All of it; nothing may be put afterwards. */
        Bytes bytes() {
            endRun();
            if (held > 0) {
                Arrays.fill(pending, held, GROUP, 0);
                group();
            }
            endGroups();
            return out;
        }
    }
}
