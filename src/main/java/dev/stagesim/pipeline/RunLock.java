package dev.stagesim.pipeline;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Exclusive right to make one run, among threads and among processes.
 *
 * <p>The system drops the lock of a process that dies. The lock file is deleted on release; whoever then gets the lock
 * of a deleted file notices that the path no longer leads to it, and tries again.
 */
final class RunLock implements Closeable {
    /** File locks belong to the process, so its threads need a lock of their own; keys include the file system. */
    private static final ConcurrentMap<Path, ReentrantLock> THREADS = new ConcurrentHashMap<>();

    private final Path file;
    private final ReentrantLock threads;
    private final FileChannel channel;

    private RunLock(Path file, ReentrantLock threads, FileChannel channel) {
        this.file = file;
        this.threads = threads;
        this.channel = channel;
    }

    /** Waits for the lock; {@code waiting} runs when it is not free at once. */
    static RunLock acquire(Path file, Runnable waiting) throws IOException {
        ReentrantLock threads = threadLock(file);
        boolean told = false;
        if (!threads.tryLock()) {
            waiting.run();
            told = true;
            threads.lock();
        }
        try {
            while (true) {
                FileChannel channel = attempt(file, true);
                if (channel == null && !told) {
                    waiting.run();
                    told = true;
                }
                channel = channel == null ? attempt(file, false) : channel;
                if (channel != null) {
                    return new RunLock(file, threads, channel);
                }
            }
        } catch (IOException | RuntimeException e) {
            threads.unlock();
            throw e;
        }
    }

    /** Takes the lock when nobody has it. */
    static Optional<RunLock> tryAcquire(Path file) throws IOException {
        ReentrantLock threads = threadLock(file);
        if (threads.isHeldByCurrentThread() || !threads.tryLock()) {
            return Optional.empty();
        }
        FileChannel channel = null;
        try {
            channel = attempt(file, true);
            return Optional.ofNullable(channel).map(open -> new RunLock(file, threads, open));
        } finally {
            if (channel == null) {
                threads.unlock();
            }
        }
    }

    private static ReentrantLock threadLock(Path file) {
        return THREADS.computeIfAbsent(file.toAbsolutePath().normalize(), path -> new ReentrantLock());
    }

    /** Null when another process has the lock, or when the file was deleted before we got it. */
    private static @Nullable FileChannel attempt(Path file, boolean atOnce) throws IOException {
        Path parent = file.toAbsolutePath().getParent();
        if (parent != null) {
            Files.createDirectories(parent);
        }
        FileChannel channel = FileChannel.open(
                file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
        boolean kept = false;
        try {
            FileLock lock = atOnce ? channel.tryLock() : channel.lock();
            kept = lock != null && leadsTo(file, channel);
            return kept ? channel : null;
        } finally {
            if (!kept) {
                channel.close();
            }
        }
    }

    /** Writes a new token through the channel and looks for it at the path. */
    private static boolean leadsTo(Path file, FileChannel channel) throws IOException {
        String token = ProcessHandle.current().pid() + " " + UUID.randomUUID();
        channel.truncate(0);
        channel.write(ByteBuffer.wrap(token.getBytes(StandardCharsets.UTF_8)), 0);
        try {
            return Files.readString(file).equals(token);
        } catch (NoSuchFileException e) {
            return false;
        }
    }

    @Override
    public void close() throws IOException {
        try (channel) {
            Files.deleteIfExists(file);
        } finally {
            threads.unlock();
        }
    }
}
