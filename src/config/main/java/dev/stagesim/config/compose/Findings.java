package dev.stagesim.config.compose;

import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import java.util.ArrayList;
import java.util.List;

/** The problems of one composition. Collects all problems, or throws the first one. */
final class Findings {
    private final boolean all;
    private final List<Problem> problems = new ArrayList<>();

    Findings(boolean all) {
        this.all = all;
    }

    /** Adds the problems of a failure, or throws it if the first problem ends the composition. */
    void add(StageException wrong) {
        if (!all) {
            throw wrong;
        }
        problems.addAll(wrong.problems());
    }

    void addAll(List<Problem> more) {
        problems.addAll(more);
    }

    void attempt(Runnable step) {
        try {
            step.run();
        } catch (StageException wrong) {
            add(wrong);
        }
    }

    boolean isEmpty() {
        return problems.isEmpty();
    }

    /** Throws all problems if there are any. */
    void end() {
        StageException.refuse(problems);
    }
}
