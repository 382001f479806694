package dev.stagesim.cli;

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
            .append("Generated from the commands. `./stage COMMAND --help` prints the same, and for a stage the groups"
                    + " and options that the configs on disk offer.\n");

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
        if (first.equals(name)) {
            page.append("```\n");
            command.getUsageMessage(Ansi.OFF).lines().map(String::stripTrailing).forEach(line -> page.append(line)
                    .append('\n'));
            page.append("```\n");
        } else {
            page.append(String.join(" ", command.getCommandSpec().usageMessage().description()))
                    .append(" Arguments and options are those of [%s](#%s).\n"
                            .formatted(first, first.replace(' ', '-')));
        }
    }
}
