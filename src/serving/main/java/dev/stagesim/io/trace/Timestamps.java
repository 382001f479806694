package dev.stagesim.io.trace;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.DateTimeException;
import java.time.LocalDate;

/**
 * Reads times: seconds as a decimal number, or {@code 2023-11-16 18:17:03.9799600} with any number of fraction digits,
 * a blank or T in the middle, and an optional zone ({@code Z}, {@code +00:00}); the default is UTC.
 *
 * <p>Fractions beyond nanoseconds are rounded half up.
 */
public final class Timestamps {
    private static final long NS = 1_000_000_000L;
    private static final int SECONDS_END = 19;
    private static final int LONG_DIGITS = 19;
    /** Longer texts are not times. Parsing a decimal number takes quadratic time. */
    private static final int MAX_CHARACTERS = 200;

    private static final int MAX_SHOWN_CHARACTERS = 40;
    /** Digits of a fraction that affect the rounding to nanoseconds. */
    private static final int FRACTION_DIGITS = 10;

    private Timestamps() {}

    /**
     * Returns the nanoseconds of a time text: since 1970 for a date and time, otherwise since the origin of the file.
     *
     * @throws IllegalArgumentException if the text is neither a number nor a date and time
     */
    public static long nanos(String text) {
        try {
            return looksLikeDate(text) ? dateTime(text) : seconds(text);
        } catch (DateTimeException | ArithmeticException | NumberFormatException | StringIndexOutOfBoundsException e) {
            throw new IllegalArgumentException(
                    "'" + shown(text) + "' is not a time: expected seconds, or YYYY-MM-DD HH:MM:SS[.fraction][+HH:MM]",
                    e);
        }
    }

    /**
     * Returns the nanoseconds of a number in another unit.
     *
     * @param digits decimal digits from the unit to nanoseconds
     * @throws IllegalArgumentException if the text is not a number of at least 0
     */
    static long nanos(String text, int digits, String unit) {
        try {
            return scaled(text, digits);
        } catch (ArithmeticException | NumberFormatException e) {
            throw new IllegalArgumentException("'" + shown(text) + "' is not a time: expected " + unit + " from 0", e);
        }
    }

    private static String shown(String text) {
        return text.length() > MAX_SHOWN_CHARACTERS
                ? text.substring(0, MAX_SHOWN_CHARACTERS) + "..., " + text.length() + " characters,"
                : text;
    }

    /** True when the text has the shape of a date, so that it counts from 1970. */
    static boolean looksLikeDate(String text) {
        return text.length() >= SECONDS_END && text.charAt(4) == '-' && text.charAt(13) == ':';
    }

    private static long seconds(String text) {
        return scaled(text, 9);
    }

    /** Returns the exact value of a decimal number times 10^digits. */
    static long scaled(String text, int digits) {
        if (text.length() > MAX_CHARACTERS) {
            throw new NumberFormatException("too long");
        }
        BigDecimal value = new BigDecimal(text).movePointRight(digits);
        if (value.signum() < 0) {
            throw new NumberFormatException("negative");
        }
        // Exponents far out of range would otherwise be written out digit by digit.
        long magnitude = (long) value.precision() - value.scale();
        if (magnitude > LONG_DIGITS) {
            throw new ArithmeticException("too large");
        }
        return magnitude < 0 ? 0 : value.setScale(0, RoundingMode.HALF_UP).longValueExact();
    }

    private static long dateTime(String text) {
        char middle = text.charAt(10);
        if (text.charAt(7) != '-' || (middle != ' ' && middle != 'T') || text.charAt(16) != ':') {
            throw new NumberFormatException(text);
        }
        long days = LocalDate.of(digits(text, 0, 4), digits(text, 5, 7), digits(text, 8, 10))
                .toEpochDay();
        int hour = within(digits(text, 11, 13), 23);
        int minute = within(digits(text, 14, 16), 59);
        int second = within(digits(text, 17, SECONDS_END), 60);
        int end = SECONDS_END;
        long fraction = 0;
        if (end < text.length() && text.charAt(end) == '.') {
            int from = end;
            end++;
            while (end < text.length() && Character.isDigit(text.charAt(end))) {
                end++;
            }
            // Half up: digits beyond the tenth cannot change the ninth.
            fraction = scaled("0" + text.substring(from, Math.min(end, from + 1 + FRACTION_DIGITS)), 9);
        }
        long zone = zoneSeconds(text.substring(end));
        long whole = ((days * 24 + hour) * 60 + minute) * 60 + second - zone;
        return Math.addExact(Math.multiplyExact(whole, NS), fraction);
    }

    private static long zoneSeconds(String zone) {
        if (zone.isEmpty() || zone.equals("Z")) {
            return 0;
        }
        int sign = zone.charAt(0) == '+' ? 1 : zone.charAt(0) == '-' ? -1 : 0;
        boolean shaped = sign != 0 && ((zone.length() == 6 && zone.charAt(3) == ':') || zone.length() == 3);
        if (!shaped) {
            throw new NumberFormatException(zone);
        }
        int minutes = zone.length() == 3 ? 0 : within(digits(zone, 4, 6), 59);
        return sign * 60L * (60 * within(digits(zone, 1, 3), 18) + minutes);
    }

    private static int digits(String text, int from, int to) {
        int value = 0;
        for (int i = from; i < to; i++) {
            int digit = text.charAt(i) - '0';
            if (digit < 0 || digit > 9) {
                throw new NumberFormatException(text);
            }
            value = 10 * value + digit;
        }
        return value;
    }

    private static int within(int value, int max) {
        if (value > max) {
            throw new NumberFormatException(value + " > " + max);
        }
        return value;
    }
}
