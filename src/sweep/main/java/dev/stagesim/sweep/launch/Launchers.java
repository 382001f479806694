package dev.stagesim.sweep.launch;

import dev.stagesim.pipeline.Pipeline;
import dev.stagesim.pipeline.store.RunRef;
import dev.stagesim.sweep.tokens.TokenWork;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/** Creates launchers from settings. Features register other kinds in {@link LauncherKind}. */
public final class Launchers {
    private Launchers() {}

    /** Returns the launcher of the settings. */
    public static Launcher of(LauncherSettings settings) {
        if (settings instanceof LauncherSettings.Local local) {
            return new LocalLauncher(Part.ALL, local.jobs(), local.memory());
        } else if (settings instanceof LauncherSettings.Shard shard) {
            return new LocalLauncher(Part.parse(shard.shard(), shard.assign()), shard.jobs(), shard.memory());
        }
        return LauncherKind.launcher(settings);
    }

    /**
     * Runs jobs in threads of this process. A free thread takes the longest job that fits into the remaining memory.
     */
    private static final class LocalLauncher implements Launcher {
        private static final double HEAP_SHARE = 0.75;
        private static final double GIB = 1L << 30;

        private final Part part;
        private final int threads;
        private final long memory;

        LocalLauncher(Part part, Optional<Integer> jobs, Optional<Double> memoryGib) {
            this.part = part;
            this.threads = jobs.orElse(Runtime.getRuntime().availableProcessors());
            this.memory = (long)
                    (memoryGib.isPresent()
                            ? memoryGib.get() * GIB
                            : Runtime.getRuntime().maxMemory() * HEAP_SHARE);
        }

        @Override
        public Part part() {
            return part;
        }

        @Override
        public void launch(Launch launch) throws IOException, InterruptedException {
            JobQueue queue = new JobQueue(launch.jobs(), memory);
            int count = Math.max(1, Math.min(threads, launch.jobs().size()));
            ExecutorService pool = Executors.newFixedThreadPool(count, work -> {
                Thread thread = new Thread(work, "sweep-job");
                thread.setDaemon(true);
                return thread;
            });
            try {
                List<Future<?>> workers = new ArrayList<>();
                for (int i = 0; i < count; i++) {
                    workers.add(pool.submit(() -> {
                        work(launch, queue);
                        return null;
                    }));
                }
                for (Future<?> worker : workers) {
                    worker.get();
                }
            } catch (ExecutionException e) {
                rethrow(e.getCause());
            } finally {
                queue.close();
                pool.shutdown();
            }
            Path store = Pipeline.runsRoot(launch.pipeline().workDir());
            TokenWork.count(store, launch.tokens(), threads, launch::stopped, launch::counted);
        }

        private static void rethrow(@Nullable Throwable cause) throws IOException {
            if (cause instanceof Error error) {
                throw error;
            }
            if (cause instanceof IOException io) {
                throw io;
            }
            throw new IllegalStateException("a sweep's thread failed", cause);
        }

        private static void work(Launch launch, JobQueue queue) throws IOException, InterruptedException {
            try {
                for (Optional<PlannedJob> job = queue.take(); job.isPresent(); job = queue.take()) {
                    run(launch, queue, job.get());
                }
            } catch (IOException | RuntimeException | Error e) {
                queue.close();
                throw e;
            }
        }

        private static void run(Launch launch, JobQueue queue, PlannedJob job) throws IOException {
            if (!launch.begin(job)) {
                queue.close();
                return;
            }
            try {
                RunRef run = launch.pipeline().run(job.run().get());
                launch.done(job, run);
            } catch (OutOfMemoryError e) {
                if (!queue.retryAlone(job)) {
                    launch.failed(job, e);
                }
            } catch (RuntimeException e) {
                launch.failed(job, e);
            } finally {
                queue.ended(job);
            }
        }
    }
}
