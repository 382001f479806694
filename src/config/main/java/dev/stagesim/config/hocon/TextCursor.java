package dev.stagesim.config.hocon;

import dev.stagesim.config.tree.Origin;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import java.util.Optional;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A position in a file's text. Tracks the line, and skips blanks and comments. */
final class TextCursor {
    private static final char END = '\0';

    private final String text;
    private final String source;
    private int at;
    private int line = 1;
    private boolean overran;

    TextCursor(String text, String source) {
        this.text = text.startsWith("\uFEFF") ? text.substring(1) : text;
        this.source = source;
    }

    /** True for a JSON file, in which no key may be given twice. */
    boolean isJson() {
        return source.endsWith(".json");
    }

    boolean atEnd() {
        return at >= text.length();
    }

    /** Returns the character at the cursor, or NUL at the end. */
    char peek() {
        return atEnd() ? END : text.charAt(at);
    }

    boolean looksAt(String expected) {
        return text.startsWith(expected, at);
    }

    /** Returns a match of {@code pattern} that starts at the cursor, if any. The cursor does not move. */
    Optional<MatchResult> match(Pattern pattern) {
        Matcher matcher = pattern.matcher(text).region(at, text.length());
        return matcher.lookingAt() ? Optional.of(matcher.toMatchResult()) : Optional.empty();
    }

    /** Consumes a character. At the end the cursor does not move, and {@link #overran} becomes true. */
    char next() {
        char c = peek();
        if (c == '\n') {
            line++;
        }
        overran |= atEnd();
        at = Math.min(at + 1, text.length());
        return c;
    }

    /** True if text was read beyond the end, so a bracket or quote was not closed. */
    boolean overran() {
        return overran;
    }

    void skip(int count) {
        for (int i = 0; i < count; i++) {
            next();
        }
    }

    int position() {
        return at;
    }

    /** Returns the text from a position to the cursor. */
    String since(int start) {
        return text.substring(start, at);
    }

    Origin origin() {
        return Origin.file(source, line);
    }

    /** True for a blank other than a line end. In HOCON the byte order mark and no-break spaces are blanks. */
    static boolean isBlank(char c) {
        return c != '\n' && (Character.isWhitespace(c) || Character.isSpaceChar(c) || c == '\uFEFF');
    }

    boolean atComment() {
        return peek() == '#' || looksAt("//");
    }

    void skipBlanks() {
        while (!atEnd() && isBlank(peek())) {
            next();
        }
    }

    /** Consumes the comment at the cursor, up to its line end, and returns its text without the marker. */
    String comment() {
        skip(peek() == '#' ? 1 : 2);
        int start = at;
        while (!atEnd() && peek() != '\n') {
            next();
        }
        return since(start).strip();
    }

    /** Skips blanks, line ends and comments. */
    void skipFiller() {
        while (!atEnd()) {
            if (atComment()) {
                comment();
            } else if (peek() == '\n' || isBlank(peek())) {
                next();
            } else {
                return;
            }
        }
    }

    StageException error(String what) {
        return StageException.input(Problem.config(origin().describe(), what));
    }
}
