package dev.stagesim.model;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Parses text like Python's {@code str.split} and {@code int}, which define the format. */
public final class PythonText {
    private PythonText() {}

    /** Splits text into lines at {@code \n}, {@code \r} or both; a final line end adds no empty line. */
    public static List<String> lines(String text) {
        List<String> lines = new ArrayList<>();
        int from = 0;
        for (int i = 0; i < text.length(); i++) {
            char each = text.charAt(i);
            if (each == '\n' || each == '\r') {
                lines.add(text.substring(from, i));
                i += each == '\r' && i + 1 < text.length() && text.charAt(i + 1) == '\n' ? 1 : 0;
                from = i + 1;
            }
        }
        if (from < text.length()) {
            lines.add(text.substring(from));
        }
        return lines;
    }

    /** Splits a line at white space. */
    public static List<String> words(String line) {
        List<String> words = new ArrayList<>();
        int from = -1;
        for (int i = 0; i <= line.length(); i++) {
            boolean isBlank = i == line.length() || isBlank(line.charAt(i));
            if (isBlank && from >= 0) {
                words.add(line.substring(from, i));
                from = -1;
            } else if (!isBlank && from < 0) {
                from = i;
            }
        }
        return words;
    }

    private static boolean isBlank(char each) {
        return Character.isWhitespace(each) || Character.isSpaceChar(each) || each == '\u0085';
    }

    /** Parses an integer: optional sign, digits of any script, single underscores between digits. */
    public static Optional<BigInteger> integer(String word) {
        List<String> words = words(word);
        if (words.size() != 1) {
            return Optional.empty();
        }
        String text = words.get(0);
        int at = text.charAt(0) == '+' || text.charAt(0) == '-' ? 1 : 0;
        StringBuilder digits = new StringBuilder(text.charAt(0) == '-' ? "-" : "");
        boolean isDigit = false;
        while (at < text.length()) {
            int point = text.codePointAt(at);
            if (Character.isDigit(point)) {
                digits.append(Character.digit(point, 10));
                isDigit = true;
            } else if (point == '_' && isDigit) {
                isDigit = false;
            } else {
                return Optional.empty();
            }
            at += Character.charCount(point);
        }
        return isDigit ? Optional.of(new BigInteger(digits.toString())) : Optional.empty();
    }
}
