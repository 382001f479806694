package dev.stagesim.cli;

import dev.stagesim.cli.console.Console;
import dev.stagesim.cli.console.Home;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;

/**
 * A process that runs the commands on its standard input, one per line with tabs between arguments, and prints the exit
 * codes.
 */
public final class CommandServer {
    static final String END = "exit code ";

    private CommandServer() {}

    /** Runs until its input ends. The output of commands goes to standard error. */
    public static void main(String[] args) throws IOException {
        Home home = Home.fromEnvironment();
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            Console console = new Console(System.err, System.err, false, false);
            int exit = new Cli(console, home).run(line.split("\t", -1));
            System.err.flush();
            System.out.println(END + exit);
        }
    }
}
