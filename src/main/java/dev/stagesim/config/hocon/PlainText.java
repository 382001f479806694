package dev.stagesim.config.hocon;

/**
 * Knows text that is legal HOCON beyond doubt: keys of letters, words, numbers and plain quoted text, with lists and maps of
 * them. Most config files are nothing else, and need not wait for the HOCON library to be loaded.
 */
final class PlainText {
    /** Of lists, maps and parts of keys, each of which is a level. */
    private static final int DEEPEST = 50;

    private static final int LONGEST = 100;

    private final String text;
    private int at;

    private PlainText(String text) {
        this.text = text;
    }

    /** True when the text is plain, and so legal; when false, it may be legal or not. */
    static boolean isPlain(String text) {
        PlainText plain = new PlainText(text);
        return plain.fields(0) && plain.at == text.length();
    }

    /** True for a word or number by itself. */
    static boolean isWord(String text) {
        PlainText plain = new PlainText(text);
        return plain.word() && plain.at == text.length();
    }

    /** The character at the cursor, a line end at the end. */
    private char peek() {
        return at < text.length() ? text.charAt(at) : '\n';
    }

    private boolean next(char expected) {
        boolean is = at < text.length() && text.charAt(at) == expected;
        at += is ? 1 : 0;
        return is;
    }

    /** Reads up to a closing brace or the end. */
    private boolean fields(int depth) {
        filler();
        while (at < text.length() && peek() != '}') {
            int start = at;
            if (!key() || !assigned(depth + dots(start)) || !separated('}')) {
                return false;
            }
        }
        return true;
    }

    private boolean key() {
        if (peek() == '"') {
            return quoted();
        }
        if (text.startsWith("include", at)) {
            return false;
        }
        int start = at;
        do {
            if (!isLetter(peek())) {
                return false;
            }
            letters(false);
        } while (next('.'));
        return at - start < LONGEST;
    }

    /** Dots from a place to the cursor. */
    private int dots(int start) {
        int dots = 0;
        for (int i = start; i < at; i++) {
            dots += text.charAt(i) == '.' ? 1 : 0;
        }
        return dots;
    }

    private boolean assigned(int depth) {
        blanks();
        if (peek() != '{' && !next('=') && !next(':')) {
            return false;
        }
        blanks();
        return value(depth);
    }

    private boolean value(int depth) {
        if (depth >= DEEPEST) {
            return false;
        }
        if (next('{')) {
            return fields(depth + 1) && next('}');
        }
        if (next('[')) {
            return items(depth + 1) && next(']');
        }
        return peek() == '"' ? quoted() : word();
    }

    private boolean items(int depth) {
        filler();
        while (at < text.length() && peek() != ']') {
            if (!value(depth) || !separated(']')) {
                return false;
            }
        }
        return true;
    }

    private boolean quoted() {
        int start = ++at;
        while (at < text.length() && peek() != '"' && peek() != '\\' && !Character.isISOControl(peek())) {
            at++;
        }
        // two quotes may be the beginning of three
        return next('"') && (at > start + 1 || peek() != '"');
    }

    private boolean word() {
        int start = at;
        letters(true);
        return at > start && at - start < LONGEST;
    }

    /** Steps to the next value or the closing character: over line ends, one comma at most, or both. */
    private boolean separated(char close) {
        blanks();
        boolean apart = peek() == '\n' || peek() == '#' || peek() == close;
        filler();
        if (next(',')) {
            filler();
            return true;
        }
        return apart;
    }

    private void blanks() {
        while (peek() == ' ') {
            at++;
        }
    }

    private void filler() {
        blanks();
        while (at < text.length() && (peek() == '\n' || peek() == '#')) {
            int end = text.indexOf('\n', at);
            at = end < 0 ? text.length() : end + 1;
            blanks();
        }
    }

    /** Steps over letters, digits and hyphens, and over dots where they may stand. */
    private void letters(boolean dots) {
        char c = peek();
        while (isLetter(c) || (c >= '0' && c <= '9') || c == '-' || (dots && c == '.')) {
            at++;
            c = peek();
        }
    }

    private static boolean isLetter(char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    }
}
