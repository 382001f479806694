package dev.stagesim.model;

import java.math.BigInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * Prints doubles as the shortest decimal that reads back to the same value; the nearest one if several are equally
 * short.
 *
 * <p>The text is the same on every Java version, in contrast to {@link Double#toString(double)}, and equals Python's: {@code
 * 0.1}, {@code 1.0}, {@code 1e-05}, {@code 1e+16}. The digits come from Raffaello Giulietti's Schubfach algorithm.
 * Allocates only one table entry per decimal exponent.
 */
public final class ShortestDouble {
    /** Maximum number of bytes that {@link #write} uses. */
    public static final int MAX_LENGTH = 25;

    private static final int PRECISION = 53;
    private static final int EXPONENT_BIAS = 1075;
    private static final int MIN_POWER = -292;
    private static final int MAX_POWER = 324;
    private static final long MASK_63 = Long.MAX_VALUE;
    private static final int PLAIN_UP_TO = 16;
    private static final int PLAIN_FROM = -4;
    private static final AtomicReferenceArray<long[]> POWERS = new AtomicReferenceArray<>(MAX_POWER - MIN_POWER + 1);

    private ShortestDouble() {}

    /** Returns the text of {@code value}; {@code nan}, {@code inf} and {@code -inf} for non-finite values. */
    public static String of(double value) {
        if (!Double.isFinite(value)) {
            return Double.isNaN(value) ? "nan" : value > 0 ? "inf" : "-inf";
        }
        byte[] buffer = new byte[MAX_LENGTH];
        int end = write(value, buffer, 0);
        StringBuilder text = new StringBuilder(end);
        for (int i = 0; i < end; i++) {
            text.append((char) buffer[i]);
        }
        return text.toString();
    }

    /** Writes the text of a finite value into {@code out} from {@code at}; returns the position after it. */
    public static int write(double value, byte[] out, int at) {
        long bits = Double.doubleToRawLongBits(value);
        int pos = at;
        if (bits < 0) {
            out[pos++] = '-';
        }
        long fraction = bits & ((1L << (PRECISION - 1)) - 1);
        int biased = (int) (bits >>> (PRECISION - 1)) & 0x7ff;
        if (biased == 0x7ff) {
            throw new IllegalArgumentException("not finite: " + value);
        }
        if (biased == 0 && fraction == 0) {
            return digits(0, 0, out, pos);
        }
        long significand = biased == 0 ? fraction : fraction | (1L << (PRECISION - 1));
        int exponent = Math.max(biased, 1) - EXPONENT_BIAS;
        if (exponent <= 0 && exponent > -PRECISION) {
            long whole = significand >> -exponent;
            if (whole << -exponent == significand) {
                return digits(whole, 0, out, pos);
            }
        }
        return shortest(significand, exponent, biased > 1 && fraction == 0, out, pos);
    }

    /** Finds the shortest decimal in the interval of numbers that round to significand x 2^exponent. */
    private static int shortest(long significand, int exponent, boolean lowerGapHalved, byte[] out, int pos) {
        long odd = significand & 1;
        long scaled = significand << 2;
        long upper = scaled + 2;
        long lower = lowerGapHalved ? scaled - 1 : scaled - 2;
        // floor(log10(2^e)), or floor(log10(3/4 2^e)) when the gap below is half as wide
        int power = (int) ((exponent * 661_971_961_083L - (lowerGapHalved ? 274_743_187_321L : 0)) >> 41);
        int shift = exponent + (int) ((-power * 913_124_641_741L) >> 38) + 2;
        long[] ten = powerOfTen(-power);
        long v = roundToOdd(ten[0], ten[1], scaled << shift);
        long low = roundToOdd(ten[0], ten[1], lower << shift) + odd;
        long high = roundToOdd(ten[0], ten[1], upper << shift) - odd;
        long down = v >> 2;
        if (down >= 10) {
            long downTen = down / 10 * 10;
            boolean downIn = low <= downTen << 2;
            boolean upIn = (downTen + 10) << 2 <= high;
            if (downIn != upIn) {
                return digits(downIn ? downTen : downTen + 10, power, out, pos);
            }
        }
        long up = down + 1;
        boolean downIn = low <= down << 2;
        boolean upIn = up << 2 <= high;
        if (downIn != upIn) {
            return digits(downIn ? down : up, power, out, pos);
        }
        long side = v - ((down + up) << 1);
        boolean nearerDown = side < 0 || (side == 0 && (down & 1) == 0);
        return digits(nearerDown ? down : up, power, out, pos);
    }

    /**
     * Returns the high part of the product with a sticky lowest bit, so that comparisons with multiples of 4 are exact.
     */
    private static long roundToOdd(long high, long low, long factor) {
        long carry = Math.multiplyHigh(low, factor);
        long middle = high * factor;
        long top = Math.multiplyHigh(high, factor);
        long sum = (middle >>> 1) + carry;
        long result = top + (sum >>> 63);
        return result | (((sum & MASK_63) + MASK_63) >>> 63);
    }

    /** Returns 10^power scaled to 126 bits, rounded up, as two 63-bit halves. */
    private static long[] powerOfTen(int power) {
        int index = power - MIN_POWER;
        long[] cached = POWERS.get(index);
        if (cached != null) {
            return cached;
        }
        BigInteger ten = BigInteger.TEN.pow(Math.abs(power));
        BigInteger scaled;
        if (power >= 0) {
            int drop = ten.bitLength() - 126;
            scaled = drop >= 0 ? ten.shiftRight(drop) : ten.shiftLeft(-drop);
        } else {
            int bits = 126 + ten.bitLength();
            scaled = BigInteger.ONE.shiftLeft(bits).divide(ten);
            scaled = scaled.shiftRight(scaled.bitLength() - 126);
        }
        BigInteger up = scaled.add(BigInteger.ONE);
        long[] halves = {
            up.shiftRight(63).longValueExact(),
            up.and(BigInteger.valueOf(MASK_63)).longValueExact()
        };
        POWERS.set(index, halves);
        return halves;
    }

    /** Prints {@code number} x 10^{@code power}. */
    private static int digits(long number, int power, byte[] out, int at) {
        long value = number;
        int exponent = power;
        while (value != 0 && exponent < 0 && value % 10 == 0) {
            value /= 10;
            exponent++;
        }
        int count = LongText.length(value);
        int point = count + exponent;
        if (point > PLAIN_UP_TO || point <= PLAIN_FROM) {
            return scientific(value, count, point - 1, out, at);
        }
        int pos = at;
        if (point <= 0) {
            out[pos++] = '0';
            out[pos++] = '.';
            pos = zeros(-point, out, pos);
            return LongText.write(value, out, pos);
        }
        pos = LongText.write(value, out, pos);
        if (exponent < 0) {
            System.arraycopy(out, at + point, out, at + point + 1, count - point);
            out[at + point] = '.';
            return pos + 1;
        }
        pos = zeros(exponent, out, pos);
        out[pos++] = '.';
        out[pos++] = '0';
        return pos;
    }

    private static int scientific(long number, int digits, int exponent, byte[] out, int at) {
        long value = number;
        int count = digits;
        while (value % 10 == 0) {
            value /= 10;
            count--;
        }
        int pos = LongText.write(value, out, at);
        if (count > 1) {
            System.arraycopy(out, at + 1, out, at + 2, count - 1);
            out[at + 1] = '.';
            pos++;
        }
        out[pos++] = 'e';
        out[pos++] = (byte) (exponent < 0 ? '-' : '+');
        int size = Math.abs(exponent);
        if (size < 10) {
            out[pos++] = '0';
        }
        return LongText.write(size, out, pos);
    }

    private static int zeros(int count, byte[] out, int at) {
        for (int i = 0; i < count; i++) {
            out[at + i] = '0';
        }
        return at + count;
    }
}
