package dev.stagesim.contract;

import java.util.ArrayList;
import java.util.List;

/**
 * One line of a schema that is written as a table: {@code name | kind, unit, bounds | meaning}.
 *
 * <p>A name in brackets is optional. A line without bars continues the meaning of the previous line. Two more blanks of
 * indentation make a line a member of the line above.
 *
 * @param depth indentation level
 * @param optional true if the name was in brackets
 * @param words the kind of the value, followed by unit and bounds
 */
record Declaration(int depth, String name, boolean optional, List<String> words, String doc) {
    private static final String BAR = " | ";

    /** Parses a text. The first line names the file and its version. */
    static List<Declaration> read(String text) {
        List<String> whole = new ArrayList<>();
        for (String line : split(text, "\n")) {
            int last = whole.size() - 1;
            if (line.contains(BAR)) {
                whole.add(line);
            } else {
                whole.set(last, whole.get(last) + " " + line.strip());
            }
        }
        List<Declaration> all = new ArrayList<>(whole.size());
        for (String line : whole) {
            all.add(of(line));
        }
        return all;
    }

    private static Declaration of(String line) {
        String[] parts = parts(line.strip());
        int depth = (line.length() - line.stripLeading().length()) / 2;
        if (parts.length == 2) {
            List<String> head = words(parts[0]);
            return new Declaration(depth, head.get(0), false, head.subList(1, 2), parts[1]);
        }
        boolean optional = parts[0].startsWith("[");
        String name = optional ? parts[0].substring(1, parts[0].length() - 1) : parts[0];
        return new Declaration(depth, name, optional, words(parts[1]), parts[2]);
    }

    private static List<String> words(String text) {
        return split(text, " ");
    }

    /** Splits a line into at most three parts; the meaning can contain bars. */
    private static String[] parts(String line) {
        int first = line.indexOf(BAR);
        int second = line.indexOf(BAR, first + BAR.length());
        String head = line.substring(0, first);
        return second < 0
                ? new String[] {head, line.substring(first + BAR.length())}
                : new String[] {
                    head, line.substring(first + BAR.length(), second), line.substring(second + BAR.length())
                };
    }

    /**
     * Splits like {@link String#split} but without regular expressions, which would slow down the declaration of all
     * tables at startup.
     */
    private static List<String> split(String text, String by) {
        List<String> pieces = new ArrayList<>();
        int from = 0;
        for (int to = text.indexOf(by); to >= 0; to = text.indexOf(by, from)) {
            pieces.add(text.substring(from, to));
            from = to + 1;
        }
        if (from < text.length()) {
            pieces.add(text.substring(from));
        }
        return pieces;
    }

    /** Returns the kind without the question mark of an optional value. */
    String kind() {
        return isNullable() ? words.get(0).substring(0, words.get(0).length() - 1) : words.get(0);
    }

    boolean isNullable() {
        return words.get(0).endsWith("?");
    }

    /** Returns the qualifiers after the kind. */
    List<String> qualifiers() {
        return words.subList(1, words.size());
    }

    /** Returns the version in the first line. */
    int version() {
        return Integer.parseInt(words.get(0));
    }
}
