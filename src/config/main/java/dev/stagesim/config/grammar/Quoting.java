package dev.stagesim.config.grammar;

/** Reads and writes quoted strings. A backslash is an escape only in a run of backslashes before a quote. */
final class Quoting {
    private Quoting() {}

    /** Returns the string that a quoted token represents. */
    static Value.Quoted unquote(String token) {
        char quote = token.charAt(0);
        StringBuilder out = new StringBuilder(token.length());
        int last = token.length() - 1;
        int backslashes = 0;
        for (int i = 1; i <= last; i++) {
            char c = token.charAt(i);
            if (c == quote) {
                out.setLength(out.length() - backslashes + backslashes / 2);
                if (i < last) {
                    out.append(c);
                }
            } else {
                out.append(c);
            }
            backslashes = c == '\\' ? backslashes + 1 : 0;
        }
        return new Value.Quoted(out.toString(), quote);
    }

    /** Quotes {@code text} so that {@link #unquote} returns it unchanged. */
    static String quote(String text, char quote) {
        StringBuilder out = new StringBuilder(text.length() + 2).append(quote);
        int backslashes = 0;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == quote) {
                out.append("\\".repeat(backslashes + 1));
            }
            out.append(c);
            backslashes = c == '\\' ? backslashes + 1 : 0;
        }
        return out.append("\\".repeat(backslashes)).append(quote).toString();
    }
}
