package dev.stagesim.pipeline;

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
 * The run directories below {@code tmp/}: {@code <stage>/<run id>} for finished runs, and beside them, with a leading
 * dot, directories that are partial, replaced or being deleted. The locks are in {@code .locks/}, what stages keep between runs in
 * {@code .cache/}.
 *
 * <p>Whoever holds the lock of a run id owns its partial directory, so one that is found under the lock belongs to a
 * process that died.
 */
final class RunStore {
    private static final String PARTIAL = ".partial";
    private static final String REPLACED = ".replaced";
    private static final String REMOVED = ".removed";
    private static final String LOCKS = ".locks";
    private static final String CACHE = ".cache";
    private static final int LOCK_DIGITS = 3;

    /** Folder of the sweeps, beside those of the stages. */
    static final String SWEEPS = "sweeps";

    private final Path root;

    /** A run whose partial directory this process writes into. */
    private record Begun(String stage, String runId) {
        /** Spelled out, as in other records that every command compares: what a record makes for it at run time takes long. */
        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Begun its && its.stage.equals(stage) && its.runId.equals(runId);
        }

        @Override
        public int hashCode() {
            return Objects.hash(stage, runId);
        }
    }

    private final Set<Begun> begun = ConcurrentHashMap.newKeySet();
    private final Set<String> tidied = ConcurrentHashMap.newKeySet();
    private boolean ending;

    RunStore(Path root) {
        this.root = root;
    }

    Path root() {
        return root;
    }

    /** Where stages keep what is costly to make; may be deleted at any time. */
    Path cacheDir() {
        return root.resolve(CACHE);
    }

    Path runDir(String stage, String runId) {
        return root.resolve(stage).resolve(runId);
    }

    private Path beside(String stage, String runId, String suffix) {
        return root.resolve(stage).resolve("." + runId + suffix);
    }

    /** Lock files stay, so there is a fixed number of them; rarely, two runs share one and wait for each other. */
    private Path lockFile(String stage, String runId) {
        return root.resolve(LOCKS).resolve(Digests.sha256(stage + "/" + runId).substring(0, LOCK_DIGITS));
    }

    RunLock lock(String stage, String runId, Runnable waiting) throws IOException {
        return RunLock.acquire(lockFile(stage, runId), waiting);
    }

    /** A new, empty partial directory; the lock must be held. */
    Path newPartial(String stage, String runId) throws IOException {
        Path partial = beside(stage, runId, PARTIAL);
        delete(partial);
        return begin(new Begun(stage, runId), partial);
    }

    private synchronized Path begin(Begun run, Path partial) throws IOException {
        stopIfEnding();
        begun.add(run);
        return Files.createDirectories(partial);
    }

    /** Nothing begins or ends while the process does; the thread ends with it. */
    private void stopIfEnding() {
        while (ending) {
            LockSupport.park(this);
        }
    }

    /** Moves a complete partial directory into place; the lock must be held. {@link #abandon} waits until all is done. */
    synchronized Path commit(String stage, String runId) throws IOException {
        stopIfEnding();
        setAside(stage, runId);
        Path target = runDir(stage, runId);
        Files.move(beside(stage, runId, PARTIAL), target, StandardCopyOption.ATOMIC_MOVE);
        recover(stage, runId);
        begun.remove(new Begun(stage, runId));
        return target;
    }

    /** First half of replacing a run: the old one makes room, and is put back by {@link #recover} unless a new one comes. */
    void setAside(String stage, String runId) throws IOException {
        recover(stage, runId);
        Path target = runDir(stage, runId);
        if (Files.exists(target)) {
            Files.move(target, beside(stage, runId, REPLACED), StandardCopyOption.ATOMIC_MOVE);
        }
    }

    /**
     * Ends what was begun when a run was replaced or deleted: a run that was set aside is put back when no other came in
     * its place, and deleted otherwise. The lock must be held.
     */
    void recover(String stage, String runId) throws IOException {
        Path target = runDir(stage, runId);
        Path replaced = beside(stage, runId, REPLACED);
        if (Files.exists(replaced) && !Files.exists(target)) {
            Files.move(replaced, target, StandardCopyOption.ATOMIC_MOVE);
        }
        delete(replaced);
        delete(beside(stage, runId, REMOVED));
    }

    /** Puts back the run that was in a directory, if it is one of ours and was only set aside. */
    @SuppressWarnings("try") // the lock is held, not used
    void restore(Path dir) throws IOException {
        Path wanted = dir.toAbsolutePath().normalize();
        Path folder = wanted.getParent();
        Path runs = root.toAbsolutePath().normalize();
        if (Files.exists(dir) || folder == null || !runs.equals(folder.getParent())) {
            return;
        }
        String stage = folder.getFileName().toString();
        String runId = wanted.getFileName().toString();
        if (Files.exists(beside(stage, runId, REPLACED))) {
            try (RunLock lock = lock(stage, runId, () -> {})) {
                recover(stage, runId);
            }
        }
    }

    /** Deletes the partial directory of a run that was not made; the run it was to replace stays. */
    void discardPartial(String stage, String runId) throws IOException {
        recover(stage, runId);
        delete(beside(stage, runId, PARTIAL));
        begun.remove(new Begun(stage, runId));
    }

    /**
     * Deletes what this process has begun and not finished, when it is told to end. Each directory is moved aside first,
     * so that a thread that still works cannot put a half-deleted one into place; a run that it was to replace is put back.
     */
    void abandon() throws IOException {
        synchronized (this) {
            ending = true;
        }
        for (Begun run : begun) {
            Path partial = beside(run.stage(), run.runId(), PARTIAL);
            try {
                Files.move(partial, beside(run.stage(), run.runId(), REMOVED), StandardCopyOption.ATOMIC_MOVE);
            } catch (NoSuchFileException e) {
                // finished or given up meanwhile
                continue;
            }
            recover(run.stage(), run.runId());
        }
    }

    /** Deletes, or puts back, what processes that died have left of a stage's runs; once. */
    void tidy(String stage) throws IOException {
        if (tidied.add(stage)) {
            sweepLeftovers(stage);
        }
    }

    @SuppressWarnings("try") // the lock is held, not used
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

    /** Deletes a run: it is hidden at once, then deleted. */
    @SuppressWarnings("try") // the lock is held, not used
    void remove(String stage, String runId) throws IOException {
        try (RunLock lock = lock(stage, runId, () -> {})) {
            recover(stage, runId);
            Path target = runDir(stage, runId);
            if (Files.exists(target)) {
                Files.move(target, beside(stage, runId, REMOVED), StandardCopyOption.ATOMIC_MOVE);
            }
            discardPartial(stage, runId);
        }
    }

    /** True when a process works on the run now. */
    boolean isLocked(String stage, String runId) throws IOException {
        Optional<RunLock> lock = RunLock.tryAcquire(lockFile(stage, runId));
        if (lock.isPresent()) {
            lock.get().close();
        }
        return lock.isEmpty();
    }

    /** Ids of a stage's runs that have directories with a leading dot, sorted. */
    List<String> unfinished(String stage) throws IOException {
        return names(root.resolve(stage)).stream()
                .filter(name -> name.startsWith(".") && isLeftover(name))
                .map(name -> name.substring(1, name.lastIndexOf('.')))
                .distinct()
                .toList();
    }

    private static boolean isLeftover(String name) {
        return name.endsWith(PARTIAL) || name.endsWith(REPLACED) || name.endsWith(REMOVED);
    }

    /** Names of a stage's directories without a leading dot, sorted; finished or not. */
    List<String> runIds(String stage) throws IOException {
        return names(root.resolve(stage)).stream()
                .filter(name -> !name.startsWith("."))
                .toList();
    }

    /** Names of the folders below the root, sorted. */
    List<String> stages() throws IOException {
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

    /** Deletes a directory and all below it, if it is there; another thread may be doing the same. */
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
