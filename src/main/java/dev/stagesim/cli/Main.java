package dev.stagesim.cli;

/** Process entry. */
public final class Main {
    private Main() {}

    /** Runs one command and exits with its code. */
    public static void main(String[] args) {
        int code = new Cli(Console.system(), Home.fromEnvironment()).run(args);
        Ending.stay();
        System.exit(code);
    }
}
