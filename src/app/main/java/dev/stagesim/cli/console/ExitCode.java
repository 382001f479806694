package dev.stagesim.cli.console;

/** The process exit codes of all commands. */
public final class ExitCode {
    /** Success. */
    public static final int DONE = 0;
    /** The stage ran and failed. */
    public static final int FAILED = 1;
    /** The input is invalid. */
    public static final int INPUT = 2;
    /** A check failed, because a limit of the user was exceeded. The run is kept. */
    public static final int CHECK = 3;

    /** The reader closed the pipe; equal to the code of a process that the signal ends. */
    public static final int CLOSED_PIPE = 141;

    private ExitCode() {}
}
