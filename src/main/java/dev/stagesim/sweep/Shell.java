package dev.stagesim.sweep;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** Command lines as a person would type them. */
public final class Shell {
    private static final String PLAIN = "[A-Za-z0-9_@%+=:,./-]+";

    private Shell() {}

    /** The launcher with a stage and other words. */
    public static String command(String stage, List<String> words) {
        List<String> all = new ArrayList<>(List.of(stage));
        all.addAll(words);
        return stage(all);
    }

    /** The launcher with words. */
    public static String stage(List<String> words) {
        return "./stage " + line(words);
    }

    /** Words, each quoted where the shell would read it otherwise. */
    public static String line(List<String> words) {
        return words.stream().map(Shell::quoted).collect(Collectors.joining(" "));
    }

    static String quoted(String word) {
        return word.matches(PLAIN) ? word : "'" + word.replace("'", "'\\''") + "'";
    }
}
