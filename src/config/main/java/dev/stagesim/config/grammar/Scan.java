package dev.stagesim.config.grammar;

/** Matches lexical elements. Each method returns the end of the longest match at {@code from}, or -1. */
final class Scan {
    private static final String ESCAPABLE = "\\()[]{}:=, \t";

    private Scan() {}

    static boolean isDigit(char c) {
        return c >= '0' && c <= '9';
    }

    static boolean isLetter(char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    }

    static boolean isBlank(char c) {
        return c == ' ' || c == '\t';
    }

    /** Like {@link String#charAt}, but returns NUL beyond the end. */
    static char at(String s, int index) {
        return index < s.length() ? s.charAt(index) : '\0';
    }

    static int blanks(String s, int from) {
        int i = from;
        while (isBlank(at(s, i))) {
            i++;
        }
        return i;
    }

    /** Matches a letter or underscore, then letters, digits, underscores and hyphens. */
    static int id(String s, int from) {
        return name(s, from, false);
    }

    /** Like {@link #id}, but dollar signs are also allowed. */
    static int keyId(String s, int from) {
        return name(s, from, true);
    }

    private static int name(String s, int from, boolean dollars) {
        char first = at(s, from);
        if (!isLetter(first) && first != '_' && !(dollars && first == '$')) {
            return -1;
        }
        int i = from + 1;
        for (char c = at(s, i); isLetter(c) || isDigit(c) || c == '_' || c == '-' || (dollars && c == '$'); ) {
            c = at(s, ++i);
        }
        return i;
    }

    /** Matches the key in {@code [key]}. */
    static int bracketName(String s, int from) {
        int i = from;
        for (char c = at(s, i); isLetter(c) || isDigit(c) || c == '_' || c == '-' || c == '$'; ) {
            c = at(s, ++i);
        }
        return i > from ? i : -1;
    }

    /** Matches letters, digits, {@code _-$}, and a backslash before a dot, a bracket or {@code =}. */
    static int escapedName(String s, int from) {
        int i = from;
        while (true) {
            int name = bracketName(s, i);
            boolean isEscape =
                    name < 0 && at(s, i) == '\\' && i + 1 < s.length() && ".[]=".indexOf(s.charAt(i + 1)) >= 0;
            if (name < 0 && !isEscape) {
                return i > from ? i : -1;
            }
            i = name < 0 ? i + 2 : name;
        }
    }

    /** Matches digits without a leading zero. Single underscores between digits are allowed. */
    static int unsigned(String s, int from) {
        if (at(s, from) == '0') {
            return from + 1;
        }
        return digits(s, from);
    }

    /** Matches digits with single underscores between them. */
    static int digits(String s, int from) {
        if (!isDigit(at(s, from))) {
            return -1;
        }
        int i = from + 1;
        while (isDigit(at(s, i)) || (at(s, i) == '_' && isDigit(at(s, i + 1)))) {
            i++;
        }
        return i;
    }

    static int integer(String s, int from) {
        return unsigned(s, signed(s, from));
    }

    private static int signed(String s, int from) {
        char c = at(s, from);
        return c == '+' || c == '-' ? from + 1 : from;
    }

    /** Matches a number with a point or an exponent, or {@code inf} or {@code nan} in any case. */
    static int real(String s, int from) {
        int start = signed(s, from);
        int special = Math.max(keyword(s, start, "inf"), keyword(s, start, "nan"));
        if (special >= 0) {
            return special;
        }
        int whole = unsigned(s, start);
        int mantissa = whole;
        boolean point = false;
        int dot = whole < 0 ? start : whole;
        if (at(s, dot) == '.') {
            int fraction = digits(s, dot + 1);
            if (fraction >= 0 || whole >= 0) {
                mantissa = fraction >= 0 ? fraction : dot + 1;
                point = true;
            }
        }
        if (mantissa < 0) {
            return -1;
        }
        int exponent = exponent(s, mantissa);
        return exponent >= 0 ? exponent : point ? mantissa : -1;
    }

    private static int exponent(String s, int from) {
        char e = at(s, from);
        return e == 'e' || e == 'E' ? digits(s, signed(s, from + 1)) : -1;
    }

    static int keyword(String s, int from, String word) {
        return s.regionMatches(true, from, word, 0, word.length()) && isAscii(s, from, word.length())
                ? from + word.length()
                : -1;
    }

    /** Case-insensitive comparison equates a few non-ASCII letters with ASCII letters. Keywords must not match them. */
    private static boolean isAscii(String s, int from, int length) {
        for (int i = from; i < from + length; i++) {
            if (s.charAt(i) > 0x7f) {
                return false;
            }
        }
        return true;
    }

    /** Matches one or more backslashes, each followed by an escapable character. */
    static int escapes(String s, int from) {
        int i = from;
        while (at(s, i) == '\\' && i + 1 < s.length() && ESCAPABLE.indexOf(s.charAt(i + 1)) >= 0) {
            i += 2;
        }
        return i > from ? i : -1;
    }

    /** Matches a quoted string. It ends at the first quote after an even number of backslashes. */
    static int quoted(String s, int from) {
        char quote = at(s, from);
        if (quote != '\'' && quote != '"') {
            return -1;
        }
        int backslashes = 0;
        for (int i = from + 1; i < s.length(); i++) {
            char c = s.charAt(i);
            if (c == quote && backslashes % 2 == 0) {
                return i + 1;
            }
            backslashes = c == '\\' ? backslashes + 1 : 0;
        }
        return -1;
    }

    /** Matches Hydra's interpolation: at least one character, up to the first closing brace. */
    static int shortInterpolation(String s, int from) {
        if (!s.startsWith("${", from)) {
            return -1;
        }
        int close = s.indexOf('}', from + 2);
        return close > from + 2 ? close + 1 : -1;
    }

    /** Matches an interpolation of the stage dialect. Braces must balance, except in quotes. */
    static int balancedInterpolation(String s, int from) {
        if (!s.startsWith("${", from)) {
            return -1;
        }
        int depth = 0;
        int i = from + 1;
        while (i < s.length()) {
            char c = s.charAt(i);
            if (c == '\'' || c == '"') {
                int end = quoted(s, i);
                i = end < 0 ? i + 1 : end;
                continue;
            }
            depth += c == '{' ? 1 : c == '}' ? -1 : 0;
            i++;
            if (depth == 0) {
                return i > from + 3 ? i : -1;
            }
        }
        return shortInterpolation(s, from);
    }
}
