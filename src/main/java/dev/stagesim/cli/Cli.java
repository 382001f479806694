package dev.stagesim.cli;

import static picocli.CommandLine.Model.UsageMessageSpec.SECTION_KEY_FOOTER;

import dev.stagesim.model.StageException;
import dev.stagesim.pipeline.StageRegistry;
import dev.stagesim.stage.Stage;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;

/** The command line as a function: arguments in, exit code out. */
final class Cli {
    private final Console console;
    private final Home home;
    private final StageRegistry registry;
    private final boolean listGroups;

    Cli(Console console, Home home) {
        this(console, home, true);
    }

    /** Without {@code listGroups}, help does not depend on the configs on disk. */
    Cli(Console console, Home home, boolean listGroups) {
        this.console = console;
        this.home = home;
        this.registry = StageRegistry.standard();
        this.listGroups = listGroups;
    }

    /** Runs one command and returns its exit code; never throws. */
    int run(String... args) {
        boolean debug = Arrays.asList(args).contains("--debug");
        ErrorReport errors = new ErrorReport(console, debug);
        try {
            if (args.length > 0 && args[0].equals("complete")) {
                return new CompleteCommand(console, home, registry)
                        .run(List.of(args).subList(1, args.length));
            }
            int code = commandLine(errors, named(args)).execute(args.length == 0 ? new String[] {"--help"} : args);
            return console.out().checkError() ? errors.lostOutput() : code;
        } catch (RuntimeException | Error failure) {
            return errors.print(failure);
        }
    }

    /** All commands; also read by the reference page generator and by completion. */
    CommandLine commandLine() {
        return commandLine(new ErrorReport(console, false), commands());
    }

    /** The one command that is asked for, because to set up all of them takes longer than many a run; else all. */
    private Map<String, Supplier<Object>> named(String[] args) {
        Map<String, Supplier<Object>> all = commands();
        return args.length > 0 && all.containsKey(args[0]) ? Map.of(args[0], all.get(args[0])) : all;
    }

    private Map<String, Supplier<Object>> commands() {
        Map<String, Supplier<Object>> commands = new LinkedHashMap<>();
        registry.stages().forEach(stage -> commands.put(stage.spec().name(), () -> stageCommand(stage)));
        commands.put("verify", () -> new VerifyCommand(console));
        commands.put("config", () -> ConfigCommands.group(console, home));
        commands.put("runs", () -> RunsCommands.group(console));
        commands.put("sweep", () -> SweepCommands.group(console, home, registry));
        commands.put("inspect", () -> InspectCommands.group(console));
        commands.put("engines", () -> EnginesCommands.group(console, home));
        commands.put("completion", () -> new CompletionCommand(console));
        return commands;
    }

    private CommandLine commandLine(ErrorReport errors, Map<String, Supplier<Object>> commands) {
        CommandLine line = new CommandLine(new RootCommand());
        commands.forEach((name, command) -> line.addSubcommand(name, command.get()));
        line.setExpandAtFiles(false);
        line.setTrimQuotes(false);
        line.setCaseInsensitiveEnumValuesAllowed(true);
        line.setUsageHelpAutoWidth(true);
        line.setExecutionExceptionHandler((failure, command, parsed) -> errors.print(failure));
        line.setParameterExceptionHandler((wrong, args) -> errors.print(explain(wrong)));
        line.setOut(new PrintWriter(console.out(), true, StandardCharsets.UTF_8));
        line.setErr(new PrintWriter(console.err(), true, StandardCharsets.UTF_8));
        return line;
    }

    private CommandLine stageCommand(Stage<?> stage) {
        StageCommand bean = new StageCommand(console, home, registry, stage);
        CommandLine command = new CommandLine(bean);
        stage.flags().forEach(flag -> command.getCommandSpec().addOption(bean.option(flag)));
        command.getCommandSpec().usageMessage().description(stage.spec().doc());
        command.getHelpSectionMap().put(SECTION_KEY_FOOTER, help -> help.footer() + groups(stage));
        return command;
    }

    /** The groups on disk that this stage has a section for, and their options; empty for the reference page. */
    private String groups(Stage<?> stage) {
        return listGroups ? new GroupHelp(home, stage).text() : "";
    }

    private static StageException explain(ParameterException wrong) {
        return StageException.input(UsageProblem.of(wrong)
                .hint(wrong.getCommandLine().getCommandSpec().qualifiedName() + " --help"));
    }
}
