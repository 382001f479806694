package dev.stagesim.cli;

import dev.stagesim.pipeline.StageRegistry;

/** Process entry. */
public final class Main {
    private Main() {}

    /** Runs one command and exits with its code. */
    public static void main(String[] args) {
        if (args.length == 1 && args[0].equals(LaunchRules.FLAG)) {
            Console.system().result(LaunchRules.text(StageRegistry.standard()));
            return;
        }
        Home home = Home.fromEnvironment();
        int code = WarmUp.isAsked(args) ? WarmUp.run(home, args[0]) : new Cli(Console.system(), home).run(args);
        Ending.stay();
        System.exit(code);
    }
}
