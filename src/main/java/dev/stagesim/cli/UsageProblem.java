package dev.stagesim.cli;

import dev.stagesim.model.Problem;
import dev.stagesim.model.Suggest;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** Says in our own words what the option parser found wrong. */
final class UsageProblem {
    private static final String CATEGORY = "usage error";

    private UsageProblem() {}

    static Problem of(ParameterException wrong) {
        if (wrong instanceof UnmatchedArgumentException unmatched
                && !unmatched.getUnmatched().isEmpty()) {
            return unmatched(unmatched.getUnmatched().get(0), wrong.getCommandLine());
        }
        if (wrong.getArgSpec() != null && wrong.getValue() != null) {
            return value(wrong);
        }
        return Problem.of(CATEGORY, "", String.valueOf(wrong.getMessage()));
    }

    private static Problem unmatched(String typed, CommandLine command) {
        boolean option = typed.startsWith("-");
        List<String> names = (option
                        ? command.getCommandSpec().optionsMap().keySet()
                        : command.getSubcommands().keySet())
                .stream().sorted().toList();
        return Problem.of(CATEGORY, typed, option ? "unknown option" : "unknown command or argument")
                .options(names)
                .didYouMean(Suggest.near(typed.replaceFirst("=.*", ""), names));
    }

    private static Problem value(ParameterException wrong) {
        List<String> legal = new ArrayList<>();
        Iterable<String> candidates = wrong.getArgSpec().completionCandidates();
        if (candidates != null) {
            candidates.forEach(legal::add);
        }
        Class<?> type = wrong.getArgSpec().type();
        String expected = type == Integer.class || type == int.class ? "expected a whole number" : "no such value";
        String where = wrong.getArgSpec().paramLabel() + " " + wrong.getValue();
        return Problem.of(CATEGORY, where, expected).options(legal).didYouMean(Suggest.near(wrong.getValue(), legal));
    }
}
