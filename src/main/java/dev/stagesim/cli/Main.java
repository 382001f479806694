package dev.stagesim.cli;

/** Process entry. */
public final class Main {
    private Main() {}

    /** Runs one command and exits with its code. */
    public static void main(String[] args) {
        Home home = Home.fromEnvironment();
        boolean warmUp = args.length == 1 && args[0].equals("--warm-up");
        System.exit(warmUp ? WarmUp.run(home) : new Cli(Console.system(), home).run(args));
    }
}
