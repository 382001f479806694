package dev.stagesim.io.background;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stagesim.io.background.BackgroundThread.Result;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

final class BackgroundThreadTest {
    private final List<Integer> done = new CopyOnWriteArrayList<>();

    @Test
    void runsTasksInOrder() throws IOException {
        try (BackgroundThread thread = new BackgroundThread("test")) {
            for (int i = 0; i < 100; i++) {
                int number = i;
                thread.add(() -> done.add(number));
            }
            thread.finish();
            assertThat(done)
                    .containsExactlyElementsOf(IntStream.range(0, 100).boxed().toList());
            Result<String> name = thread.start(() -> Thread.currentThread().getName());
            assertThat(name.get()).isEqualTo("test");
        }
    }

    @Test
    void limitsWaitingTasks() throws IOException {
        try (BackgroundThread thread = new BackgroundThread("test")) {
            for (int i = 0; i < 100; i++) {
                int number = i;
                thread.add(() -> {
                    LockSupport.parkNanos(10_000);
                    return done.add(number);
                });
                assertThat(i - done.size()).isLessThan(17);
            }
        }
    }

    @Test
    void reportsTheFirstFailureAndRunsNoLaterTask() {
        try (BackgroundThread thread = new BackgroundThread("test")) {
            assertThatThrownBy(() -> {
                        thread.add(() -> {
                            throw new IOException("disk is full");
                        });
                        thread.add(() -> done.add(1));
                        thread.add(() -> done.add(2));
                        thread.finish();
                    })
                    .isInstanceOf(IOException.class)
                    .hasMessage("disk is full");
            assertThatThrownBy(() -> thread.start(() -> done.add(3)).get())
                    .hasMessageContaining("an earlier task failed");
        }
        assertThat(done).isEmpty();
    }

    @Test
    void rethrowsUncheckedExceptionsAndErrors() {
        try (BackgroundThread thread = new BackgroundThread("test")) {
            assertThatThrownBy(() -> thread.start(() -> List.of().get(0)).get())
                    .isInstanceOf(IndexOutOfBoundsException.class);
        }
        try (BackgroundThread thread = new BackgroundThread("test")) {
            assertThatThrownBy(() -> thread.start(() -> {
                                throw new AssertionError("a bug");
                            })
                            .get())
                    .isInstanceOf(AssertionError.class)
                    .hasMessage("a bug");
        }
    }

    @Test
    void closesAfterAllTasks() throws IOException {
        CountDownLatch end = new CountDownLatch(1);
        try (BackgroundThread thread = new BackgroundThread("test")) {
            thread.add(() -> {
                awaitUninterrupted(end);
                return done.add(1);
            });
            thread.add(() -> done.add(2));
            end.countDown();
        }
        assertThat(done).containsExactly(1, 2);
    }

    @Test
    void keepsTheInterruptOfTheCaller() {
        CountDownLatch end = new CountDownLatch(1);
        try (BackgroundThread thread = new BackgroundThread("test")) {
            Result<Boolean> result = thread.start(() -> {
                awaitUninterrupted(end);
                return true;
            });
            Thread.currentThread().interrupt();
            assertThatThrownBy(result::get).isInstanceOf(IOException.class).hasMessage("interrupted");
            assertThat(Thread.interrupted()).isTrue();
            end.countDown();
        }
    }

    @Test
    void waitsForItsTasksAlsoInAnInterruptedCaller() {
        CountDownLatch end = new CountDownLatch(1);
        BackgroundThread thread = new BackgroundThread("test");
        Result<Boolean> result = thread.start(() -> {
            awaitUninterrupted(end);
            return true;
        });
        Thread.currentThread().interrupt();
        new Thread(end::countDown).start();

        thread.close();

        assertThat(Thread.interrupted()).isTrue();
        assertThat(result.task().isDone()).isTrue();
    }

    private static void awaitUninterrupted(CountDownLatch latch) {
        boolean isInterrupted = false;
        while (latch.getCount() > 0) {
            try {
                latch.await();
            } catch (InterruptedException e) {
                isInterrupted = true;
            }
        }
        if (isInterrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
