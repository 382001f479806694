package dev.stagesim.feature.pytorch.trace;

import java.nio.charset.StandardCharsets;

/**
 * Scans well-formed JSON text without building objects.
 *
 * <p>The position is the first byte of a value, or the comma or bracket after one.
 */
public final class JsonCursor {
    private final byte[] json;
    private final int end;
    private int at;

    public JsonCursor(byte[] json, int from, int to) {
        this.json = json;
        end = to;
        at = from;
        blanks();
    }

    private void blanks() {
        while (at < end && json[at] <= ' ' && json[at] >= 0) {
            at++;
        }
    }

    /** Returns the next byte; 0 at the end. */
    public byte peek() {
        return at < end ? json[at] : 0;
    }

    /** Enters an array or object; returns false, without moving, for any other value. */
    public boolean enter(char bracket) {
        if (peek() != bracket) {
            return false;
        }
        at++;
        blanks();
        return true;
    }

    /** Moves to the next item; returns false and leaves the array or object if there is none. */
    public boolean more() {
        blanks();
        byte next = peek();
        if (next == ']' || next == '}' || next == 0) {
            at++;
            blanks();
            return false;
        }
        if (next == ',' || next == ':') {
            at++;
            blanks();
        }
        return true;
    }

    /** Skips a value. */
    public void skip() {
        byte first = peek();
        if (first == '"') {
            skipText();
        } else if (first == '[' || first == '{') {
            skipNested();
        } else {
            while (at < end && isScalar(json[at])) {
                at++;
            }
        }
        blanks();
    }

    private void skipNested() {
        int depth = 0;
        do {
            byte next = json[at];
            if (next == '"') {
                skipText();
            } else {
                depth += next == '[' || next == '{' ? 1 : next == ']' || next == '}' ? -1 : 0;
                at++;
            }
        } while (depth > 0);
    }

    private static boolean isScalar(byte b) {
        return Character.isLetterOrDigit(b) || b == '.' || b == '-' || b == '+';
    }

    private void skipText() {
        at++;
        while (json[at] != '"') {
            at += json[at] == '\\' ? 2 : 1;
        }
        at++;
    }

    /** Reads an integer; skips any other value and returns {@code otherwise}. */
    public long whole(long otherwise) {
        int from = at;
        skip();
        int to = at;
        while (to > from && json[to - 1] <= ' ') {
            to--;
        }
        boolean isNegative = to > from && json[from] == '-';
        long value = 0;
        for (int i = isNegative ? from + 1 : from; i < to; i++) {
            if (json[i] < '0' || json[i] > '9') {
                return otherwise;
            }
            value = value * 10 + json[i] - '0';
        }
        return to == from ? otherwise : isNegative ? -value : value;
    }

    /** Reads a string; skips any other value and returns an empty string. */
    public String text() {
        if (peek() != '"') {
            skip();
            return "";
        }
        int from = at + 1;
        skipText();
        int to = at - 1;
        blanks();
        return decode(json, from, to);
    }

    /** Decodes the text between quotes. */
    public static String decode(byte[] json, int from, int to) {
        String raw = new String(json, from, to - from, StandardCharsets.UTF_8);
        if (raw.indexOf('\\') < 0) {
            return raw;
        }
        StringBuilder out = new StringBuilder();
        for (int i = 0; i < raw.length(); i++) {
            char c = raw.charAt(i);
            if (c != '\\') {
                out.append(c);
                continue;
            }
            char kind = raw.charAt(++i);
            switch (kind) {
                case 'n' -> out.append('\n');
                case 't' -> out.append('\t');
                case 'r' -> out.append('\r');
                case 'b' -> out.append('\b');
                case 'f' -> out.append('\f');
                case 'u' -> {
                    out.append((char) Integer.parseInt(raw.substring(i + 1, i + 5), 16));
                    i += 4;
                }
                default -> out.append(kind);
            }
        }
        return out.toString();
    }
}
