package dev.stagesim.feature.pytorch.convert;

import dev.stagesim.feature.pytorch.trace.JsonCursor;
import dev.stagesim.model.ShortestDouble;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Prints JSON values like Python, which is the format of inputs and outputs in an execution trace.
 *
 * <p>Lists have spaces, strings have Python quotes, {@code true}, {@code false} and {@code null} become {@code True},
 * {@code False} and {@code None}, and real numbers have the shortest exact form. Results are cached, because shapes and
 * types repeat.
 */
final class PythonRepr {
    private static final int SLOTS = 1 << 12;
    private static final int MAX_CACHED_LENGTH = 256;
    private static final int HIGH_LATIN = 0xff;

    private final byte[][] keys = new byte[SLOTS][];
    private final @Nullable String[] kept = new String[SLOTS];
    private StringBuilder out = new StringBuilder();

    /** Prints the well-formed value at {@code json[from..to]}. */
    String of(byte[] json, int from, int to) {
        int length = to - from;
        if (length > MAX_CACHED_LENGTH) {
            return print(json, from, to);
        }
        int hash = length;
        for (int i = from; i < to; i++) {
            hash = 31 * hash + json[i];
        }
        int slot = (hash ^ (hash >>> 12)) & (SLOTS - 1);
        String found = kept[slot];
        if (found != null && Arrays.equals(keys[slot], 0, keys[slot].length, json, from, to)) {
            return found;
        }
        String text = print(json, from, to);
        keys[slot] = Arrays.copyOfRange(json, from, to);
        kept[slot] = text;
        return text;
    }

    private String print(byte[] json, int from, int to) {
        out = new StringBuilder(to - from + 16);
        int at = from;
        while (at < to) {
            at = token(json, at, to);
        }
        return out.toString();
    }

    /** Prints the token at {@code at} and returns the position after it. */
    private int token(byte[] json, int at, int to) {
        byte first = json[at];
        switch (first) {
            case '[', ']', '{', '}' -> out.append((char) first);
            case ',' -> out.append(", ");
            case ':' -> out.append(": ");
            case '"' -> {
                int end = at + 1;
                while (json[end] != '"') {
                    end += json[end] == '\\' ? 2 : 1;
                }
                quote(JsonCursor.decode(json, at + 1, end));
                return end + 1;
            }
            default -> {
                if (first > ' ') {
                    int end = at + 1;
                    while (end < to && isScalar(json[end])) {
                        end++;
                    }
                    scalar(json, at, end);
                    return end;
                }
            }
        }
        return at + 1;
    }

    private static boolean isScalar(byte b) {
        return b > ' ' && b != ',' && b != ']' && b != '}' && b != ':';
    }

    private void scalar(byte[] json, int from, int to) {
        switch (json[from]) {
            case 't' -> out.append("True");
            case 'f' -> out.append("False");
            case 'n' -> out.append("None");
            case 'N' -> out.append("nan");
            case 'I' -> out.append("inf");
            default -> number(json, from, to);
        }
    }

    private void number(byte[] json, int from, int to) {
        boolean isReal = false;
        for (int i = from; i < to; i++) {
            isReal |= json[i] == '.' || json[i] == 'e' || json[i] == 'E' || json[i] == 'I';
        }
        String text = new String(json, from, to - from, StandardCharsets.US_ASCII);
        if (isReal) {
            out.append(text.equals("-Infinity") ? "-inf" : ShortestDouble.of(Double.parseDouble(text)));
        } else {
            out.append(text.equals("-0") ? "0" : text);
        }
    }

    private void quote(String text) {
        char quote = text.indexOf('\'') >= 0 && text.indexOf('"') < 0 ? '"' : '\'';
        out.append(quote);
        for (int i = 0; i < text.length(); ) {
            int c = text.codePointAt(i);
            i += Character.charCount(c);
            if (c == quote || c == '\\') {
                out.append('\\').append((char) c);
            } else if (c >= ' ' && c < 0x7f) {
                out.append((char) c);
            } else {
                unusual(c);
            }
        }
        out.append(quote);
    }

    private void unusual(int c) {
        switch (c) {
            case '\n' -> out.append("\\n");
            case '\r' -> out.append("\\r");
            case '\t' -> out.append("\\t");
            default -> {
                if (isPrintable(c)) {
                    out.appendCodePoint(c);
                } else if (c <= HIGH_LATIN) {
                    out.append(String.format(Locale.ROOT, "\\x%02x", c));
                } else if (c <= Character.MAX_VALUE) {
                    out.append(String.format(Locale.ROOT, "\\u%04x", c));
                } else {
                    out.append(String.format(Locale.ROOT, "\\U%08x", c));
                }
            }
        }
    }

    private static boolean isPrintable(int c) {
        return switch (Character.getType(c)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.SURROGATE,
                    Character.PRIVATE_USE,
                    Character.UNASSIGNED,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR,
                    Character.SPACE_SEPARATOR -> false;
            default -> true;
        };
    }
}
