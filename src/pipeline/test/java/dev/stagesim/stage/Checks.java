package dev.stagesim.stage;

import dev.stagesim.config.bind.Conditions;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Checks settings like a plan: first their declarations, then the stage's rules. */
public final class Checks {
    private Checks() {}

    public static <S extends Record> void check(Stage<S> stage, S settings, Path home) throws IOException {
        List<Problem> problems = new ArrayList<>(Conditions.problems(settings));
        try {
            stage.check(settings, home);
        } catch (StageException refused) {
            problems.addAll(refused.problems());
        }
        StageException.refuse(problems);
    }
}
