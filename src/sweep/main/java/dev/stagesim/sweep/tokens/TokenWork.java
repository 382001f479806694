package dev.stagesim.sweep.tokens;

import dev.stagesim.pipeline.PipelineListener;
import dev.stagesim.pipeline.store.RunRef;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.BooleanSupplier;

/** Splits the token tables of runs into parts, and counts them in threads of this process. */
public final class TokenWork {
    /** Size of a part: about one second of work. */
    public static final long PART_BYTES = 64L << 20;

    private static final long MIN_REPORTED_BYTES = 1L << 30;

    /** Receives the counts of a part. Called by several threads. */
    public interface Sink {
        void counted(TokenPart part, TokenCounts counts);
    }

    private TokenWork() {}

    /** Returns all parts of all tables. */
    public static List<TokenPart> parts(List<RunRef> runs, long maxBytes) throws IOException {
        List<TokenPart> parts = new ArrayList<>();
        for (RunRef run : runs) {
            parts.addAll(TokenPart.of(run, maxBytes));
        }
        return parts;
    }

    /** Reports the start of a long count. */
    public static void reportStart(PipelineListener listener, List<TokenPart> parts) {
        long bytes = parts.stream().mapToLong(TokenPart::bytes).sum();
        if (bytes > MIN_REPORTED_BYTES) {
            listener.notice("sweep", String.format(Locale.ROOT, "counting %.1f GB of token times", bytes / 1e9));
        }
    }

    /**
     * Counts parts. Returns when all are counted, or after a stop.
     *
     * @param store directory of the runs, {@code tmp/}
     */
    public static void count(Path store, List<TokenPart> parts, int threads, BooleanSupplier stopped, Sink sink)
            throws IOException, InterruptedException {
        ExecutorService pool = Executors.newFixedThreadPool(Math.max(1, Math.min(threads, parts.size())), work -> {
            Thread thread = new Thread(work, "token-count");
            thread.setDaemon(true);
            return thread;
        });
        try {
            List<Future<?>> all = new ArrayList<>();
            for (TokenPart part : parts) {
                all.add(pool.submit(() -> {
                    if (!stopped.getAsBoolean()) {
                        sink.counted(part, part.count(store));
                    }
                    return null;
                }));
            }
            for (Future<?> future : all) {
                future.get();
            }
        } catch (ExecutionException e) {
            if (e.getCause() instanceof IOException io) {
                throw io;
            }
            throw new IllegalStateException("token times cannot be counted", e.getCause());
        } finally {
            pool.shutdownNow();
        }
    }
}
