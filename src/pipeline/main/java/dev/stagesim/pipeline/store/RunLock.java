package dev.stagesim.pipeline.store;

import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The exclusive right to work on a run, among threads and processes.
 *
 * <p>The system releases the lock of a process that dies. Lock files are never deleted: otherwise two processes could
 * lock two files with the same name. A process must not open a lock file twice either: when it closes one descriptor,
 * POSIX releases all locks of the process on that file. Threads therefore first acquire an in-process lock.
 */
public record RunLock(ReentrantLock threads, FileChannel channel) implements Closeable {
    /** In-process locks. A path identifies its file system. */
    private static final ConcurrentMap<Path, ReentrantLock> THREADS = new ConcurrentHashMap<>();

    /** Waits for the lock. Calls {@code waiting} if another process has it. */
    static RunLock acquire(Path file, Runnable waiting) throws IOException {
        Path real = real(file);
        ReentrantLock threads = THREADS.computeIfAbsent(real, path -> new ReentrantLock());
        threads.lock();
        return open(real, threads, channel -> {
                    FileLock lock = channel.tryLock();
                    if (lock == null) {
                        waiting.run();
                        lock = channel.lock();
                    }
                    return lock;
                })
                .orElseThrow();
    }

    /** Acquires the lock if it is free. */
    static Optional<RunLock> tryAcquire(Path file) throws IOException {
        Path real = real(file);
        ReentrantLock threads = THREADS.computeIfAbsent(real, path -> new ReentrantLock());
        if (threads.isHeldByCurrentThread() || !threads.tryLock()) {
            return Optional.empty();
        }
        return open(real, threads, FileChannel::tryLock);
    }

    private interface Locking {
        @Nullable
        FileLock lock(FileChannel channel) throws IOException;
    }

    /** Opens and locks the file while the in-process lock is held. Releases the in-process lock on failure. */
    private static Optional<RunLock> open(Path file, ReentrantLock threads, Locking locking) throws IOException {
        boolean locked = false;
        FileChannel channel = null;
        try {
            channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
            locked = locking.lock(channel) != null;
            return locked ? Optional.of(new RunLock(threads, channel)) : Optional.empty();
        } finally {
            if (!locked) {
                if (channel != null) {
                    channel.close();
                }
                threads.unlock();
            }
        }
    }

    /** Returns the canonical path of a file. */
    private static Path real(Path file) throws IOException {
        Path parent = Files.createDirectories(file.toAbsolutePath().normalize().getParent());
        return parent.toRealPath().resolve(file.getFileName());
    }

    @Override
    public void close() throws IOException {
        try {
            channel.close();
        } finally {
            threads.unlock();
        }
    }
}
