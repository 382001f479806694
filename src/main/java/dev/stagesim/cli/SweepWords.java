package dev.stagesim.cli;

import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.pipeline.Sections;
import dev.stagesim.settings.SweepSettings;
import java.util.ArrayList;
import java.util.List;

/**
 * The words of a command line that say how a sweep is made and where it runs, apart from the stage's own overrides.
 *
 * @param sweep overrides of {@link SweepSettings}; {@code shard=i/n} is short for the launcher of that name
 * @param stage the other words
 */
record SweepWords(List<String> sweep, List<String> stage) {
    private static final String SHARD = "shard";

    SweepWords {
        sweep = List.copyOf(sweep);
        stage = List.copyOf(stage);
    }

    static SweepWords split(List<String> words) {
        List<String> sections = Sections.names(SweepSettings.class);
        List<String> sweep = new ArrayList<>();
        List<String> stage = new ArrayList<>();
        for (String word : words) {
            String section = Sections.of(word);
            if (section.equals(SHARD) && word.contains("=")) {
                sweep.add("launcher=" + SHARD);
                sweep.add("launcher.shard="
                        + word.substring(word.indexOf('=') + 1).strip());
            } else {
                (sections.contains(section) ? sweep : stage).add(word);
            }
        }
        return new SweepWords(sweep, stage);
    }

    /** Refuses words of a sweep where a single job is run. */
    static void refuse(List<String> words) {
        List<Problem> problems = split(words).sweep().stream()
                .map(word -> Problem.usage(word, "has no effect without --multirun"))
                .toList();
        StageException.refuse(problems);
    }
}
