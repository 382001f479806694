package dev.stagesim.blackbox;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/** Starts {@code ./stage} in a separate directory and captures its output. */
final class StageProcess {
    private static final long TIMEOUT_MINUTES = 5;

    private final Path home = Path.of(System.getProperty("stagesim.home", "")).toAbsolutePath();
    private final Path scratch;
    private final Map<String, String> environment = new TreeMap<>();
    private long patienceMinutes = TIMEOUT_MINUTES;

    /** Runs commands in {@code scratch}, so that their {@code tmp/} is there. */
    StageProcess(Path scratch) {
        this.scratch = scratch;
    }

    /** The result of a command. */
    record Result(int exit, String out, String err) {
        /** Returns the only line on stdout. */
        String line() {
            List<String> lines = out.lines().toList();
            if (lines.size() != 1) {
                throw new AssertionError("expected one line on stdout, got " + lines + "\nstderr: " + err);
            }
            return lines.get(0);
        }
    }

    /** Returns the run directory that a command printed. */
    Path dir(Result result) {
        return scratch.resolve(result.line());
    }

    Path home() {
        return home;
    }

    Path runs() {
        return scratch.resolve("tmp");
    }

    StageProcess with(String name, String value) {
        environment.put(name, value);
        return this;
    }

    /** Increases the timeout of a command. */
    StageProcess patient(long minutes) {
        patienceMinutes = minutes;
        return this;
    }

    /** Runs a command to its end in the scratch directory. */
    Result run(String... arguments) {
        try {
            Path out = Files.createTempFile(scratch, "out", ".txt");
            Path err = Files.createTempFile(scratch, "err", ".txt");
            Process process = builder(arguments)
                    .redirectOutput(out.toFile())
                    .redirectError(err.toFile())
                    .start();
            process.getOutputStream().close();
            if (!process.waitFor(patienceMinutes, TimeUnit.MINUTES)) {
                process.destroyForcibly();
                throw new AssertionError("still running after " + patienceMinutes + " min: " + List.of(arguments));
            }
            return new Result(process.exitValue(), text(out), text(err));
        } catch (IOException failure) {
            throw new AssertionError(failure);
        } catch (InterruptedException interrupt) {
            Thread.currentThread().interrupt();
            throw new AssertionError(interrupt);
        }
    }

    ProcessBuilder builder(String... arguments) {
        List<String> command = new ArrayList<>(List.of(home.resolve("stage").toString()));
        command.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(command).directory(scratch.toFile());
        builder.environment().putAll(environment);
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        return builder;
    }

    private static String text(Path file) throws IOException {
        return Files.readString(file, StandardCharsets.UTF_8);
    }
}
