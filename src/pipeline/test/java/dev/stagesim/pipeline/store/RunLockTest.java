package dev.stagesim.pipeline.store;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class RunLockTest {
    @TempDir
    private Path dir;

    @Test
    @SuppressWarnings("try") // The lock variable is not used.
    void isExclusiveAmongThreads() throws Exception {
        for (Path folder :
                new Path[] {dir, Jimfs.newFileSystem(Configuration.unix()).getPath("/l")}) {
            Path file = folder.resolve("deep/a");
            CountDownLatch begun = new CountDownLatch(1);
            AtomicInteger reported = new AtomicInteger();
            CompletableFuture<Void> second;
            try (RunLock first = RunLock.acquire(file, () -> {})) {
                assertThat(RunLock.tryAcquire(file)).isEmpty();
                assertThat(elsewhere(file)).isEmpty();
                second = CompletableFuture.runAsync(() -> {
                    begun.countDown();
                    try (RunLock lock = RunLock.acquire(file, reported::incrementAndGet)) {
                        assertThat(lock).isNotNull();
                    } catch (IOException e) {
                        throw new UncheckedIOException(e);
                    }
                });
                begun.await();
                assertThat(second).isNotDone();
            }
            second.join();
            assertThat(reported).as("only another process causes a message").hasValue(0);
            try (RunLock free = RunLock.tryAcquire(file).orElseThrow()) {
                assertThat(free).isNotNull();
            }
        }
    }

    private static Optional<RunLock> elsewhere(Path file) {
        return CompletableFuture.supplyAsync(() -> {
                    try {
                        return RunLock.tryAcquire(file);
                    } catch (IOException e) {
                        throw new UncheckedIOException(e);
                    }
                })
                .join();
    }

    @Test
    void reportsNoWaitWhenFree() throws IOException {
        AtomicInteger reported = new AtomicInteger();
        for (int i = 0; i < 3; i++) {
            try (RunLock lock = RunLock.acquire(dir.resolve("a"), reported::incrementAndGet)) {
                assertThat(lock).isNotNull();
            }
        }
        assertThat(reported).hasValue(0);
    }
}
