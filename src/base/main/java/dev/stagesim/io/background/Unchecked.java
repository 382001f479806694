package dev.stagesim.io.background;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Work that may fail with an I/O error, in code that may only throw unchecked exceptions. */
public final class Unchecked {
    private Unchecked() {}

    /** Work without a result. */
    @FunctionalInterface
    public interface Action {
        void run() throws IOException;
    }

    /** Work on an item. */
    @FunctionalInterface
    public interface ItemWork<T, R> {
        R of(T item) throws IOException;
    }

    /** Returns the result of work. An I/O error is thrown as the cause of an {@link UncheckedIOException}. */
    public static <T extends @Nullable Object> T get(BackgroundThread.Work<T> work) {
        try {
            return work.run();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Does work without a result, like {@link #get}. */
    public static void run(Action work) {
        get(() -> {
            work.run();
            return true;
        });
    }

    /** Returns the result of a call that uses {@link #get}, and throws its I/O error again. */
    public static <T> T checked(Supplier<T> call) throws IOException {
        try {
            return call.get();
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }

    /** Returns the results for all items in their order. They are computed in parallel. */
    public static <T, R> List<R> parallel(List<T> items, ItemWork<T, R> work) throws IOException {
        return checked(() ->
                items.parallelStream().map(item -> get(() -> work.of(item))).toList());
    }
}
