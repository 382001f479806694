package dev.stagesim.io.parquet;

import dev.stagesim.contract.ColumnType;
import java.io.IOException;

/** Reads the values of a column in one row group in order. */
final class ColumnCursor {
    private final ColumnType type;
    private final boolean isNullable;
    private final String[] dictionary;
    private final Input values;
    private final RunCursor levels;
    private final RunCursor indices;
    private final long[] block = new long[Deltas.PART];
    private final int[] widths = new int[Deltas.PARTS];
    private long bits;
    private boolean isNull;

    /** Current value: the integer, the bits of the real, 1 for true, or the dictionary index. */
    private long value;

    private long deltasLeft;
    private long minDelta;
    private int deltasRead;
    private boolean hasStarted;

    /** @param dictionary dictionary of a text column; empty for other columns */
    ColumnCursor(ColumnType type, boolean isNullable, String[] dictionary, Input page) throws IOException {
        this.type = type;
        this.isNullable = isNullable;
        this.dictionary = dictionary;
        this.levels = isNullable ? new RunCursor(page.part(page.le(Integer.BYTES)), 1) : RunCursor.NONE;
        this.values = page;
        this.indices = type == ColumnType.STRING ? new RunCursor(page, page.u8()) : RunCursor.NONE;
        if (type == ColumnType.INT64) {
            if (page.varint() != Deltas.BLOCK || page.varint() != Deltas.PARTS) {
                throw new IOException("unsupported block size of delta-encoded integers");
            }
            deltasLeft = page.varint();
            value = page.zigzag();
        }
    }

    void next() throws IOException {
        isNull = isNullable && levels.next() == 0;
        if (isNull) {
            return;
        }
        switch (type) {
            case INT64 -> nextDelta();
            case FLOAT64 -> value = values.le(Long.BYTES);
            case BOOL -> {
                bits = bits > 3 ? bits >>> 1 : values.u8() | 0x100;
                value = bits & 1;
            }
            case STRING -> {
                value = indices.next();
                if (value >= dictionary.length) {
                    throw new IOException("a dictionary index is out of range");
                }
            }
        }
    }

    private void nextDelta() throws IOException {
        if (deltasLeft-- <= 0) {
            throw new IOException("the column has fewer integers than rows");
        }
        if (!hasStarted) {
            hasStarted = true;
            return;
        }
        int at = deltasRead % Deltas.BLOCK;
        if (at == 0) {
            minDelta = values.zigzag();
            for (int i = 0; i < Deltas.PARTS; i++) {
                widths[i] = values.u8();
            }
        }
        if (at % Deltas.PART == 0) {
            values.bits(block, Deltas.PART, widths[at / Deltas.PART]);
        }
        value += minDelta + block[at % Deltas.PART];
        deltasRead++;
    }

    boolean isNull() {
        return isNull;
    }

    long value() {
        return value;
    }

    String text() {
        return dictionary[(int) value];
    }

    /** Reads runs of one value and bit-packed groups of eight. */
    private static final class RunCursor {
        static final RunCursor NONE = new RunCursor(new Input(new byte[0]));

        private final Input in;
        private final int width;
        private final long[] group = new long[8];
        private long remaining;
        private long groups;
        private int at = 8;
        private long value;

        private RunCursor(Input in) {
            this.in = in;
            this.width = 1;
        }

        RunCursor(Input in, int width) throws IOException {
            if (width > Integer.SIZE) {
                throw new IOException("unsupported width of dictionary indices: " + width + " bits");
            }
            this.in = in;
            this.width = width;
        }

        long next() throws IOException {
            if (at < group.length) {
                return group[at++];
            }
            if (remaining == 0 && groups == 0) {
                long head = in.varint();
                if ((head & 1) == 1) {
                    groups = head >>> 1;
                } else {
                    remaining = head >>> 1;
                    value = in.le((width + 7) / 8);
                }
            }
            if (remaining > 0) {
                remaining--;
                return value;
            }
            groups--;
            in.bits(group, group.length, width);
            at = 1;
            return group[0];
        }
    }

    /** Reads a dictionary page. */
    static String[] dictionary(Input page, long count) throws IOException {
        if (count < 0 || count > page.remaining() / Integer.BYTES) {
            throw new IOException("a dictionary is too short");
        }
        String[] dictionary = new String[(int) count];
        for (int i = 0; i < dictionary.length; i++) {
            dictionary[i] = page.text(page.le(Integer.BYTES));
        }
        return dictionary;
    }
}
