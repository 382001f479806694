package dev.stagesim.contract;

import java.util.ArrayList;
import java.util.List;

/**
 * One line of a declaration that is written as a table: {@code name | kind, unit, bounds | meaning}.
 *
 * <p>A name in brackets may be left out. A line without bars goes on with the meaning of the line before; a line that is
 * two blanks further in is a member of the one above.
 *
 * @param depth how far in it is
 * @param optional whether the name was in brackets
 * @param words kind, then what qualifies it
 */
record Declaration(int depth, String name, boolean optional, List<String> words, String doc) {
    private static final String BAR = " | ";

    /** The lines of a text; the first names the file and its version. */
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

    /** At most three; the meaning may have bars of its own. */
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

    /** What {@link String#split} does, which all tables need before anything runs, without what it makes on the way. */
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

    /** The kind, without the question mark that lets it be empty. */
    String kind() {
        return isNullable() ? words.get(0).substring(0, words.get(0).length() - 1) : words.get(0);
    }

    boolean isNullable() {
        return words.get(0).endsWith("?");
    }

    /** What follows the kind. */
    List<String> qualities() {
        return words.subList(1, words.size());
    }

    /** The version of the file that the first line names. */
    int version() {
        return Integer.parseInt(words.get(0));
    }
}
