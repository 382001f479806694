package dev.stagesim.bench.engine;

import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/**
 * Child processes, which never outlive this process.
 *
 * <p>A shutdown hook ends them and their descendants. The hook does not run if this process is killed. Therefore the standard input
 * of each child is a pipe from this process, and children must exit when it is closed.
 */
public final class ChildProcesses {
    private static final long SHUTDOWN_TIMEOUT_MS = 2000;

    private static final Set<Process> ALIVE = ConcurrentHashMap.newKeySet();
    private static boolean watched;
    private static volatile boolean isShuttingDown;

    private ChildProcesses() {}

    /** Starts a process. It must exit when its standard input is closed. */
    public static Process start(ProcessBuilder builder) throws IOException {
        synchronized (ALIVE) {
            blockIfShuttingDown();
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

    /** Kills a process and its descendants. */
    public static void end(Process process) {
        List<ProcessHandle> below = process.descendants().toList();
        process.destroyForcibly();
        below.forEach(ProcessHandle::destroyForcibly);
    }

    /** Blocks forever during shutdown, so that the end of a child is not reported as its failure. */
    public static void blockIfShuttingDown() {
        while (isShuttingDown) {
            LockSupport.park();
        }
    }

    /** Terminates all processes, and kills the remaining ones after a timeout. */
    private static void endAll() {
        synchronized (ALIVE) {
            isShuttingDown = true;
        }
        List<ProcessHandle> all = ALIVE.stream()
                .flatMap(process -> Stream.concat(process.descendants(), Stream.of(process.toHandle())))
                .toList();
        all.forEach(ProcessHandle::destroy);
        long until = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(SHUTDOWN_TIMEOUT_MS);
        for (ProcessHandle each : all) {
            try {
                each.onExit().get(Math.max(1, until - System.nanoTime()), TimeUnit.NANOSECONDS);
            } catch (InterruptedException | ExecutionException | TimeoutException e) {
                each.destroyForcibly();
            }
        }
    }
}
