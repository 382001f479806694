package dev.stagesim.io.csv;

import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Splits a stream of RFC 4180 bytes into rows of cells, without allocation per row.
 *
 * <p>Accepts LF and CRLF, a byte-order mark, and a last line without line end. Blank lines are skipped. One row is
 * buffered, with at most {@value #MAX_ROW_BYTES} bytes.
 */
final class CsvScanner implements Closeable {
    static final int MAX_ROW_BYTES = 1 << 26;

    private static final int BUFFER = 1 << 16;

    private final String source;
    private final InputStream in;
    private byte[] buffer = new byte[BUFFER];
    private int filled;
    private int pos;
    private boolean ended;
    private long line = 1;
    private long rowLine = 1;
    private int rowStart;
    private int cells;
    private int[] starts = new int[16];
    private int[] ends = new int[16];
    private boolean[] quoted = new boolean[16];
    private boolean malformed;

    /** Creates a scanner; {@code source} names the file in messages. */
    CsvScanner(String source, InputStream in) throws IOException {
        this.source = source;
        this.in = in;
        fill();
        if (filled >= 3 && buffer[0] == (byte) 0xEF && buffer[1] == (byte) 0xBB && buffer[2] == (byte) 0xBF) {
            pos = 3;
        }
    }

    /** Moves to the next row that is not blank, or returns false at the end. */
    boolean next() throws IOException {
        while (true) {
            rowStart = pos;
            rowLine = line;
            if (pos == filled && !fill()) {
                return false;
            }
            scanRow();
            boolean blank = cells == 1 && starts[0] == ends[0] && !quoted[0];
            if (!blank) {
                return true;
            }
        }
    }

    /** Returns the line at which the row begins, from 1. */
    long line() {
        return rowLine;
    }

    int cells() {
        return cells;
    }

    /** True if the row has a quote that is never closed, or text after a closing quote. */
    boolean malformed() {
        return malformed;
    }

    byte[] bytes() {
        return buffer;
    }

    int start(int cell) {
        return starts[cell];
    }

    int end(int cell) {
        return ends[cell];
    }

    /** Returns the text of a cell without quotes. */
    String text(int cell) {
        String raw = new String(buffer, starts[cell], ends[cell] - starts[cell], StandardCharsets.UTF_8);
        return quoted[cell] ? raw.replace("\"\"", "\"") : raw;
    }

    private void scanRow() throws IOException {
        cells = 0;
        malformed = false;
        while (scanCell()) {
            // one iteration per cell, until a line ends
        }
    }

    /** Reads one cell and the separator after it. Returns false if the row ends with this cell. */
    private boolean scanCell() throws IOException {
        if (cells == starts.length) {
            starts = Arrays.copyOf(starts, cells * 2);
            ends = Arrays.copyOf(ends, cells * 2);
            quoted = Arrays.copyOf(quoted, cells * 2);
        }
        int cell = cells++;
        if (pos < filled || fill()) {
            if (buffer[pos] == '"') {
                return quotedCell(cell);
            }
        }
        quoted[cell] = false;
        starts[cell] = pos;
        while (true) {
            byte[] bytes = buffer;
            int limit = filled;
            int at = pos;
            while (at < limit && bytes[at] != ',' && bytes[at] != '\n') {
                at++;
            }
            pos = at;
            if (at < limit) {
                ends[cell] = at > starts[cell] && bytes[at] == '\n' && bytes[at - 1] == '\r' ? at - 1 : at;
                return separator();
            }
            if (!fill()) {
                ends[cell] = pos;
                return false;
            }
        }
    }

    /** Moves past a comma or a line feed. Returns false for a line feed. */
    private boolean separator() {
        if (buffer[pos++] == ',') {
            return true;
        }
        line++;
        return false;
    }

    private boolean quotedCell(int cell) throws IOException {
        quoted[cell] = true;
        starts[cell] = ++pos;
        while (true) {
            if (pos == filled && !fill()) {
                malformed = true;
                ends[cell] = pos;
                return false;
            }
            byte b = buffer[pos];
            if (b == '"') {
                if (pos + 1 == filled) {
                    fill();
                }
                if (pos + 1 == filled || buffer[pos + 1] != '"') {
                    break;
                }
                pos++;
            } else if (b == '\n') {
                line++;
            }
            pos++;
        }
        ends[cell] = pos++;
        return skipToSeparator();
    }

    /** After a closing quote, only a carriage return may precede the separator. */
    private boolean skipToSeparator() throws IOException {
        while (pos < filled || fill()) {
            byte b = buffer[pos];
            if (b == ',' || b == '\n') {
                return separator();
            }
            malformed |= b != '\r';
            pos++;
        }
        return false;
    }

    /**
     * Reads more bytes after the current row, which moves to the front of the buffer. Returns false at the end of the file.
     */
    private boolean fill() throws IOException {
        if (ended) {
            return false;
        }
        if (rowStart > 0) {
            System.arraycopy(buffer, rowStart, buffer, 0, filled - rowStart);
            for (int i = 0; i < cells; i++) {
                starts[i] -= rowStart;
                ends[i] -= rowStart;
            }
            pos -= rowStart;
            filled -= rowStart;
            rowStart = 0;
        }
        if (filled == buffer.length) {
            if (filled >= MAX_ROW_BYTES) {
                throw StageException.input(Problem.artifact(
                        source + ":" + rowLine, "the row exceeds the limit of " + MAX_ROW_BYTES + " bytes"));
            }
            buffer = Arrays.copyOf(buffer, filled * 2);
        }
        int read = in.read(buffer, filled, buffer.length - filled);
        ended = read < 0;
        filled += Math.max(read, 0);
        return !ended;
    }

    @Override
    public void close() throws IOException {
        in.close();
    }
}
