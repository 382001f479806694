package dev.stagesim.stage.vidurprofile;

import dev.stagesim.bench.ChildProcesses;
import dev.stagesim.io.gzip.InputFile;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** Runs a Python script, hands on its lines as they come, and ends it when it stalls or takes too long. */
final class PythonChild {
    private static final String END = "\0end";
    private static final int LAST_LINES = 5;

    /** Tells the script to end when its standard input does: whoever has started it is then gone. */
    private static final String ENDS_WITH_INPUT = "STAGESIM_ENDS_WITH_INPUT";

    private final Path folder;
    private final long timeoutNanos;
    private final long stallNanos;
    private final LinkedBlockingQueue<String> lines = new LinkedBlockingQueue<>();

    /**
     * A child that works in {@code folder}.
     *
     * @param timeoutS longest life in seconds
     * @param stallS longest silence in seconds
     */
    PythonChild(Path folder, int timeoutS, int stallS) {
        this.folder = folder;
        this.timeoutNanos = TimeUnit.SECONDS.toNanos(timeoutS);
        this.stallNanos = TimeUnit.SECONDS.toNanos(stallS);
    }

    /**
     * Runs the command to its end.
     *
     * @return its exit code
     * @throws StageException (input) when there is no such program; (failed) when it stalls or takes too long
     */
    int run(List<String> command, Consumer<String> line) throws IOException {
        Process process = start(command);
        Thread reader = new Thread(() -> read(process), "python-output");
        reader.setDaemon(true);
        reader.start();
        try {
            follow(System.nanoTime(), line);
            process.waitFor();
            ChildProcesses.stayIfEnding();
            return process.exitValue();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw StageException.failed(Problem.of("profiler error", command.get(0), "interrupted"));
        } finally {
            ChildProcesses.end(process);
        }
    }

    private Process start(List<String> command) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(command).directory(folder.toFile());
        builder.redirectError(folder.resolve("stderr.txt").toFile());
        builder.environment().put(ENDS_WITH_INPUT, "1");
        try {
            return ChildProcesses.start(builder);
        } catch (IOException e) {
            throw StageException.input(
                    Problem.config("profile.python", "cannot run '" + command.get(0) + "': " + e.getMessage())
                            .hint("install Python 3 with PyTorch, or name an interpreter that has it:"
                                    + " profile.python=/path/to/python3"),
                    e);
        }
    }

    private void read(Process process) {
        try (BufferedReader out =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            for (String line = out.readLine(); line != null; line = out.readLine()) {
                lines.add(line);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            lines.add(END);
        }
    }

    private void follow(long begun, Consumer<String> line) throws InterruptedException {
        while (true) {
            long left = timeoutNanos - (System.nanoTime() - begun);
            String next = lines.poll(Math.min(left, stallNanos), TimeUnit.NANOSECONDS);
            if (next == null) {
                boolean whole = left <= stallNanos;
                throw StageException.failed(Problem.of(
                                "profiler error",
                                whole ? "profile.timeout_s" : "profile.stall_s",
                                whole
                                        ? "not done within " + TimeUnit.NANOSECONDS.toSeconds(timeoutNanos) + " s"
                                        : "no case finished within " + TimeUnit.NANOSECONDS.toSeconds(stallNanos)
                                                + " s")
                        .hint("raise it, or measure fewer and smaller sizes with profile.grid.*"));
            }
            if (next.equals(END)) {
                return;
            }
            line.accept(next);
        }
    }

    /** The last lines the program wrote to its error stream. */
    String complaint() throws IOException {
        Path errors = folder.resolve("stderr.txt");
        if (!Files.exists(errors)) {
            return "";
        }
        List<String> all = new String(InputFile.rawBytes(errors), StandardCharsets.UTF_8)
                .lines()
                .filter(text -> !text.isBlank())
                .toList();
        return String.join("\n", all.subList(Math.max(0, all.size() - LAST_LINES), all.size()));
    }
}
