package dev.stagesim.cli.console;

import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;

/** Checks combinations of options. An option that would have no effect is an error. */
public final class OptionRules {
    private OptionRules() {}

    /** Throws if {@code option} is given without {@code other}. */
    public static void needs(String option, boolean given, String other) {
        if (given) {
            throw StageException.input(Problem.usage(option, "has no effect without " + other));
        }
    }

    /** Throws if both options are given. */
    public static void excludes(String first, boolean firstGiven, String second, boolean secondGiven) {
        if (firstGiven && secondGiven) {
            throw StageException.input(Problem.usage(first, "cannot be combined with " + second));
        }
    }
}
