package dev.stagesim.cli;

/** The process exit codes of every command. */
final class ExitCode {
    /** The command did what was asked. */
    static final int DONE = 0;
    /** The stage ran and failed. */
    static final int FAILED = 1;
    /** The user's input is wrong. */
    static final int INPUT = 2;
    /** A check did not hold: a limit that the user set was exceeded; the run is kept. */
    static final int CHECK = 3;
    /** Interrupted from the keyboard. */
    static final int INTERRUPTED = 130;

    /** Nobody reads the result any more: as for a process that the closed pipe ends. */
    static final int CLOSED_PIPE = 141;

    private ExitCode() {}
}
