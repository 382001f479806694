package dev.stagesim.cli.run;

import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.pipeline.request.Sections;
import dev.stagesim.sweep.SweepSettings;
import java.util.ArrayList;
import java.util.List;

/**
 * The arguments of sweep and launcher, separated from the stage's overrides.
 *
 * @param sweep overrides of {@link SweepSettings}; {@code shard=i/n} is an abbreviation for the launcher of that name
 * @param stage the other arguments
 */
record SweepArguments(List<String> sweep, List<String> stage) {
    private static final String SHARD = "shard";

    SweepArguments {
        sweep = List.copyOf(sweep);
        stage = List.copyOf(stage);
    }

    static SweepArguments split(List<String> words) {
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
        return new SweepArguments(sweep, stage);
    }

    /** Rejects arguments of a sweep for a single job. */
    static void refuse(List<String> words) {
        List<Problem> problems = split(words).sweep().stream()
                .map(word -> Problem.usage(word, "has no effect without --multirun"))
                .toList();
        StageException.refuse(problems);
    }
}
