package dev.stagesim.cli;

import static picocli.CommandLine.Model.UsageMessageSpec.SECTION_KEY_FOOTER;

import dev.stagesim.cli.console.Console;
import dev.stagesim.cli.console.ErrorReport;
import dev.stagesim.cli.console.ExitCode;
import dev.stagesim.cli.console.Home;
import dev.stagesim.cli.console.RootCommand;
import dev.stagesim.cli.console.Subcommand;
import dev.stagesim.cli.inspect.InspectCommands;
import dev.stagesim.cli.run.StageCommand;
import dev.stagesim.config.ConfigEngine;
import dev.stagesim.config.bind.SettingsSchema;
import dev.stagesim.config.compose.source.SearchRoot;
import dev.stagesim.model.Feature;
import dev.stagesim.model.KeyNames;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.model.Suggest;
import dev.stagesim.pipeline.StageRegistry;
import dev.stagesim.pipeline.WebApplication;
import dev.stagesim.pipeline.request.ShortKeys;
import dev.stagesim.stage.Stage;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Supplier;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help;
import picocli.CommandLine.HelpCommand;
import picocli.CommandLine.IExecutionExceptionHandler;
import picocli.CommandLine.IHelpSectionRenderer;
import picocli.CommandLine.IParameterExceptionHandler;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.UnmatchedArgumentException;

/** The command line as a function from arguments to an exit code. */
final class Cli {
    /** The output of {@code stage} without arguments. A test runs each command line in it. */
    private static final String START =
            """
            Stagesim describes a GPU/LLM workload, measures it, simulates it, and compares.

            Questions and commands:
              Is the simulation right?        stage compare model=qwen3 hardware=a100
              What fits?                      stage fits model=llama3_8b hardware=h100
              How fast does it serve?         stage vidur_sim model=llama3_8b hardware=h100
              With which pools and router?    stage cluster_sim model=llama3_8b hardware=h100
              Which deployment is cheapest?   stage plan model=llama3_70b hardware=h100 load=20
              What does a service cost?       stage fabric workload=chat_service target=h100_8x
              How is it trained fastest?      stage train_plan model=llama3_70b

            Each ends with the directory of its run: tables in CSV and JSON, and report.html, which opens with the answer.

            stage --help           all commands
            stage COMMAND --help   its groups, options and flags
            stage studio           the runs in a browser: view, compare, start more
            stage doctor           check the environment: available and missing tools
            specs/cookbook.md      common questions, one command each
            specs/user-guide.md    each question with its command and output
            """;

    private static final List<String> LIST = List.of("-h", "--help");

    private final Console console;
    private final Home home;
    private final StageRegistry registry;
    private final boolean listGroups;

    Cli(Console console, Home home) {
        this(console, home, true);
    }

    /**
     * Creates a command line.
     *
     * @param listGroups false if help must not depend on the configs on disk
     */
    Cli(Console console, Home home, boolean listGroups) {
        this.console = console;
        this.home = home;
        this.registry = StageRegistry.standard();
        this.listGroups = listGroups;
    }

    /** Runs one command and returns its exit code. Never throws. */
    int run(String... args) {
        boolean debug = Arrays.asList(args).contains("--debug");
        ErrorReport errors = new ErrorReport(console, debug);
        try {
            if (args.length > 0 && args[0].equals("complete")) {
                return new CompleteCommand(console, home, registry, commands().keySet())
                        .run(List.of(args).subList(1, args.length));
            }
            int code = args.length == 0
                    ? start()
                    : commandLine(errors, named(args)).execute(args);
            return console.out().checkError() ? errors.lostOutput(console.isClosed()) : code;
        } catch (RuntimeException | Error failure) {
            return errors.print(failure);
        }
    }

    /** Prints the start page: questions, with one command for each. */
    private int start() {
        console.out().print(START);
        return ExitCode.DONE;
    }

    /** Returns all commands. The generator of the reference page and shell completion use them too. */
    CommandLine commandLine() {
        return commandLine(new ErrorReport(console, false), commands());
    }

    /**
     * Returns only the command in the arguments, because setting up all commands takes longer than many runs. Returns
     * all commands if none matches.
     */
    private Map<String, Supplier<Object>> named(String[] args) {
        Optional<Stage<?>> stage = registry.find(args[0]);
        if (stage.isPresent()) {
            return Map.of(args[0], () -> stageCommand(stage.get()));
        }
        Map<String, Supplier<Object>> all = commands();
        if (args.length == 1 && LIST.contains(args[0])) {
            // The list shows the descriptions of the commands without options.
            registry.stages()
                    .forEach(known ->
                            all.put(known.spec().name(), () -> known.spec().doc()));
            all.replaceAll((name, command) -> () -> listed(command.get()));
        }
        return all.containsKey(args[0]) ? Map.of(args[0], all.get(args[0])) : all;
    }

    private static CommandSpec listed(Object command) {
        CommandSpec spec = CommandSpec.create();
        Command annotation = command.getClass().getAnnotation(Command.class);
        if (command instanceof String doc) {
            spec.usageMessage().description(doc);
        } else if (command instanceof CommandGroup group) {
            spec.usageMessage().description(group.description());
        } else if (annotation != null) {
            spec.usageMessage().description(annotation.description());
        }
        return spec;
    }

    private Map<String, Supplier<Object>> commands() {
        Map<String, Supplier<Object>> commands = new LinkedHashMap<>();
        registry.stages().forEach(stage -> commands.put(stage.spec().name(), () -> stageCommand(stage)));
        commands.put("fits", FitsCommand::new);
        commands.put("support", SupportCommand::new);
        commands.put("verify", VerifyCommand::new);
        commands.put("table", TableCommand::new);
        commands.put("fidelity", FidelityCommand::new);
        commands.put("model", CommandGroup::model);
        commands.put("config", CommandGroup::config);
        commands.put("runs", CommandGroup::runs);
        commands.put("sweep", CommandGroup::sweep);
        commands.put("inspect", InspectCommands::new);
        commands.put("engines", CommandGroup::engines);
        commands.put("doctor", DoctorCommand::new);
        if (!Feature.all(WebApplication.class).isEmpty()) {
            commands.put("studio", StudioCommand::new);
        }
        commands.put("completion", CompletionCommand::new);
        return commands;
    }

    private CommandLine commandLine(ErrorReport errors, Map<String, Supplier<Object>> commands) {
        CommandLine line = new CommandLine(new RootCommand(console, home, registry).spec());
        if (commands.size() > 1) {
            line.addSubcommand(new HelpCommand());
        }
        commands.forEach((name, command) -> {
            Object userObject = command.get();
            line.addSubcommand(name, userObject instanceof CommandGroup group ? group.line() : userObject);
        });
        line.setExpandAtFiles(false);
        line.setTrimQuotes(false);
        line.setCaseInsensitiveEnumValuesAllowed(true);
        line.setUsageHelpAutoWidth(true);
        Troubles troubles = new Troubles(errors);
        line.setExecutionExceptionHandler(troubles);
        line.setParameterExceptionHandler(troubles);
        line.setOut(new PrintWriter(console.out(), true, StandardCharsets.UTF_8));
        line.setErr(new PrintWriter(console.err(), true, StandardCharsets.UTF_8));
        return line;
    }

    private CommandLine stageCommand(Stage<?> stage) {
        CommandLine command = new CommandLine(new StageCommand(stage).spec);
        command.getHelpSectionMap().put(SECTION_KEY_FOOTER, new Footer(this, stage));
        return command;
    }

    /**
     * Returns the groups on disk for which this stage has a section, and their options; empty for the reference page.
     */
    private String groups(Stage<?> stage) {
        return listGroups ? new GroupHelp(home, stage).text() : "";
    }

    /**
     * Prints failures. A class instead of a lambda, because lambdas for the parser's interfaces cannot be stored in
     * class-data archives.
     */
    private record Troubles(ErrorReport errors) implements IExecutionExceptionHandler, IParameterExceptionHandler {
        @Override
        public int handleExecutionException(Exception failure, CommandLine command, ParseResult parsed) {
            return errors.print(failure);
        }

        @Override
        public int handleParseException(ParameterException wrong, String[] args) {
            return errors.print(explain(wrong));
        }
    }

    /** The end of a stage's help. A class instead of a lambda for the same reason. */
    private record Footer(Cli cli, Stage<?> stage) implements IHelpSectionRenderer {
        @Override
        public String render(Help help) {
            return help.footer() + cli.groups(stage);
        }
    }

    private static StageException explain(ParameterException wrong) {
        return StageException.input(UsageProblem.of(wrong)
                .hint(wrong.getCommandLine().getCommandSpec().qualifiedName() + " --help"));
    }

    /** The part of a stage's help that depends on the configs on disk: its groups and their options. */
    static final class GroupHelp {
        private static final int WIDTH = 96;
        private static final int NAME = 12;
        private static final List<String> SWEEPING = List.of("launcher", "sweeper");

        private final ConfigEngine engine;
        private final SettingsSchema schema;
        private final Map<String, String> shortKeys;

        GroupHelp(Home home, Stage<?> stage) {
            this.engine = ConfigEngine.open(List.of(new SearchRoot("main", home.configs())));
            this.schema = SettingsSchema.of(stage.spec().settings());
            this.shortKeys = ShortKeys.of(stage);
        }

        /** Returns one paragraph per group. */
        String text() {
            StringBuilder out = new StringBuilder();
            if (!shortKeys.isEmpty()) {
                out.append("\nShort keys (key=value) and the keys that they set:\n");
                shortKeys.forEach((key, paths) -> out.append(String.format("  %-16s %s\n", key, paths)));
            }
            out.append("\nGroups and their options (group=option):\n");
            for (String group : engine.groups()) {
                List<String> options = engine.options(group);
                if (schema.isKnown(group.replaceFirst("/.*", "")) && !options.isEmpty()) {
                    out.append(line(group, options)).append('\n');
                }
            }
            out.append("Groups with --multirun:\n");
            for (String group : SWEEPING) {
                out.append(line(group, engine.options(group))).append('\n');
            }
            return out.append("\n"
                            + "Keys: specs/reference/config.md, or complete with the tab key (stage completion"
                            + " --help)\n")
                    .toString();
        }

        private static String line(String group, List<String> options) {
            StringBuilder text = new StringBuilder();
            StringBuilder line = new StringBuilder(String.format("  %-" + NAME + "s ", group));
            for (int i = 0; i < options.size(); i++) {
                String option = options.get(i) + (i + 1 < options.size() ? ", " : "");
                if (line.length() + option.stripTrailing().length() > WIDTH && i > 0) {
                    text.append(line.toString().stripTrailing()).append('\n');
                    line = new StringBuilder(" ".repeat(NAME + 3));
                }
                line.append(option);
            }
            return text.append(line).toString();
        }
    }

    /** Converts errors of the option parser to the product's messages. */
    static final class UsageProblem {
        private UsageProblem() {}

        static Problem of(ParameterException wrong) {
            if (wrong instanceof UnmatchedArgumentException unmatched
                    && !unmatched.getUnmatched().isEmpty()) {
                return unmatched(unmatched.getUnmatched().get(0), wrong.getCommandLine());
            }
            if (wrong.getArgSpec() != null && wrong.getValue() != null) {
                return value(wrong);
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
            return Problem.usage(where, expected).options(legal).didYouMean(Suggest.near(wrong.getValue(), legal));
        }
    }

    /** Prints a shell script that completes commands, flags, groups, options and keys. */
    @Command(
            name = "completion",
            description = "Print the completion script of a shell.",
            footer = {"", "Bash:  eval \"$(./stage completion bash)\"", "Fish:  ./stage completion fish | source"})
    static final class CompletionCommand extends Subcommand {
        /** The supported shells. */
        enum Shell {
            BASH,
            ZSH,
            FISH;

            @Override
            public String toString() {
                return KeyNames.constant(this);
            }
        }

        @Parameters(paramLabel = "SHELL", description = "One of ${COMPLETION-CANDIDATES}.")
        @SuppressWarnings("NullAway.Init") // set by picocli
        private Shell shell;

        @Override
        public Integer call() throws IOException {
            String name = "completion." + shell;
            try (InputStream script = Objects.requireNonNull(CompletionCommand.class.getResourceAsStream(name), name)) {
                console().out().print(new String(script.readAllBytes(), StandardCharsets.UTF_8));
            }
            return ExitCode.DONE;
        }
    }
}
