package dev.stagesim.cli;

/** Entry point of the process. */
public final class Main {
    private Main() {}

    /** Runs one command and exits with its code. */
    public static void main(String[] args) {
        int code = new Cli(Console.system(), Home.fromEnvironment()).run(args);
        ShutdownFlag.stay();
        System.exit(code);
    }
}
