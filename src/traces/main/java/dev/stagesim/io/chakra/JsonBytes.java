package dev.stagesim.io.chakra;

import dev.stagesim.model.LongText;
import dev.stagesim.model.ShortestDouble;
import java.io.IOException;
import java.io.OutputStream;
import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;

/**
 * Writes indented ASCII JSON directly as bytes, in the layout of Python's {@code json} module with an indent of two.
 */
final class JsonBytes {
    private static final int FLUSH = 1 << 16;
    private static final int MIN_FLOAT_DIGITS = 6;
    private static final byte[] HEX = {'0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'a', 'b', 'c', 'd', 'e', 'f'};

    /** A line end with the maximum indent of a trace. */
    private static final byte[] INDENT = ('\n' + " ".repeat(64)).getBytes(StandardCharsets.US_ASCII);

    private final OutputStream out;
    private byte[] buffer = new byte[2 * FLUSH];
    private int filled;
    private int depth;
    private boolean isEmpty = true;

    JsonBytes(OutputStream out) {
        this.out = out;
    }

    void open(char bracket) {
        put((byte) bracket);
        depth++;
        isEmpty = true;
    }

    void close(char bracket) throws IOException {
        depth--;
        if (!isEmpty) {
            line();
        }
        put((byte) bracket);
        isEmpty = false;
        if (filled >= FLUSH) {
            flush();
        }
    }

    /** Encodes a member name for {@link #member}. */
    static byte[] key(String name) {
        return ('"' + name + "\": ").getBytes(StandardCharsets.US_ASCII);
    }

    /** Begins a member of an object; {@code key} is from {@link #key(String)}. */
    void member(byte[] key) {
        entry();
        room(key.length);
        System.arraycopy(key, 0, buffer, filled, key.length);
        filled += key.length;
    }

    /** Begins a member of an object or an entry of an array. */
    void entry() {
        if (!isEmpty) {
            put((byte) ',');
        }
        isEmpty = false;
        line();
    }

    private void line() {
        int count = 2 * depth + 1;
        room(count);
        System.arraycopy(INDENT, 0, buffer, filled, count);
        filled += count;
    }

    private void room(int count) {
        if (filled + count > buffer.length) {
            buffer = Arrays.copyOf(buffer, Math.max(2 * buffer.length, filled + count));
        }
    }

    private void put(byte value) {
        room(1);
        buffer[filled++] = value;
    }

    void text(String value) {
        room(6 * value.length() + 2);
        byte[] bytes = buffer;
        int at = filled;
        bytes[at++] = '"';
        for (int i = 0; i < value.length(); i++) {
            char each = value.charAt(i);
            if (each >= ' ' && each <= '~' && each != '"' && each != '\\') {
                bytes[at++] = (byte) each;
            } else {
                at = escape(each, bytes, at);
            }
        }
        bytes[at++] = '"';
        filled = at;
    }

    private static int escape(char value, byte[] bytes, int from) {
        int at = from;
        bytes[at++] = '\\';
        int letter = "\"\\\n\r\t\f\b".indexOf(value);
        if (letter >= 0) {
            bytes[at++] = (byte) "\"\\nrtfb".charAt(letter);
            return at;
        }
        bytes[at++] = 'u';
        for (int shift = 12; shift >= 0; shift -= 4) {
            bytes[at++] = HEX[value >> shift & 0xf];
        }
        return at;
    }

    void number(long value) {
        room(LongText.MAX_LENGTH);
        filled = LongText.write(value, buffer, filled);
    }

    /** Writes a 64-bit number as a string, so that no reader rounds it. */
    void quoted(long value, boolean isUnsigned) {
        if (isUnsigned && value < 0) {
            text(Long.toUnsignedString(value));
            return;
        }
        room(LongText.MAX_LENGTH + 2);
        buffer[filled++] = '"';
        filled = LongText.write(value, buffer, filled);
        buffer[filled++] = '"';
    }

    void bool(boolean value) {
        word(value ? "true" : "false");
    }

    void number(double value) {
        if (Double.isFinite(value)) {
            room(ShortestDouble.MAX_LENGTH);
            filled = ShortestDouble.write(value, buffer, filled);
        } else if (Double.isNaN(value)) {
            text("NaN");
        } else {
            text(value > 0 ? "Infinity" : "-Infinity");
        }
    }

    /** Writes a {@code float} as the shortest decimal with at least six digits that converts back to it. */
    void number(float value) {
        double shown = value;
        if (Float.isFinite(value) && value != 0) {
            BigDecimal exact = new BigDecimal(value);
            for (int digits = MIN_FLOAT_DIGITS; digits <= 9; digits++) {
                double rounded = exact.round(new MathContext(digits, RoundingMode.HALF_EVEN))
                        .doubleValue();
                if ((float) rounded == value) {
                    shown = rounded;
                    break;
                }
            }
        }
        number(shown);
    }

    void blob(byte[] value) {
        byte[] encoded = Base64.getEncoder().encode(value);
        room(encoded.length + 2);
        buffer[filled++] = '"';
        System.arraycopy(encoded, 0, buffer, filled, encoded.length);
        filled += encoded.length;
        buffer[filled++] = '"';
    }

    private void word(String value) {
        room(value.length());
        for (int i = 0; i < value.length(); i++) {
            buffer[filled++] = (byte) value.charAt(i);
        }
    }

    /** Writes the buffered bytes to the stream. */
    void flush() throws IOException {
        out.write(buffer, 0, filled);
        filled = 0;
    }
}
