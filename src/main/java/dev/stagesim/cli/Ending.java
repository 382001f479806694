package dev.stagesim.cli;

import java.util.concurrent.locks.LockSupport;

/**
 * Tells that the process is being ended by a signal. From then on only the hooks act: the thread that works has nothing to say
 * about what was taken from it, and its exit code is not the process's. {@link System#exit} would let it through for a moment,
 * after the hooks are done and before the signal's own code is set.
 */
final class Ending {
    private Ending() {}

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

    /** Returns only if the process is not ending. */
    static void stay() {
        while (hasBegun()) {
            LockSupport.park();
        }
    }
}
