package dev.stagesim.config.compose;

import dev.stagesim.config.grammar.ConfigOverride;
import dev.stagesim.config.grammar.Sweep;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import java.util.ArrayList;
import java.util.List;

/** Says where sweeps are out of place. */
final class Sweeps {
    private Sweeps() {}

    /**
     * Checks the overrides.
     *
     * @param multirun true when sweeps over the program's keys are welcome
     */
    static void check(List<ConfigOverride> overrides, boolean multirun) {
        List<Problem> problems = new ArrayList<>();
        for (ConfigOverride override : overrides) {
            if (override.isSweep() && multirun && override.isEngineSetting()) {
                problems.add(Errors.problem(
                        override.key(),
                        "sweeping over the engine's settings is not supported: '" + override.input() + "'"));
            } else if (override.isSweep() && !multirun) {
                problems.add(problem(override));
            }
        }
        if (!problems.isEmpty()) {
            throw StageException.input(problems);
        }
    }

    private static Problem problem(ConfigOverride override) {
        if (override.value()
                .filter(value -> value instanceof Sweep.Choice sweep && sweep.simple())
                .isPresent()) {
            return Errors.problem(override.key(), "ambiguous value for argument '" + override.input() + "'")
                    .hint("to use it as a list, write " + override.key() + "=[value1,value2]")
                    .hint("to use it as a string, quote the value: " + override.key() + "=\\'value1,value2\\'")
                    .hint("to sweep over it, add --multirun");
        }
        return Errors.problem(override.key(), "sweep parameters '" + override.input() + "' requires --multirun");
    }
}
