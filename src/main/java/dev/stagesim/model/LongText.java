package dev.stagesim.model;

/** Prints integers as decimal digits into byte buffers, without allocating. */
public final class LongText {
    /** Most bytes that {@link #write} uses. */
    public static final int MAX_LENGTH = 20;

    private static final byte[] LEAST = {
        '-', '9', '2', '2', '3', '3', '7', '2', '0', '3', '6', '8', '5', '4', '7', '7', '5', '8', '0', '8'
    };
    private static final byte[] TENS = new byte[100];
    private static final byte[] ONES = new byte[100];

    static {
        for (int i = 0; i < 100; i++) {
            TENS[i] = (byte) ('0' + i / 10);
            ONES[i] = (byte) ('0' + i % 10);
        }
    }

    private LongText() {}

    /** Number of digits of a value that is not negative. */
    public static int length(long value) {
        if (value < 10) {
            return 1;
        }
        long bound = 100;
        for (int digits = 2; digits < 19; digits++) {
            if (value < bound) {
                return digits;
            }
            bound *= 10;
        }
        return 19;
    }

    /** Writes {@code value} into {@code out} from {@code at}; returns the position after it. */
    public static int write(long value, byte[] out, int at) {
        if (value < 0) {
            if (value == Long.MIN_VALUE) {
                System.arraycopy(LEAST, 0, out, at, LEAST.length);
                return at + LEAST.length;
            }
            out[at] = '-';
            return write(-value, out, at + 1);
        }
        int end = at + length(value);
        int pos = end;
        long rest = value;
        while (rest > Integer.MAX_VALUE) {
            long next = rest / 100;
            int pair = (int) (rest - next * 100);
            out[--pos] = ONES[pair];
            out[--pos] = TENS[pair];
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
