package dev.stagesim.sweep;

import dev.stagesim.pipeline.PipelineListener;
import dev.stagesim.pipeline.RunRef;
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

/** The token tables of runs, cut into parts, and threads of this process that count them. */
public final class TokenWork {
    /** A second of work, or less. */
    public static final long PART_BYTES = 64L << 20;

    private static final long TOLD_BYTES = 1L << 30;

    /** Takes the counts of a part; called by several threads. */
    public interface Sink {
        void counted(TokenPart part, TokenCounts counts);
    }

    private TokenWork() {}

    /** All parts of all tables. */
    static List<TokenPart> parts(List<RunRef> runs, long most) throws IOException {
        List<TokenPart> parts = new ArrayList<>();
        for (RunRef run : runs) {
            parts.addAll(TokenPart.of(run, most));
        }
        return parts;
    }

    /** Says what is going on when it takes long. */
    static void tell(PipelineListener listener, List<TokenPart> parts) {
        long bytes = parts.stream().mapToLong(TokenPart::bytes).sum();
        if (bytes > TOLD_BYTES) {
            listener.said("sweep", String.format(Locale.ROOT, "counting %.1f GB of token times", bytes / 1e9));
        }
    }

    /**
     * Counts parts, and returns when all are counted or it is told to stop.
     *
     * @param store where runs are, {@code tmp/}
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
            for (Future<?> one : all) {
                one.get();
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
