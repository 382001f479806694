package dev.stagesim.cli;

import picocli.CommandLine.Option;

/** The options every command has. */
final class CommonOptions {
    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Show this help.")
    boolean help;

    @Option(names = "--debug", description = "Print stack traces of failures.")
    boolean debug;
}
