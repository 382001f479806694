package dev.stagesim.architecture;

import java.util.ArrayList;
import java.util.List;

/** The comments and string literals of a Java source. */
final class SourceText {
    private final List<String> comments = new ArrayList<>();
    private final List<String> strings = new ArrayList<>();

    SourceText(String source) {
        int at = 0;
        while (at < source.length()) {
            at = source.startsWith("/*", at)
                    ? block(source, at)
                    : source.startsWith("//", at)
                            ? line(source, at)
                            : source.startsWith("\"\"\"", at)
                                    ? textBlock(source, at)
                                    : source.charAt(at) == '"' || source.charAt(at) == '\''
                                            ? literal(source, at)
                                            : at + 1;
        }
    }

    /** Returns the comments, each on one line without its markers. */
    List<String> comments() {
        return comments;
    }

    /** Returns the string literals and text blocks without their quotes. */
    List<String> strings() {
        return strings;
    }

    private int block(String source, int start) {
        int end = end(source, "*/", start + 2);
        comments.add(source.substring(start, end)
                .replaceAll("(\\s*\\n\\s*\\*?)+\\s*", " ")
                .replaceAll("^[/* ]+|[/* ]+$", ""));
        return end;
    }

    private int line(String source, int start) {
        int end = source.indexOf('\n', start);
        end = end < 0 ? source.length() : end;
        comments.add(source.substring(start + 2, end).trim());
        return end;
    }

    private int textBlock(String source, int start) {
        int end = end(source, "\"\"\"", start + 3);
        strings.add(source.substring(start + 3, Math.max(start + 3, end - 3)));
        return end;
    }

    private int literal(String source, int start) {
        char quote = source.charAt(start);
        int end = start + 1;
        while (end < source.length() && source.charAt(end) != quote && source.charAt(end) != '\n') {
            end += source.charAt(end) == '\\' ? 2 : 1;
        }
        if (quote == '"') {
            strings.add(source.substring(start + 1, Math.min(end, source.length())));
        }
        return end + 1;
    }

    private static int end(String source, String mark, int from) {
        int found = source.indexOf(mark, from);
        return found < 0 ? source.length() : found + mark.length();
    }
}
