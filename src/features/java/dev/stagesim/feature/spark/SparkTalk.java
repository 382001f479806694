package dev.stagesim.feature.spark;

import dev.stagesim.bench.ChildProcesses;
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

/** Talks with the process that hands work to Spark: a line out for each piece of work, a line in for each answer. */
final class SparkTalk implements Talk {
    private static final String END = "end\n";
    private static final String SAY = "say";
    private static final Answer SILENCE = new Answer("", "", List.of(""));

    private final SparkDriver driver;
    private final Process process;
    private final Writer out;
    private final Consumer<String> said;
    private final BlockingQueue<Answer> answers = new LinkedBlockingQueue<>();

    /** Starts the process; what it has to say to people goes to {@code said}, on another thread. */
    SparkTalk(SparkDriver driver, Consumer<String> said) throws IOException {
        this.driver = driver;
        this.said = said;
        this.process = driver.start();
        this.out = process.outputWriter(StandardCharsets.UTF_8);
        Thread reader = new Thread(this::read, "spark-answers");
        reader.setDaemon(true);
        reader.start();
    }

    private void read() {
        try (BufferedReader in = process.inputReader(StandardCharsets.UTF_8)) {
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                String[] words = line.split(RemoteJob.BETWEEN, -1);
                if (words.length == 2 && words[0].equals(SAY)) {
                    said.accept(words[1]);
                } else if (words.length > 2) {
                    answers.add(
                            new Answer(words[0], words[1], Arrays.asList(words).subList(2, words.length)));
                }
            }
        } catch (IOException e) {
            said.accept("its answers cannot be read: " + e.getMessage());
        }
        answers.add(SILENCE);
    }

    @Override
    public void send(String name, String verb, List<String> places, String what)
            throws IOException, InterruptedException {
        try {
            out.write(String.join(RemoteJob.BETWEEN, name, verb, String.join(",", places), what) + "\n");
            out.flush();
        } catch (IOException broken) {
            throw gone();
        }
    }

    @Override
    public @Nullable Answer poll(long ms) throws IOException, InterruptedException {
        Answer answer = answers.poll(ms, TimeUnit.MILLISECONDS);
        if (answer != null && answer.name().isEmpty()) {
            throw gone();
        }
        return answer;
    }

    private RuntimeException gone() throws IOException, InterruptedException {
        int exit = process.waitFor();
        ChildProcesses.stayIfEnding();
        return driver.ended(exit);
    }

    @Override
    public void end() throws IOException, InterruptedException {
        try (out) {
            out.write(END);
        } catch (IOException broken) {
            throw gone();
        }
        if (process.waitFor() != 0) {
            throw gone();
        }
    }

    @Override
    public void close() {
        process.destroy();
    }
}
