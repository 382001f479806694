package dev.stagesim.io.csv;

import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;

/**
 * Reads two integer columns from a part of a CSV file, fast and in bounded memory. It is for tables that this product
 * has written and that are too long for one process.
 *
 * <p>A row belongs to the part that contains its first byte. Parts that cover a file therefore cover each row exactly
 * once.
 */
public final class LongColumns {
    private static final int BUFFER = 1 << 18;
    private static final int MAX_BUFFER_BYTES = 1 << 26;

    /** Receives the numbers of a row. */
    public interface Sink {
        void row(long firstColumn, long secondColumn);
    }

    private final int firstColumn;
    private final int secondColumn;
    private final Sink sink;
    private byte[] buffer = new byte[BUFFER];
    private int filled;
    private long base;

    private LongColumns(int firstColumn, int secondColumn, Sink sink) {
        this.firstColumn = firstColumn;
        this.secondColumn = secondColumn;
        this.sink = sink;
    }

    /**
     * Returns the start of the stream for a part that begins at {@code from}: one byte earlier, to detect the start of a
     * row.
     */
    public static long start(long from) {
        return Math.max(0, from - 1);
    }

    /**
     * Reads the rows of a part; the first line of the file is its header.
     *
     * @param in the file from {@link #start} of the part on
     * @param from first byte of the part
     * @param to byte after the last one of the part
     * @param firstColumn position of the first column to read, from 0
     * @throws IOException if a row does not have integers in these columns
     */
    public static void read(InputStream in, long from, long to, int firstColumn, int secondColumn, Sink sink)
            throws IOException {
        LongColumns reader = new LongColumns(firstColumn, secondColumn, sink);
        reader.base = start(from);
        reader.read(in, to);
    }

    private void read(InputStream in, long to) throws IOException {
        boolean skipping = true;
        boolean ended = false;
        while (!ended) {
            int read = in.read(buffer, filled, buffer.length - 1 - filled);
            ended = read < 0;
            filled += Math.max(0, read);
            if (ended && filled > 0 && buffer[filled - 1] != '\n') {
                buffer[filled++] = '\n';
            }
            int end = endOfLastLine();
            int pos = 0;
            if (skipping && end > 0) {
                pos = lineEnd(0) + 1;
                skipping = false;
            }
            while (pos < end) {
                if (base + pos >= to) {
                    return;
                }
                pos = row(pos);
            }
            keepFrom(end);
        }
    }

    private int lineEnd(int from) {
        int at = from;
        while (buffer[at] != '\n') {
            at++;
        }
        return at;
    }

    private int endOfLastLine() {
        int end = filled;
        while (end > 0 && buffer[end - 1] != '\n') {
            end--;
        }
        return end;
    }

    private void keepFrom(int end) throws IOException {
        System.arraycopy(buffer, end, buffer, 0, filled - end);
        filled -= end;
        base += end;
        if (filled == buffer.length - 1) {
            if (filled >= MAX_BUFFER_BYTES) {
                throw new IOException("a row is longer than " + MAX_BUFFER_BYTES + " bytes");
            }
            buffer = Arrays.copyOf(buffer, 2 * buffer.length);
        }
    }

    private int row(int from) throws IOException {
        byte[] bytes = buffer;
        long first = -1;
        long second = -1;
        long value = 0;
        int digits = 0;
        int cell = 0;
        int pos = from;
        while (true) {
            byte c = bytes[pos++];
            if (c >= '0' && c <= '9') {
                value = value * 10 + c - '0';
                digits++;
            } else if (c == ',' || c == '\n') {
                if (digits > 0) {
                    first = cell == firstColumn ? value : first;
                    second = cell == secondColumn ? value : second;
                }
                if (c == '\n') {
                    break;
                }
                cell++;
                value = 0;
                digits = 0;
            } else if (c != '\r') {
                throw new IOException("byte " + (base + pos - 1) + " is not part of an integer");
            }
        }
        if (first >= 0 && second >= 0) {
            sink.row(first, second);
        } else if (cell > 0 || digits > 0) {
            throw new IOException("the row at byte " + (base + from) + " has no integer in a required column");
        }
        return pos;
    }
}
