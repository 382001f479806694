package dev.stagesim.pipeline.store;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The run directories below {@code tmp/}. Finished runs are in {@code <stage>/<run id>}. Partial, replaced and removed
 * directories are in the same folder and have a leading dot. Locks are in {@code .locks/}, and values that stages cache
 * between runs in {@code .cache/}.
 *
 * <p>The owner of a run's lock owns its partial directory. A partial directory that exists when the lock is acquired
 * belongs to a process that died.
 */
public final class RunStore {
    private static final String PARTIAL = ".partial";
    private static final String REPLACED = ".replaced";
    private static final String REMOVED = ".removed";
    private static final String LOCKS = ".locks";
    private static final String CACHE = ".cache";
    private static final int LOCK_DIGITS = 3;

    /** Folder of the sweeps, next to the folders of the stages. */
    public static final String SWEEPS = "sweeps";

    private final Path root;

    /** A run with a partial directory that this process writes. */
    private record ActiveRun(String stage, String runId) {
        /**
         * Written by hand because generated record methods are linked at run time, which slows the start of every
         * command.
         */
        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof ActiveRun that && that.stage.equals(stage) && that.runId.equals(runId);
        }

        @Override
        public int hashCode() {
            return Objects.hash(stage, runId);
        }
    }

    private final Set<ActiveRun> activeRuns = ConcurrentHashMap.newKeySet();
    private final Set<String> tidied = ConcurrentHashMap.newKeySet();
    private boolean isEnding;

    public RunStore(Path root) {
        this.root = root;
    }

    public Path root() {
        return root;
    }

    /** Returns the directory of cached values, which may be deleted at any time. */
    public Path cacheDir() {
        return root.resolve(CACHE);
    }

    public Path runDir(String stage, String runId) {
        return root.resolve(stage).resolve(runId);
    }

    private Path hiddenDir(String stage, String runId, String suffix) {
        return root.resolve(stage).resolve("." + runId + suffix);
    }

    /**
     * Lock files are never deleted, so their number is fixed. In rare cases two runs share one and wait for each other.
     */
    private Path lockFile(String stage, String runId) {
        return root.resolve(LOCKS).resolve(Digests.sha256(stage + "/" + runId).substring(0, LOCK_DIGITS));
    }

    public RunLock lock(String stage, String runId, Runnable waiting) throws IOException {
        return RunLock.acquire(lockFile(stage, runId), waiting);
    }

    /** Returns a new, empty partial directory. The lock must be held. */
    public Path newPartial(String stage, String runId) throws IOException {
        Path partial = hiddenDir(stage, runId, PARTIAL);
        delete(partial);
        return begin(new ActiveRun(stage, runId), partial);
    }

    private synchronized Path begin(ActiveRun run, Path partial) throws IOException {
        stopIfEnding();
        activeRuns.add(run);
        return Files.createDirectories(partial);
    }

    /** Blocks the thread forever while the process shuts down, so that no run is begun or committed. */
    private void stopIfEnding() {
        while (isEnding) {
            LockSupport.park(this);
        }
    }

    /**
     * Moves a complete partial directory to its final path. The lock must be held. {@link #abandon} waits for this
     * method.
     */
    public synchronized Path commit(String stage, String runId) throws IOException {
        stopIfEnding();
        setAside(stage, runId);
        Path target = runDir(stage, runId);
        Files.move(hiddenDir(stage, runId, PARTIAL), target, StandardCopyOption.ATOMIC_MOVE);
        recover(stage, runId);
        activeRuns.remove(new ActiveRun(stage, runId));
        return target;
    }

    /**
     * First half of a replacement: moves the old run aside. {@link #recover} restores it if no new run is committed.
     */
    public void setAside(String stage, String runId) throws IOException {
        recover(stage, runId);
        Path target = runDir(stage, runId);
        if (Files.exists(target)) {
            Files.move(target, hiddenDir(stage, runId, REPLACED), StandardCopyOption.ATOMIC_MOVE);
        }
    }

    /**
     * Completes an interrupted replacement or deletion. A run that was moved aside is restored if there is no new run,
     * and deleted otherwise. The lock must be held.
     */
    public void recover(String stage, String runId) throws IOException {
        Path target = runDir(stage, runId);
        Path replaced = hiddenDir(stage, runId, REPLACED);
        if (Files.exists(replaced) && !Files.exists(target)) {
            Files.move(replaced, target, StandardCopyOption.ATOMIC_MOVE);
        }
        delete(replaced);
        delete(hiddenDir(stage, runId, REMOVED));
    }

    /** Restores the run of a directory, if it was moved aside in this store. */
    @SuppressWarnings("try") // the lock variable is unused
    public void restore(Path dir) throws IOException {
        Path runDir = dir.toAbsolutePath().normalize();
        Path folder = runDir.getParent();
        Path runs = root.toAbsolutePath().normalize();
        if (Files.exists(dir) || folder == null || !runs.equals(folder.getParent())) {
            return;
        }
        String stage = folder.getFileName().toString();
        String runId = runDir.getFileName().toString();
        if (Files.exists(hiddenDir(stage, runId, REPLACED))) {
            try (RunLock lock = lock(stage, runId, () -> {})) {
                recover(stage, runId);
            }
        }
    }

    /** Deletes the partial directory of a failed run. The previous run remains. */
    public void discardPartial(String stage, String runId) throws IOException {
        recover(stage, runId);
        delete(hiddenDir(stage, runId, PARTIAL));
        activeRuns.remove(new ActiveRun(stage, runId));
    }

    /**
     * Deletes the unfinished runs of this process when it receives a signal. Each directory is moved aside first, so
     * that a running thread cannot commit a half-deleted one. Replaced runs are restored.
     */
    public void abandon() throws IOException {
        synchronized (this) {
            isEnding = true;
        }
        for (ActiveRun run : activeRuns) {
            Path partial = hiddenDir(run.stage(), run.runId(), PARTIAL);
            try {
                Files.move(partial, hiddenDir(run.stage(), run.runId(), REMOVED), StandardCopyOption.ATOMIC_MOVE);
            } catch (NoSuchFileException e) {
                // finished or discarded concurrently
                continue;
            }
            recover(run.stage(), run.runId());
        }
    }

    /** Deletes or restores the directories that dead processes left in a stage's folder. Runs once per stage. */
    public void tidy(String stage) throws IOException {
        if (tidied.add(stage)) {
            sweepLeftovers(stage);
        }
    }

    @SuppressWarnings("try") // the lock variable is unused
    private void sweepLeftovers(String stage) throws IOException {
        for (String runId : unfinished(stage)) {
            Optional<RunLock> lock = RunLock.tryAcquire(lockFile(stage, runId));
            if (lock.isPresent()) {
                try (RunLock held = lock.get()) {
                    discardPartial(stage, runId);
                }
            }
        }
    }

    /** Deletes a run. It is hidden immediately and then deleted. */
    @SuppressWarnings("try") // the lock variable is unused
    public void remove(String stage, String runId) throws IOException {
        try (RunLock lock = lock(stage, runId, () -> {})) {
            recover(stage, runId);
            Path target = runDir(stage, runId);
            if (Files.exists(target)) {
                Files.move(target, hiddenDir(stage, runId, REMOVED), StandardCopyOption.ATOMIC_MOVE);
            }
            discardPartial(stage, runId);
        }
    }

    /** True if a process works on the run now. */
    public boolean isLocked(String stage, String runId) throws IOException {
        Optional<RunLock> lock = RunLock.tryAcquire(lockFile(stage, runId));
        if (lock.isPresent()) {
            lock.get().close();
        }
        return lock.isEmpty();
    }

    /** Returns the ids of a stage's runs that have directories with a leading dot, sorted. */
    public List<String> unfinished(String stage) throws IOException {
        return names(root.resolve(stage)).stream()
                .filter(name -> name.startsWith(".") && isLeftover(name))
                .map(name -> name.substring(1, name.lastIndexOf('.')))
                .distinct()
                .toList();
    }

    private static boolean isLeftover(String name) {
        return name.endsWith(PARTIAL) || name.endsWith(REPLACED) || name.endsWith(REMOVED);
    }

    /** Returns the names of a stage's directories without a leading dot, finished or not, sorted. */
    public List<String> runIds(String stage) throws IOException {
        return names(root.resolve(stage)).stream()
                .filter(name -> !name.startsWith("."))
                .toList();
    }

    /** Returns the names of the folders below the root, sorted. */
    public List<String> stages() throws IOException {
        return names(root).stream().filter(name -> !name.startsWith(".")).toList();
    }

    private static List<String> names(Path dir) throws IOException {
        try (Stream<Path> entries = Files.list(dir)) {
            return entries.filter(Files::isDirectory)
                    .map(path -> path.getFileName().toString())
                    .sorted()
                    .toList();
        } catch (NoSuchFileException e) {
            return List.of();
        }
    }

    /** Deletes a directory and its contents, if it exists. Another thread may delete it at the same time. */
    static void delete(Path dir) throws IOException {
        if (!Files.exists(dir)) {
            return;
        }
        Files.walkFileTree(dir, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                Files.deleteIfExists(file);
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFileFailed(Path file, IOException failure) throws IOException {
                if (failure instanceof NoSuchFileException) {
                    return FileVisitResult.CONTINUE;
                }
                throw failure;
            }

            @Override
            public FileVisitResult postVisitDirectory(Path visited, @Nullable IOException failure) throws IOException {
                if (failure != null) {
                    throw failure;
                }
                Files.deleteIfExists(visited);
                return FileVisitResult.CONTINUE;
            }
        });
    }
}
