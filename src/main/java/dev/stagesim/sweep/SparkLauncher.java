package dev.stagesim.sweep;

import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.pipeline.Pipeline;
import dev.stagesim.pipeline.PortableRun;
import dev.stagesim.pipeline.RunRef;
import dev.stagesim.settings.LauncherSettings;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

/** Apache Spark: a process of its own hands the jobs to Spark's workers, and this one takes over the runs they make. */
final class SparkLauncher implements Launcher {
    private static final String END = "end\n";
    private static final long PATIENCE_MS = 100;

    private final LauncherSettings.Spark settings;

    SparkLauncher(LauncherSettings.Spark settings) {
        this.settings = settings;
        for (String word : settings.conf()) {
            if (word.indexOf('=') < 1) {
                throw StageException.input(Problem.of("launcher error", "launcher.conf", "'" + word + "' sets nothing")
                        .note("expected", "NAME=VALUE, for example spark.executor.memory=2g"));
            }
        }
    }

    @Override
    public LauncherSettings settings() {
        return settings;
    }

    @Override
    public void launch(Launch launch) throws IOException, InterruptedException {
        if (launch.jobs().isEmpty()) {
            return;
        }
        SparkDriver driver = SparkDriver.of(settings, launch.pipeline());
        Process process = driver.start();
        try {
            new Conversation(launch, process, settings.window()).hold();
            if (process.waitFor() != 0) {
                throw driver.ended(process.exitValue());
            }
        } catch (Gone e) {
            process.waitFor();
            throw driver.ended(process.exitValue());
        } finally {
            process.destroy();
        }
    }

    /** The driver has ended and owes answers. */
    private static final class Gone extends IOException {
        private static final long serialVersionUID = 1;
    }

    /** Jobs go out as answers come in. */
    private static final class Conversation {
        private final Launch launch;
        private final Process process;
        private final Semaphore room;
        private final Map<String, PlannedJob> away = new ConcurrentHashMap<>();
        private final AtomicReference<IOException> trouble = new AtomicReference<>();

        Conversation(Launch launch, Process process, int window) {
            this.launch = launch;
            this.process = process;
            this.room = new Semaphore(window);
        }

        void hold() throws IOException, InterruptedException {
            Thread reader = new Thread(this::read, "spark-answers");
            reader.setDaemon(true);
            reader.start();
            try (Writer out = process.outputWriter(StandardCharsets.UTF_8)) {
                for (PlannedJob job : launch.jobs()) {
                    if (!hasRoom() || !launch.begin(job)) {
                        break;
                    }
                    away.put(Integer.toString(job.num()), job);
                    PortableRun run = new PortableRun(
                            launch.stage().spec().name(), job.request().get(), job.options());
                    out.write(job.num() + RemoteJob.BETWEEN + run.text() + "\n");
                    out.flush();
                }
                out.write(END);
            } catch (IOException broken) {
                // the reader finds the same end, and knows more of it
                reader.join();
                throw trouble.get() == null ? new Gone() : trouble.get();
            }
            reader.join();
            if (trouble.get() != null) {
                throw trouble.get();
            }
        }

        /** Waits until fewer jobs than the window are away; false when no further one is to begin. */
        private boolean hasRoom() throws InterruptedException {
            while (!launch.stopped() && trouble.get() == null) {
                if (room.tryAcquire(PATIENCE_MS, TimeUnit.MILLISECONDS)) {
                    return true;
                }
            }
            return false;
        }

        private void read() {
            try (BufferedReader in = process.inputReader(StandardCharsets.UTF_8)) {
                for (String line = in.readLine(); line != null; line = in.readLine()) {
                    String[] words = line.split(RemoteJob.BETWEEN, -1);
                    PlannedJob job = words.length < 3 ? null : away.remove(words[0]);
                    if (job != null) {
                        answer(job, words);
                        room.release();
                    }
                }
                if (!away.isEmpty()) {
                    trouble.compareAndSet(null, new Gone());
                }
            } catch (IOException e) {
                trouble.compareAndSet(null, e);
            } catch (UncheckedIOException e) {
                trouble.compareAndSet(null, e.getCause());
            } catch (RuntimeException e) {
                trouble.compareAndSet(null, new IOException("an answer of Spark cannot be used: " + e, e));
            }
        }

        private void answer(PlannedJob job, String[] words) throws IOException {
            if (words[1].equals(RemoteJob.FAILED)) {
                launch.failed(job, new Failure(words[2]));
                return;
            }
            try {
                RunRef run = launch.pipeline().adopt(SparkDriver.run(launch.pipeline(), words[2]));
                boolean isReused = words[1].equals(RemoteJob.REUSED);
                launch.done(job, new RunRef(run.dir(), run.meta(), run.sha256(), isReused));
            } catch (StageException e) {
                launch.failed(job, e);
            }
        }
    }

    /** Directory of a run that was made elsewhere. */
    static Path staging(Pipeline pipeline) {
        return pipeline.cache().resolve("spark");
    }
}
