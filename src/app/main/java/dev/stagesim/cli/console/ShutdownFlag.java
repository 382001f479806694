package dev.stagesim.cli.console;

import java.util.concurrent.locks.LockSupport;

/**
 * Set once a signal has been received. From then on only shutdown hooks report: the working thread prints nothing about
 * its interrupted work, and its exit code is ignored. {@link System#exit} would briefly let the thread continue, after
 * the hooks are done and before the signal's exit code is set.
 */
public final class ShutdownFlag {
    private ShutdownFlag() {}

    static boolean hasBegun() {
        Thread probe = new Thread(() -> {}, "probe");
        try {
            Runtime.getRuntime().addShutdownHook(probe);
            Runtime.getRuntime().removeShutdownHook(probe);
            return false;
        } catch (IllegalStateException ending) {
            return true;
        }
    }

    /** Returns only if the process is not shutting down. */
    public static void stay() {
        while (hasBegun()) {
            LockSupport.park();
        }
    }
}
