package dev.stagesim.io.csv;

import java.nio.charset.StandardCharsets;

/** Reads numbers from the bytes of a cell. */
final class Cells {
    private static final double[] TENS = {
        1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19,
        1e20, 1e21, 1e22
    };
    private static final int MAX_DIGITS = 18;

    private Cells() {}

    /** True when the bytes are an optional minus sign and digits that fit 64 bits. */
    static boolean isLong(byte[] bytes, int start, int end) {
        int first = start < end && bytes[start] == '-' ? start + 1 : start;
        if (first == end) {
            return false;
        }
        for (int i = first; i < end; i++) {
            if (bytes[i] < '0' || bytes[i] > '9') {
                return false;
            }
        }
        if (end - first <= MAX_DIGITS) {
            return true;
        }
        try {
            Long.parseLong(text(bytes, start, end));
            return true;
        } catch (NumberFormatException e) {
            return false;
        }
    }

    static long toLong(byte[] bytes, int start, int end) {
        boolean negative = bytes[start] == '-';
        long value = 0;
        for (int i = negative ? start + 1 : start; i < end; i++) {
            value = value * 10 - (bytes[i] - '0');
        }
        return negative ? value : -value;
    }

    /** Returns the value of a decimal number, or NaN if the bytes are not a number. */
    static double toDouble(byte[] bytes, int start, int end) {
        int first = start < end && bytes[start] == '-' ? start + 1 : start;
        long digits = 0;
        int scale = 0;
        boolean point = false;
        int i = first;
        // up to 15 digits and 22 decimals are exact in doubles, so one division rounds correctly
        for (; i < end && i - first <= 15; i++) {
            byte b = bytes[i];
            if (b >= '0' && b <= '9') {
                digits = digits * 10 + (b - '0');
                scale += point ? 1 : 0;
            } else if (b == '.' && !point && i > first) {
                point = true;
            } else {
                break;
            }
        }
        if (i == end && end > first && digits < 1L << 53) {
            double value = digits / TENS[scale];
            return first > start ? -value : value;
        }
        return slowDouble(text(bytes, start, end));
    }

    private static double slowDouble(String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            boolean legal = (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '+' || c == 'e' || c == 'E';
            if (!legal) {
                return Double.NaN;
            }
        }
        try {
            return Double.parseDouble(text);
        } catch (NumberFormatException e) {
            return Double.NaN;
        }
    }

    static String text(byte[] bytes, int start, int end) {
        return new String(bytes, start, end - start, StandardCharsets.UTF_8);
    }

    static boolean equal(byte[] bytes, int start, int end, String text) {
        if (end - start != text.length()) {
            return false;
        }
        for (int i = 0; i < text.length(); i++) {
            if (bytes[start + i] != text.charAt(i)) {
                return false;
            }
        }
        return true;
    }
}
