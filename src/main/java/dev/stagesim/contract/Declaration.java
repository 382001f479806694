package dev.stagesim.contract;

import java.util.ArrayList;
import java.util.Arrays;
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
    private static final String BAR = " \\| ";

    /** The lines of a text; the first names the file and its version. */
    static List<Declaration> read(String text) {
        List<String> whole = new ArrayList<>();
        text.lines().forEach(line -> {
            int last = whole.size() - 1;
            if (line.contains(" | ")) {
                whole.add(line);
            } else {
                whole.set(last, whole.get(last) + " " + line.strip());
            }
        });
        return whole.stream().map(Declaration::of).toList();
    }

    private static Declaration of(String line) {
        String[] parts = line.strip().split(BAR, 3);
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
        return Arrays.asList(text.split(" "));
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
