package dev.stagesim.config.compose;

import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import java.util.ArrayList;
import java.util.List;

/** The problems of one composition: all together, or the first, which ends it. */
final class Findings {
    private final boolean all;
    private final List<Problem> problems = new ArrayList<>();

    Findings(boolean all) {
        this.all = all;
    }

    /** Notes a failure; throws it when the first ends all. */
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

    /** Throws all problems, if there are any. */
    void end() {
        if (!problems.isEmpty()) {
            throw StageException.input(problems);
        }
    }
}
