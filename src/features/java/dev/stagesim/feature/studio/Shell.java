package dev.stagesim.feature.studio;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** Command lines as a person would type them. */
final class Shell {
    private Shell() {}

    static String command(String stage, List<String> words) {
        List<String> all = new ArrayList<>(List.of(stage));
        all.addAll(words);
        return stage(all);
    }

    static String stage(List<String> words) {
        return "./stage " + words.stream().map(Shell::quoted).collect(Collectors.joining(" "));
    }

    private static String quoted(String word) {
        return word.matches("[\\w./=:,@%+~-]+") ? word : "'" + word.replace("'", "'\\''") + "'";
    }
}
