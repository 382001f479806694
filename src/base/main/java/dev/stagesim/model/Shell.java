package dev.stagesim.model;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** Text for shells: command lines that a POSIX shell splits into exactly the given words, and comments. */
public final class Shell {
    private static final String PLAIN = "[A-Za-z0-9_@%+=:,./-]+";

    private Shell() {}

    /** Returns the command line of the launcher for a stage. */
    public static String command(String stage, List<String> words) {
        List<String> all = new ArrayList<>(List.of(stage));
        all.addAll(words);
        return stage(all);
    }

    /** Returns the command line of the launcher. */
    public static String stage(List<String> words) {
        return "./stage " + line(words);
    }

    /** Returns words separated by blanks, each quoted if a shell would change it. */
    public static String line(List<String> words) {
        return words.stream().map(Shell::quoted).collect(Collectors.joining(" "));
    }

    /** Returns one word, in single quotes if a shell would change it. */
    public static String quoted(String word) {
        return word.matches(PLAIN) ? word : "'" + word.replace("'", "'\\''") + "'";
    }

    /** Returns one word that a program cannot mistake for an option. */
    public static String operand(String word) {
        return quoted(word.startsWith("-") ? "./" + word : word);
    }

    /** Returns text that stays on the line of a comment or of a directive: control characters become blanks. */
    public static String comment(String text) {
        return text.replaceAll("[\\p{Cntrl}\\u0085\\u2028\\u2029]+", " ").strip();
    }
}
