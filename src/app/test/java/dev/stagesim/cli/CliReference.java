package dev.stagesim.cli;

import dev.stagesim.cli.console.Home;
import dev.stagesim.pipeline.StageRegistry;
import dev.stagesim.reference.ReferencePage;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;

/** Generates the reference page of the command line from the commands. */
final class CliReference {
    private static final int WIDTH = 110;
    private static final int LONG_OPTIONS = 1000;

    private final StringBuilder page = new StringBuilder("# Command line\n\n")
            .append(
                    "Generated from the commands. `./stage COMMAND --help` prints the same. For a stage it prints the keys that"
                            + " most runs set; `--help --all` prints all options, and the groups of the configs on disk.\n");

    /** The first command with each list of options. */
    private final Map<String, String> firstCommands = new HashMap<>();

    private CliReference() {}

    /** Returns the page as Markdown: one section per command. A long list of options is printed once. */
    static String markdown(CommandLine root) {
        CliReference reference = new CliReference();
        reference.section(root);
        Map<String, CommandLine> commands = new TreeMap<>(root.getSubcommands());
        commands.remove("help");
        commands.values().forEach(command -> {
            reference.section(command);
            new TreeMap<>(command.getSubcommands()).values().forEach(reference::section);
        });
        return reference.page.toString();
    }

    private void section(CommandLine command) {
        command.setUsageHelpAutoWidth(false).setUsageHelpWidth(WIDTH);
        String name = command.getCommandSpec().qualifiedName();
        String options = command.getHelp().optionList();
        String first = options.length() < LONG_OPTIONS ? name : firstCommands.computeIfAbsent(options, any -> name);
        page.append("\n## ").append(name).append("\n\n");
        StageRegistry.standard()
                .find(command.getCommandName())
                .ifPresent(stage -> block(new StageHelp(new Home(ReferencePage.HOME), stage).brief(false)));
        if (first.equals(name)) {
            block(command.getUsageMessage(Ansi.OFF));
        } else {
            page.append("All options are those of [%s](#%s).\n".formatted(first, first.replace(' ', '-')));
        }
    }

    private void block(String text) {
        page.append("```\n");
        text.lines().map(String::stripTrailing).forEach(line -> page.append(line)
                .append('\n'));
        page.append("```\n");
    }
}
