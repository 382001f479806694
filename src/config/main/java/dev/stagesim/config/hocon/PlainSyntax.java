package dev.stagesim.config.hocon;

/**
 * Recognises a simple subset of HOCON, which contains nearly all files of the product: keys, maps and lists, quoted texts
 * without escapes, words and references, but no includes. The HOCON library accepts every such text, but it takes several
 * times as long, and its classes must be loaded.
 */
final class PlainSyntax {
    /** Maximum nested maps and lists, parts of a key, and characters of words; fewer than {@link HoconSyntax} permits. */
    private static final int MAX_LEVELS = 10;

    private static final int MAX_PARTS = 8;
    private static final int MAX_WORDS = 100;
    private static final char END = '\0';

    private final String text;
    private int at;

    private PlainSyntax(String text) {
        this.text = text;
    }

    /** Returns true if a text is certainly valid HOCON and not deeply nested. */
    static boolean accepts(String text) {
        PlainSyntax syntax = new PlainSyntax(text);
        return syntax.fields(END, 1);
    }

    /** Returns the character at the cursor, or a NUL character at the end. */
    private char peek() {
        return at < text.length() ? text.charAt(at) : END;
    }

    private boolean take(char wanted) {
        boolean isThere = peek() == wanted;
        at += isThere ? 1 : 0;
        return isThere;
    }

    private void skipBlanks() {
        while (peek() == ' ') {
            at++;
        }
    }

    /** Skips blanks and a comment up to the end of the line. */
    private void skipLine() {
        skipBlanks();
        if (peek() == '#') {
            int end = text.indexOf('\n', at);
            at = end < 0 ? text.length() : end;
        }
    }

    private void skipLines() {
        skipLine();
        while (take('\n')) {
            skipLine();
        }
    }

    /** Returns true if there are fields up to the given character, which is consumed. */
    private boolean fields(char end, int level) {
        skipLines();
        while (peek() != end) {
            if (!field(level) || !separator(end)) {
                return false;
            }
        }
        at++;
        return end != END || at > text.length();
    }

    /** Returns true if a field or an item ends here. The lines after it are consumed. */
    private boolean separator(char end) {
        skipLine();
        boolean isSeparated = take(',') || peek() == '\n' || peek() == end;
        skipLines();
        return isSeparated;
    }

    private boolean field(int level) {
        if (text.startsWith("include", at) || !(take('"') ? quoted() : path())) {
            return false;
        }
        skipBlanks();
        if (peek() == '{') {
            return value(level);
        }
        if (!take('=')) {
            return false;
        }
        skipBlanks();
        return value(level);
    }

    /** Returns true if there is a key with parts that begin with letters. */
    private boolean path() {
        for (int parts = 0; parts < MAX_PARTS; parts++) {
            if (!isLetter(peek())) {
                return false;
            }
            while (isLetter(peek()) || isDigit(peek())) {
                at++;
            }
            if (!take('.')) {
                return true;
            }
        }
        return false;
    }

    private boolean value(int level) {
        if (level == MAX_LEVELS) {
            return false;
        }
        if (take('{')) {
            return fields('}', level + 1);
        }
        if (take('[')) {
            return items(level + 1);
        }
        if (take('"')) {
            return quoted();
        }
        if (take('$')) {
            return take('{') && path() && take('}');
        }
        return words();
    }

    private boolean items(int level) {
        skipLines();
        while (peek() != ']') {
            if (!value(level) || !separator(']')) {
                return false;
            }
        }
        at++;
        return true;
    }

    /** Returns true if a text without escapes and control characters ends in this line, and no other quote follows. */
    private boolean quoted() {
        while (peek() >= ' ' && peek() != '"' && peek() != '\\') {
            at++;
        }
        return take('"') && peek() != '"';
    }

    /** Returns true if there are a few words or numbers. */
    private boolean words() {
        int from = at;
        while (isLetter(peek()) || isDigit(peek()) || peek() == '.' || peek() == '-' || peek() == ' ') {
            at++;
        }
        return at > from && at - from <= MAX_WORDS;
    }

    private static boolean isLetter(char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    }

    private static boolean isDigit(char c) {
        return c >= '0' && c <= '9';
    }
}
