package dev.stagesim.bench;

import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/**
 * Processes that this one has started, none of which outlives it.
 *
 * <p>When this process is told to end, it ends them and what they have started. When it is killed without a word it cannot: so
 * their standard input is a pipe that nobody else holds, and they are programs that end when it does.
 */
public final class ChildProcesses {
    private static final long PATIENCE_MS = 2000;

    private static final Set<Process> ALIVE = ConcurrentHashMap.newKeySet();
    private static boolean watched;
    private static volatile boolean ending;

    private ChildProcesses() {}

    /** Starts a process; whoever closes its standard input tells it to end. */
    public static Process start(ProcessBuilder builder) throws IOException {
        synchronized (ALIVE) {
            stayIfEnding();
            if (!watched) {
                Runtime.getRuntime().addShutdownHook(new Thread(ChildProcesses::endAll, "end-children"));
                watched = true;
            }
            Process process = builder.start();
            ALIVE.removeIf(each -> !each.isAlive());
            ALIVE.add(process);
            return process;
        }
    }

    /** Ends a process and all that it has started, at once. */
    public static void end(Process process) {
        List<ProcessHandle> below = process.descendants().toList();
        process.destroyForcibly();
        below.forEach(ProcessHandle::destroyForcibly);
    }

    /** For whoever finds that a process has died: does not return when that is because this one is ending. */
    public static void stayIfEnding() {
        while (ending) {
            LockSupport.park();
        }
    }

    /** Asks all to end, which lets them tidy up, and ends those that do not. */
    private static void endAll() {
        synchronized (ALIVE) {
            ending = true;
        }
        List<ProcessHandle> all = ALIVE.stream()
                .flatMap(process -> Stream.concat(process.descendants(), Stream.of(process.toHandle())))
                .toList();
        all.forEach(ProcessHandle::destroy);
        long until = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(PATIENCE_MS);
        for (ProcessHandle each : all) {
            try {
                each.onExit().get(Math.max(1, until - System.nanoTime()), TimeUnit.NANOSECONDS);
            } catch (InterruptedException
                    | java.util.concurrent.ExecutionException
                    | java.util.concurrent.TimeoutException e) {
                each.destroyForcibly();
            }
        }
    }
}
