package dev.stagesim.config.interp;

import dev.stagesim.config.tree.ScalarNode;
import dev.stagesim.model.Problem;

/** Tells users about failed interpolations. */
final class Problems {
    private Problems() {}

    static Problem of(InterpolationException failure, Cell cell, String path) {
        Problem problem = Problem.of("config error", path, failure.getMessage());
        if (cell.raw() instanceof ScalarNode scalar) {
            problem = problem.note("value", scalar.text()).from(scalar.origin().describe());
        }
        problem = problem.didYouMean(failure.suggestions());
        return failure.kind() == InterpolationException.Kind.SYNTAX
                ? problem.hint("a backslash before the dollar sign keeps it as text: \\${")
                : problem;
    }
}
