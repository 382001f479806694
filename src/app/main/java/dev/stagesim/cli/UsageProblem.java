package dev.stagesim.cli;

import dev.stagesim.cli.run.StageCommand;
import dev.stagesim.config.bind.SettingsSchema;
import dev.stagesim.model.ForeignNames;
import dev.stagesim.model.Problem;
import dev.stagesim.model.Suggest;
import dev.stagesim.pipeline.StageRegistry;
import dev.stagesim.pipeline.request.ShortKeys;
import dev.stagesim.stage.Stage;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** Converts errors of the option parser to the product's messages. */
record UsageProblem(ParameterException wrong, List<String> args) {
    private static final Pattern OPTION = Pattern.compile("--?([A-Za-z][\\w.-]*)(?:=(.*))?", Pattern.DOTALL);
    private static final Pattern VALUE = Pattern.compile("[^-=][^=]*", Pattern.DOTALL);

    Problem problem() {
        if (wrong instanceof UnmatchedArgumentException unmatched
                && !unmatched.getUnmatched().isEmpty()) {
            String typed = unmatched.getUnmatched().get(0);
            return asOverride(typed).orElseGet(() -> unmatched(typed, wrong.getCommandLine()));
        }
        if (wrong.getArgSpec() != null && wrong.getValue() != null) {
            return value();
        }
        return Problem.usage("", String.valueOf(wrong.getMessage()));
    }

    private static Problem unmatched(String typed, CommandLine command) {
        boolean option = typed.startsWith("-");
        List<String> names = (option
                        ? command.getCommandSpec().optionsMap().keySet()
                        : command.getSubcommands().keySet())
                .stream().sorted().toList();
        return Problem.usage(typed, option ? "unknown option" : "unknown command or argument")
                .options(names)
                .didYouMean(similar(typed.replaceFirst("=.*", ""), names, command));
    }

    /** Returns similar names, or otherwise similar commands of groups, such as {@code runs list}. */
    private static List<String> similar(String typed, List<String> names, CommandLine command) {
        List<String> near = Suggest.near(typed, names);
        return !near.isEmpty()
                ? near
                : Suggest.near(
                        typed.equals("ls") ? "list" : typed,
                        command.getSubcommands().entrySet().stream()
                                .flatMap(group -> group.getValue().getSubcommands().keySet().stream()
                                        .map(name -> group.getKey() + " " + name))
                                .toList());
    }

    /** Returns the error for a setting that is written as an option, with the names of other tools; empty for others. */
    private Optional<Problem> asOverride(String typed) {
        Matcher parts = OPTION.matcher(typed);
        Optional<Stage<?>> stage = stage(wrong.getCommandLine().getCommand());
        if (stage.isEmpty() || !parts.matches()) {
            return Optional.empty();
        }
        SettingsSchema schema = SettingsSchema.of(stage.get().spec().settings());
        Set<String> shortKeys = ShortKeys.of(stage.get()).keySet();
        String key = parts.group(1).replace('-', '_');
        return Stream.concat(Stream.of(key), ForeignNames.meant(key).stream())
                .filter(name -> shortKeys.contains(name) || schema.isKnown(name))
                .findFirst()
                .map(name -> Problem.usage(typed, "unknown option; settings have no dashes")
                        .hint("write " + name + "="
                                + Optional.ofNullable(parts.group(2))
                                        .or(() -> next(typed))
                                        .orElse("<value>")));
    }

    /** Returns the stage that has the settings of a command. */
    private static Optional<Stage<?>> stage(Object command) {
        if (command instanceof StageCommand known) {
            return Optional.of(known.stage());
        }
        return command instanceof FitsCommand || command instanceof SupportCommand
                ? StageRegistry.standard().find(DeploymentArguments.STAGE)
                : Optional.empty();
    }

    /** Returns the argument after an option if it can be a value. */
    private Optional<String> next(String typed) {
        int after = args.indexOf(typed) + 1;
        return after == 0 || after == args.size()
                ? Optional.empty()
                : Optional.of(args.get(after)).filter(VALUE.asMatchPredicate());
    }

    private Problem value() {
        List<String> legal = new ArrayList<>();
        Iterable<String> candidates = wrong.getArgSpec().completionCandidates();
        if (candidates != null) {
            candidates.forEach(legal::add);
        }
        Class<?> type = wrong.getArgSpec().type();
        String expected = type == Integer.class || type == int.class ? "expected a whole number" : "no such value";
        String where = wrong.getArgSpec().paramLabel() + " " + wrong.getValue();
        return Problem.usage(where, expected).options(legal).didYouMean(Suggest.near(wrong.getValue(), legal));
    }
}
