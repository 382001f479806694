package dev.stagesim.cli;

import dev.stagesim.cli.console.Console;
import dev.stagesim.cli.console.Home;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;

/** Runs a command inside the test's process; for commands that write no runs. */
public final class CliTester {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();
    private final int exit;

    private CliTester(String... args) {
        Console console = new Console(stream(out), stream(err), false, false);
        this.exit = new Cli(console, home()).run(args);
    }

    public static CliTester run(String... args) {
        return new CliTester(args);
    }

    static Home home() {
        return new Home(Path.of(System.getProperty("stagesim.home", ".")).toAbsolutePath());
    }

    /** The names of all commands. */
    static Set<String> commands() {
        Console console = new Console(System.out, System.err, false, false);
        return new Cli(console, home()).commandLine().getSubcommands().keySet();
    }

    public int exit() {
        return exit;
    }

    public String out() {
        return out.toString(StandardCharsets.UTF_8);
    }

    public String err() {
        return err.toString(StandardCharsets.UTF_8);
    }

    List<String> lines() {
        return out().lines().toList();
    }

    private static PrintStream stream(ByteArrayOutputStream bytes) {
        return new PrintStream(bytes, true, StandardCharsets.UTF_8);
    }
}
