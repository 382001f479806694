package dev.stagesim.cli;

import dev.stagesim.cli.console.Console;
import dev.stagesim.cli.console.Home;
import dev.stagesim.cli.console.ShutdownFlag;

/** Entry point of the process. */
public final class Main {
    private Main() {}

    /** Runs one command and exits with its code. */
    public static void main(String[] args) {
        ProductServices.declare();
        int code = new Cli(Console.system(), Home.fromEnvironment()).run(args);
        ShutdownFlag.stay();
        System.exit(code);
    }
}
