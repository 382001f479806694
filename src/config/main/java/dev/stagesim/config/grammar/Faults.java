package dev.stagesim.config.grammar;

import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import java.util.List;
import java.util.Locale;

/** Builds errors about one override or expression. Each error shows the text and marks the wrong character. */
record Faults(String what, String text) {
    /** Category of a text that violates the grammar. */
    static final String SYNTAX = "override syntax error";

    /** Category of a text that follows the grammar but has no valid meaning. */
    static final String MEANING = "override error";

    private static final int CONTEXT = 60;

    static Faults ofOverride(String text, int position) {
        return new Faults("override #" + position + " '" + clip(printable(text)) + "'", text);
    }

    static Faults ofText(String text) {
        return new Faults("'" + clip(printable(text)) + "'", text);
    }

    StageException syntax(int offset, String message, String hint) {
        return StageException.input(problem(SYNTAX, offset, message).hint(hint));
    }

    StageException meaning(int offset, String message, String hint) {
        return StageException.input(hinted(problem(MEANING, offset, message), hint));
    }

    StageException meaning(int offset, String message, String hint, List<String> options, List<String> near) {
        return StageException.input(
                hinted(problem(MEANING, offset, message), hint).options(options).didYouMean(near));
    }

    private static Problem hinted(Problem problem, String hint) {
        return hint.isEmpty() ? problem : problem.hint(hint);
    }

    private Problem problem(String category, int offset, String message) {
        int from = Math.max(0, offset - CONTEXT);
        int to = Math.min(text.length(), offset + CONTEXT);
        String before = (from > 0 ? "…" : "") + printable(text.substring(from, offset));
        String after = printable(text.substring(offset, to)) + (to < text.length() ? "…" : "");
        return Problem.of(category, what + ", column " + (offset + 1), message)
                .note("input", before + after)
                .note("", " ".repeat(before.codePointCount(0, before.length())) + "^");
    }

    /** Formats the character at {@code offset} for a message: {@code '#'} or {@code U+000A}. */
    static String show(String text, int offset) {
        int c = text.codePointAt(offset);
        int type = Character.getType(c);
        return type == Character.CONTROL || type == Character.FORMAT || type == Character.SURROGATE
                ? String.format(Locale.ROOT, "U+%04X", c)
                : "'" + Character.toString(c) + "'";
    }

    /** Replaces control characters and surrogates, which would break a terminal line. */
    private static String printable(String s) {
        StringBuilder out = new StringBuilder();
        for (int i = 0, c; i < s.length(); i += Character.charCount(c)) {
            c = s.codePointAt(i);
            out.appendCodePoint(Character.isISOControl(c) || Character.getType(c) == Character.SURROGATE ? '·' : c);
        }
        return out.toString();
    }

    private static String clip(String s) {
        return s.length() <= 2 * CONTEXT ? s : s.substring(0, 2 * CONTEXT) + "…";
    }
}
