package dev.stagesim.cli;

import static picocli.CommandLine.Model.UsageMessageSpec.SECTION_KEY_COMMAND_LIST;
import static picocli.CommandLine.Model.UsageMessageSpec.SECTION_KEY_COMMAND_LIST_HEADING;
import static picocli.CommandLine.Model.UsageMessageSpec.SECTION_KEY_DESCRIPTION;
import static picocli.CommandLine.Model.UsageMessageSpec.SECTION_KEY_FOOTER;
import static picocli.CommandLine.Model.UsageMessageSpec.SECTION_KEY_SYNOPSIS;
import static picocli.CommandLine.Model.UsageMessageSpec.SECTION_KEY_SYNOPSIS_HEADING;

import dev.stagesim.cli.console.Console;
import dev.stagesim.cli.console.ErrorReport;
import dev.stagesim.cli.console.ExitCode;
import dev.stagesim.cli.console.Home;
import dev.stagesim.cli.console.LazyFactory;
import dev.stagesim.cli.console.RootCommand;
import dev.stagesim.cli.console.Subcommand;
import dev.stagesim.cli.inspect.InspectCommands;
import dev.stagesim.cli.run.StageCommand;
import dev.stagesim.io.gzip.Resources;
import dev.stagesim.model.Feature;
import dev.stagesim.model.KeyNames;
import dev.stagesim.model.StageException;
import dev.stagesim.pipeline.StageRegistry;
import dev.stagesim.pipeline.WebApplication;
import dev.stagesim.stage.Stage;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
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
import picocli.CommandLine.Model.UsageMessageSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParseResult;

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
            stage COMMAND --help   its keys with examples; with --all all options
            stage studio           the runs in a browser: view, compare, start more
            stage doctor           check the environment: available and missing tools
            specs/cookbook.md      common questions, one command each
            specs/user-guide.md    each question with its command and output
            """;

    private static final List<String> ROOT_SECTIONS = List.of(
            SECTION_KEY_SYNOPSIS_HEADING,
            SECTION_KEY_SYNOPSIS,
            SECTION_KEY_DESCRIPTION,
            SECTION_KEY_COMMAND_LIST_HEADING,
            SECTION_KEY_COMMAND_LIST,
            SECTION_KEY_FOOTER);
    private static final List<String> LIST = List.of("-h", "--help", "help");

    private final Console console;
    private final Home home;
    private final StageRegistry registry;
    private final boolean listGroups;

    /** Whether stages print the short help. */
    private boolean isBrief;

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
        isBrief = !Arrays.asList(args).contains(StageCommand.ALL);
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
        CommandSpec spec = LazyFactory.spec(null);
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
        CommandLine line = LazyFactory.line(new RootCommand(console, home, registry).spec());
        line.getHelpSectionMap().put(SECTION_KEY_COMMAND_LIST, new CommandList());
        line.setHelpSectionKeys(ROOT_SECTIONS); // before the subcommands, which have other sections
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
        CommandLine command = LazyFactory.line(new StageCommand(stage).spec);
        command.getHelpSectionMap().put(SECTION_KEY_FOOTER, new Footer(this, stage));
        if (isBrief) {
            command.setHelpSectionKeys(List.of(SECTION_KEY_FOOTER));
        }
        return command;
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
            return errors.print(explain(wrong, List.of(args)));
        }
    }

    /** The short help of a stage, or the end of the long one. A class instead of a lambda for the same reason. */
    private record Footer(Cli cli, Stage<?> stage) implements IHelpSectionRenderer {
        @Override
        public String render(Help help) {
            StageHelp text = new StageHelp(cli.home, stage);
            return cli.isBrief ? text.brief(true) : help.footer() + (cli.listGroups ? text.groups() : "");
        }
    }

    /** The commands, one line each: the beginning of the description. A class for the same reason. */
    private record CommandList() implements IHelpSectionRenderer {
        private static final int WIDTH = 79;

        @Override
        public String render(Help help) {
            StringBuilder list = new StringBuilder();
            help.subcommands().forEach((name, command) -> {
                UsageMessageSpec usage = command.commandSpec().usageMessage();
                String[] text = usage.header().length > 0 ? usage.header() : usage.description();
                String line = String.format("  %-13s %s", name, text.length == 0 ? "" : text[0]);
                list.append(StageHelp.cut(line, WIDTH)).append('\n');
            });
            return list.toString();
        }
    }

    private static StageException explain(ParameterException wrong, List<String> args) {
        return StageException.input(new UsageProblem(wrong, args)
                .problem()
                .hint(wrong.getCommandLine().getCommandSpec().qualifiedName() + " --help"));
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
        public Integer call() {
            console().out().print(Resources.text(CompletionCommand.class, "completion." + shell));
            return ExitCode.DONE;
        }
    }
}
