package dev.stagesim.stage.vidurprofile;

import dev.stagesim.bench.engine.ChildProcesses;
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

/** Runs a Python script, forwards its output lines, and kills it on a stall or a timeout. */
final class PythonChild {
    private static final String END = "\0end";
    private static final int LAST_LINES = 5;

    /** Option that makes the script exit at the end of its standard input, when its parent has exited. */
    private static final String ENDS_WITH_INPUT = "STAGESIM_ENDS_WITH_INPUT";

    private final Path folder;
    private final long timeoutNanos;
    private final long stallNanos;
    private final LinkedBlockingQueue<String> lines = new LinkedBlockingQueue<>();

    /**
     * Creates a process with the working directory {@code folder}.
     *
     * @param timeoutS timeout of the process in seconds
     * @param stallS timeout between output lines in seconds
     */
    PythonChild(Path folder, int timeoutS, int stallS) {
        this.folder = folder;
        this.timeoutNanos = TimeUnit.SECONDS.toNanos(timeoutS);
        this.stallNanos = TimeUnit.SECONDS.toNanos(stallS);
    }

    /**
     * Runs the command until it exits.
     *
     * @return the exit code
     * @throws StageException (input) if the program does not exist; (failed) on a stall or a timeout
     */
    int run(List<String> command, Consumer<String> line) throws IOException {
        Process process = start(command);
        Thread reader = new Thread(() -> read(process), "python-output");
        reader.setDaemon(true);
        reader.start();
        try {
            follow(System.nanoTime(), line);
            process.waitFor();
            ChildProcesses.blockIfShuttingDown();
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
                            .hint("install Python 3 with PyTorch, or select an interpreter that has it: "
                                    + "profile.python=/path/to/python3"),
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
                                        ? "not complete within " + TimeUnit.NANOSECONDS.toSeconds(timeoutNanos) + " s"
                                        : "no case finished within " + TimeUnit.NANOSECONDS.toSeconds(stallNanos)
                                                + " s")
                        .hint("raise it, or reduce the sizes with profile.grid.*"));
            }
            if (next.equals(END)) {
                return;
            }
            line.accept(next);
        }
    }

    /** Returns the last lines of the error stream. */
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
