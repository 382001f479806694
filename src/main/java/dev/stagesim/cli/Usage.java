package dev.stagesim.cli;

import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;

/** Checks of option combinations: an option that would have no effect is an error. */
final class Usage {
    private Usage() {}

    /** Fails when {@code option} is given without {@code other}. */
    static void needs(String option, boolean given, String other) {
        if (given) {
            throw StageException.input(Problem.usage(option, "has no effect without " + other));
        }
    }

    /** Fails when both options are given. */
    static void apart(String one, boolean oneGiven, String two, boolean twoGiven) {
        if (oneGiven && twoGiven) {
            throw StageException.input(Problem.usage(one, "cannot be combined with " + two));
        }
    }
}
