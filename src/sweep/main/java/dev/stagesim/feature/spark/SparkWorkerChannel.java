package dev.stagesim.feature.spark;

import dev.stagesim.bench.engine.ChildProcesses;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Channel to the Spark driver process: one output line per task, one input line per result. */
final class SparkWorkerChannel implements WorkerChannel {
    private static final String END = "end\n";
    private static final String MESSAGE = "say";
    private static final TaskResult NO_RESULT = new TaskResult("", "", List.of(""));

    private final SparkDriver driver;
    private final Process process;
    private final Writer out;
    private final Consumer<String> messages;
    private final BlockingQueue<TaskResult> answers = new LinkedBlockingQueue<>();

    /** Starts the process; its messages for the user go to {@code messages} on another thread. */
    SparkWorkerChannel(SparkDriver driver, Consumer<String> messages) throws IOException {
        this.driver = driver;
        this.messages = messages;
        this.process = driver.start();
        this.out = process.outputWriter(StandardCharsets.UTF_8);
        Thread reader = new Thread(this::read, "spark-answers");
        reader.setDaemon(true);
        reader.start();
    }

    private void read() {
        try (BufferedReader in = process.inputReader(StandardCharsets.UTF_8)) {
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                String[] fields = line.split(RemoteJob.SEPARATOR, -1);
                if (fields.length == 2 && fields[0].equals(MESSAGE)) {
                    messages.accept(fields[1]);
                } else if (fields.length > 2) {
                    answers.add(new TaskResult(
                            fields[0], fields[1], Arrays.asList(fields).subList(2, fields.length)));
                }
            }
        } catch (IOException e) {
            messages.accept("cannot read the replies of the Spark driver: " + e.getMessage());
        }
        answers.add(NO_RESULT);
    }

    @Override
    public void send(String name, String verb, List<String> places, String payload)
            throws IOException, InterruptedException {
        try {
            out.write(String.join(RemoteJob.SEPARATOR, name, verb, String.join(",", places), payload) + "\n");
            out.flush();
        } catch (IOException broken) {
            throw driverEnded();
        }
    }

    @Override
    public @Nullable TaskResult poll(long ms) throws IOException, InterruptedException {
        TaskResult answer = answers.poll(ms, TimeUnit.MILLISECONDS);
        if (answer != null && answer.name().isEmpty()) {
            throw driverEnded();
        }
        return answer;
    }

    private RuntimeException driverEnded() throws IOException, InterruptedException {
        int exit = process.waitFor();
        ChildProcesses.blockIfShuttingDown();
        return driver.ended(exit);
    }

    @Override
    public void end() throws IOException, InterruptedException {
        try (out) {
            out.write(END);
        } catch (IOException broken) {
            throw driverEnded();
        }
        if (process.waitFor() != 0) {
            throw driverEnded();
        }
    }

    @Override
    public void close() {
        process.destroy();
    }
}
