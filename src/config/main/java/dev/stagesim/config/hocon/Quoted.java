package dev.stagesim.config.hocon;

/** Parses quoted strings. */
final class Quoted {
    private static final String TRIPLE = "\"\"\"";

    private Quoted() {}

    /** Parses the string at the cursor, in one or three quotes, and returns its text. */
    static String read(TextCursor text) {
        return text.looksAt(TRIPLE) ? triple(text) : single(text);
    }

    /** Skips the string at the cursor. Its escapes may be invalid and its end may be missing. */
    static void skip(TextCursor text) {
        if (text.looksAt(TRIPLE)) {
            text.skip(3);
            while (!text.atEnd() && !text.looksAt(TRIPLE)) {
                text.next();
            }
            text.skip(3);
            return;
        }
        text.next();
        while (!text.atEnd() && text.peek() != '"' && text.peek() != '\n') {
            text.skip(text.peek() == '\\' ? 2 : 1);
        }
        text.skip(1);
    }

    private static String triple(TextCursor text) {
        text.skip(3);
        int start = text.position();
        while (!text.atEnd() && !text.looksAt(TRIPLE)) {
            text.next();
        }
        text.skip(3);
        // further quotes belong to the text: the string ends at the last three quotes of a run
        while (text.peek() == '"') {
            text.next();
        }
        String all = text.since(start);
        return all.substring(0, all.length() - 3);
    }

    private static String single(TextCursor text) {
        text.next();
        StringBuilder out = new StringBuilder();
        while (!text.atEnd() && text.peek() != '"') {
            char c = text.next();
            out.append(c == '\\' ? escaped(text) : c);
        }
        text.next();
        return out.toString();
    }

    private static char escaped(TextCursor text) {
        char c = text.next();
        return switch (c) {
            case 'b' -> '\b';
            case 'f' -> '\f';
            case 'n' -> '\n';
            case 'r' -> '\r';
            case 't' -> '\t';
            case 'u' -> {
                int start = text.position();
                text.skip(4);
                yield (char) Integer.parseInt(text.since(start), 16);
            }
            default -> c;
        };
    }
}
