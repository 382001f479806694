package dev.stagesim.model;

/** Prints integers as decimal digits into byte buffers, without allocating. */
public final class LongText {
    /** Maximum number of bytes that {@link #write} uses. */
    public static final int MAX_LENGTH = 20;

    private static final byte[] MIN_VALUE_TEXT = {
        '-', '9', '2', '2', '3', '3', '7', '2', '0', '3', '6', '8', '5', '4', '7', '7', '5', '8', '0', '8'
    };
    /** log10(2) in units of 1/4096. */
    private static final int LOG10_OF_2 = 1233;

    private static final int LOG_BITS = 12;
    private static final long EIGHT_DIGITS = 100_000_000;
    private static final long[] POWERS = new long[19];
    private static final byte[] TENS = new byte[100];
    private static final byte[] ONES = new byte[100];

    static {
        POWERS[0] = 1;
        for (int i = 1; i < POWERS.length; i++) {
            POWERS[i] = 10 * POWERS[i - 1];
        }
        for (int i = 0; i < 100; i++) {
            TENS[i] = (byte) ('0' + i / 10);
            ONES[i] = (byte) ('0' + i % 10);
        }
    }

    private LongText() {}

    /** Returns the number of digits of a non-negative value. */
    static int length(long value) {
        int digits = ((Long.SIZE - Long.numberOfLeadingZeros(value | 1)) * LOG10_OF_2) >> LOG_BITS;
        return (value | 1) < POWERS[digits] ? digits : digits + 1;
    }

    /** Writes eight digits that end before {@code end}. The pairs do not depend on one another. Returns the first position. */
    private static int eightDigits(int value, byte[] out, int end) {
        int high = value / 10_000;
        int low = value - high * 10_000;
        pair(low % 100, out, end - 2);
        pair(low / 100, out, end - 4);
        pair(high % 100, out, end - 6);
        pair(high / 100, out, end - 8);
        return end - 8;
    }

    private static void pair(int value, byte[] out, int at) {
        out[at] = TENS[value];
        out[at + 1] = ONES[value];
    }

    /** Writes {@code value} into {@code out} from {@code at}; returns the position after it. */
    public static int write(long value, byte[] out, int at) {
        if (value < 0) {
            if (value == Long.MIN_VALUE) {
                System.arraycopy(MIN_VALUE_TEXT, 0, out, at, MIN_VALUE_TEXT.length);
                return at + MIN_VALUE_TEXT.length;
            }
            out[at] = '-';
            return write(-value, out, at + 1);
        }
        int end = at + length(value);
        int pos = end;
        long rest = value;
        while (rest > Integer.MAX_VALUE) {
            long next = rest / EIGHT_DIGITS;
            pos = eightDigits((int) (rest - next * EIGHT_DIGITS), out, pos);
            rest = next;
        }
        int small = (int) rest;
        while (small >= 100) {
            int next = small / 100;
            int pair = small - next * 100;
            out[--pos] = ONES[pair];
            out[--pos] = TENS[pair];
            small = next;
        }
        out[--pos] = ONES[small];
        if (small >= 10) {
            out[--pos] = TENS[small];
        }
        return end;
    }
}
