package dev.stagesim.cli;

import java.util.Map;
import java.util.TreeMap;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;

/** The reference page of the command line, generated from the commands themselves. */
final class CliReference {
    private static final int WIDTH = 110;

    private CliReference() {}

    /** The page as Markdown: one section a command, the usage text of each. */
    static String markdown(CommandLine root) {
        StringBuilder page = new StringBuilder("# Command line\n\n")
                .append(
                        "Generated from the commands. `./stage COMMAND --help` prints the same, and for a stage the groups"
                                + " and options that the configs on disk offer.\n");
        section(page, root);
        Map<String, CommandLine> commands = new TreeMap<>(root.getSubcommands());
        commands.remove("help");
        commands.values().forEach(command -> {
            section(page, command);
            new TreeMap<>(command.getSubcommands()).values().forEach(sub -> section(page, sub));
        });
        return page.toString();
    }

    private static void section(StringBuilder page, CommandLine command) {
        command.setUsageHelpAutoWidth(false).setUsageHelpWidth(WIDTH);
        page.append("\n## ").append(command.getCommandSpec().qualifiedName()).append("\n\n```\n");
        command.getUsageMessage(Ansi.OFF).lines().map(String::stripTrailing).forEach(line -> page.append(line)
                .append('\n'));
        page.append("```\n");
    }
}
