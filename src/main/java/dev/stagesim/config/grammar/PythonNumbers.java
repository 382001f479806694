package dev.stagesim.config.grammar;

import java.math.BigInteger;
import java.util.Locale;
import java.util.Optional;

/** Reads numbers from strings by Python's rules: blanks around and single underscores between digits are legal. */
final class PythonNumbers {
    private PythonNumbers() {}

    static Optional<BigInteger> integer(String text) {
        String plain = ascii(text.strip());
        int digits = plain.startsWith("-") || plain.startsWith("+") ? 1 : 0;
        if (digitsEnd(plain, digits) != plain.length()) {
            return Optional.empty();
        }
        return Optional.of(new BigInteger(plain.replace("_", "")));
    }

    static Optional<Double> real(String text) {
        String plain = ascii(text.strip()).toLowerCase(Locale.ROOT);
        int start = plain.startsWith("-") || plain.startsWith("+") ? 1 : 0;
        String magnitude = plain.substring(start);
        double sign = plain.startsWith("-") ? -1 : 1;
        if (magnitude.equals("inf") || magnitude.equals("infinity")) {
            return Optional.of(sign * Double.POSITIVE_INFINITY);
        }
        if (magnitude.equals("nan")) {
            return Optional.of(Double.NaN);
        }
        return isDecimal(magnitude)
                ? Optional.of(sign * Double.parseDouble(magnitude.replace("_", "")))
                : Optional.empty();
    }

    private static boolean isDecimal(String s) {
        int whole = Math.max(0, digitsEnd(s, 0));
        int end = whole;
        if (Scan.at(s, whole) == '.') {
            int fraction = digitsEnd(s, whole + 1);
            if (whole == 0 && fraction < 0) {
                return false;
            }
            end = fraction < 0 ? whole + 1 : fraction;
        } else if (whole == 0) {
            return false;
        }
        if (Scan.at(s, end) == 'e') {
            char c = Scan.at(s, end + 1);
            end = digitsEnd(s, c == '+' || c == '-' ? end + 2 : end + 1);
        }
        return end == s.length();
    }

    /** End of a run of digits with single underscores between them; -1 when there is none. */
    private static int digitsEnd(String s, int from) {
        if (!Scan.isDigit(Scan.at(s, from))) {
            return -1;
        }
        int i = from + 1;
        while (Scan.isDigit(Scan.at(s, i)) || (Scan.at(s, i) == '_' && Scan.isDigit(Scan.at(s, i + 1)))) {
            i++;
        }
        return i;
    }

    /** Digits of other scripts count, too. */
    private static String ascii(String s) {
        StringBuilder out = new StringBuilder(s.length());
        s.codePoints().forEach(c -> {
            if (c > 0x7f && Character.isDigit(c)) {
                out.append((char) ('0' + Character.digit(c, 10)));
            } else {
                out.appendCodePoint(c);
            }
        });
        return out.toString();
    }
}
