package dev.stagesim.cli;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** A process that runs the commands of a file one after the other, and says after each what its exit code was. */
public final class CommandLoop {
    static final String END = "exit code ";

    private CommandLoop() {}

    /** Runs each line of the named file, split at blanks. */
    public static void main(String[] args) throws IOException {
        Home home = Home.fromEnvironment();
        for (String line : Files.readAllLines(Path.of(args[0]), StandardCharsets.UTF_8)) {
            Console console = new Console(System.out, System.out, false, false);
            int exit = new Cli(console, home).run(line.split(" "));
            System.out.println(END + exit);
        }
    }
}
