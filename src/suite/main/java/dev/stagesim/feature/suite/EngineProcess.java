package dev.stagesim.feature.suite;

import dev.stagesim.bench.engine.ChildProcesses;
import dev.stagesim.io.gzip.InputFile;
import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.LocatedJson;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * A process with an engine on its class path. It receives a job file and writes results as JSON lines. If the process
 * dies, only that job fails.
 *
 * @param classPath the runner's classes and the engine's jars
 * @param mainClass main class of the process
 * @param options JVM options
 * @param environment environment variables to set
 * @param timeoutS maximum run time in seconds
 */
record EngineProcess(
        List<Path> classPath, String mainClass, List<String> options, Map<String, String> environment, int timeoutS) {
    private static final String CATEGORY = "engine error";
    private static final int LAST_LINES = 6;
    private static final int FROM_SIGNAL = 128;
    private static final int ABORTED = 6;
    private static final int KILLED = 9;
    private static final int FAULT = 11;

    public EngineProcess {
        classPath = List.copyOf(classPath);
        options = List.copyOf(options);
        environment = Map.copyOf(environment);
    }

    /**
     * Runs a job to its end.
     *
     * @param job file with the job
     * @param log file for other output of the process
     * @param answer receives every result as it arrives
     * @throws StageException (failed) if the process reports an error, dies or exceeds the timeout
     */
    void run(Path job, Path log, Consumer<LocatedJson> answer) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(command(job)).redirectError(log.toFile());
        // Crash files are written next to the job.
        builder.directory(
                Objects.requireNonNull(job.toAbsolutePath().getParent()).toFile());
        builder.environment().putAll(environment);
        Process process = ChildProcesses.start(builder);
        AtomicBoolean isLate = new AtomicBoolean();
        Thread watch = new Thread(() -> watch(process, isLate), "engine-watch");
        watch.setDaemon(true);
        watch.start();
        List<String> failures = new ArrayList<>();
        try {
            follow(process, answer, failures);
            int code = process.waitFor();
            ChildProcesses.blockIfShuttingDown();
            if (isLate.get()) {
                throw failed(log, "bench.timeout_s", "did not finish within " + timeoutS + " s");
            }
            if (code != 0) {
                throw failed(log, "the process", failures.isEmpty() ? died(code) : failures.get(0));
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw StageException.failed(Problem.of(CATEGORY, "the process", "interrupted"));
        } finally {
            ChildProcesses.end(process);
            watch.interrupt();
        }
    }

    private static void follow(Process process, Consumer<LocatedJson> answer, List<String> failures)
            throws IOException {
        try (BufferedReader lines =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                if (!line.startsWith("{")) {
                    continue;
                }
                LocatedJson said = Json.parse(line, "answer of the engine");
                if (said.get("event").asString().equals("failed")) {
                    failures.add(said.get("why").asString());
                } else {
                    answer.accept(said);
                }
            }
        }
    }

    private void watch(Process process, AtomicBoolean isLate) {
        try {
            if (!process.waitFor(timeoutS, TimeUnit.SECONDS)) {
                isLate.set(true);
                process.destroyForcibly();
            }
        } catch (InterruptedException done) {
            Thread.currentThread().interrupt();
        }
    }

    private static String died(int code) {
        int signal = code - FROM_SIGNAL;
        String why = signal == KILLED
                ? " (killed, often for memory)"
                : signal == ABORTED || signal == FAULT ? " (native code of the engine crashed)" : "";
        return signal > 0 ? "died of signal " + signal + why : "ended with exit code " + code;
    }

    private static StageException failed(Path log, String where, String why) throws IOException {
        Problem problem = Problem.of(CATEGORY, where, why);
        if (Files.exists(log)) {
            List<String> said = new String(InputFile.rawBytes(log), StandardCharsets.UTF_8)
                    .lines()
                    .filter(line -> !line.isBlank())
                    .toList();
            for (String line : said.subList(Math.max(0, said.size() - LAST_LINES), said.size())) {
                problem = problem.note("said", line);
            }
        }
        return StageException.failed(problem);
    }

    private List<String> command(Path job) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(options);
        command.add("-cp");
        command.add(classPath.stream()
                .map(jar -> jar.toAbsolutePath().toString())
                .collect(Collectors.joining(File.pathSeparator)));
        command.add(mainClass);
        command.add(job.toAbsolutePath().toString());
        return command;
    }
}
