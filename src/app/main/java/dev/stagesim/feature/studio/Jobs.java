package dev.stagesim.feature.studio;

import dev.stagesim.bench.engine.ChildProcesses;
import dev.stagesim.io.gzip.InputFile;
import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.io.json.LocatedJson;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.sweep.SweepFiles;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Commands started from the page, each in a launcher process. The command line, the output and the exit code are stored
 * in {@code tmp/.studio/jobs}. A stopped sweep continues when its command is started again, because finished runs are
 * reused.
 */
final class Jobs implements AutoCloseable {
    /** Exit codes of a process ended by a signal, for example by Ctrl-C. */
    private static final Set<Long> STOPPED = Set.of(130L, 143L);

    private static final String LOG = "log.txt";
    private static final String OUT = "out.txt";
    private static final String JOB = "job.json";
    private static final int MAX_RUNNING = 4;
    private static final int MAX_LOG_BYTES = 1 << 16;
    private static final long TIMEOUT_SECONDS = 5;

    private final List<String> launcher;
    private final Path work;
    private final Path folder;
    private final Map<Integer, Process> running = new TreeMap<>();

    Jobs(Path home, Path work) {
        this.launcher = launcher(home);
        this.work = work;
        this.folder = work.resolve("tmp").resolve(RunIndex.FOLDER).resolve("jobs");
    }

    /** Returns the launcher, or the Java of this process if no shell is available, as in a container. */
    private static List<String> launcher(Path home) {
        boolean hasShell = Pattern.compile(File.pathSeparator)
                .splitAsStream(String.valueOf(System.getenv("PATH")))
                .anyMatch(dir -> Files.isExecutable(Path.of(dir, "bash")));
        return hasShell
                ? List.of(home.resolve("stage").toString())
                : List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Dstagesim.home=" + home,
                        "-cp",
                        System.getProperty("java.class.path"),
                        "dev.stagesim.cli.Main");
    }

    /** Starts a command and returns its number. */
    synchronized int start(CommandRequest words) throws IOException {
        List<Integer> known = ids();
        int id = known.isEmpty() ? 1 : known.get(known.size() - 1) + 1;
        Path dir = Files.createDirectories(folder.resolve(Integer.toString(id)));
        launch(id, dir, words);
        return id;
    }

    /** Restarts a command that has ended, if pages may still start it. */
    synchronized void again(int id) throws IOException {
        if (isRunning(id)) {
            throw StageException.input(Problem.usage("job " + id, "is running"));
        }
        Path dir = dir(id);
        LocatedJson job = Json.read(dir.resolve(JOB));
        CommandRequest.Request request = new CommandRequest.Request(
                job.get("stage").asString(),
                job.get("words").asStrings(),
                Optional.of(job.flag("sweep")),
                Optional.empty());
        launch(id, dir, CommandRequest.of(request));
    }

    /** Stops a command; it cleans up as after Ctrl-C. */
    synchronized void stop(int id) throws IOException {
        dir(id);
        Process process = running.get(id);
        if (process == null || !process.isAlive()) {
            throw StageException.input(Problem.usage("job " + id, "is not running"));
        }
        process.destroy();
    }

    private boolean isRunning(int id) {
        Process process = running.get(id);
        return process != null && process.isAlive();
    }

    private void launch(int id, Path dir, CommandRequest words) throws IOException {
        if (running.values().stream().filter(Process::isAlive).count() >= MAX_RUNNING) {
            throw StageException.input(Problem.usage("start", "at most " + MAX_RUNNING + " commands run at once")
                    .hint("stop one first"));
        }
        List<String> command = new ArrayList<>(launcher);
        command.addAll(words.confined());
        write(dir, words, null);
        Process process = ChildProcesses.start(new ProcessBuilder(command)
                .directory(work.toFile())
                .redirectOutput(dir.resolve(OUT).toFile())
                .redirectError(ProcessBuilder.Redirect.appendTo(dir.resolve(LOG).toFile())));
        running.put(id, process);
        Thread ear = new Thread(() -> note(process, dir, words), "studio-job-" + id);
        ear.setDaemon(true);
        ear.start();
    }

    /** Waits for the end of a command and stores its exit code. */
    private static void note(Process process, Path dir, CommandRequest words) {
        try {
            write(dir, words, process.waitFor());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (IOException | UncheckedIOException unwritten) {
            // The exit code is then unknown in later sessions.
        }
    }

    private static void write(Path dir, CommandRequest words, @Nullable Integer code) throws IOException {
        JsonValue.Obj job = words.json()
                .put("noted", Instant.now().truncatedTo(ChronoUnit.SECONDS).toString())
                .put("code", code == null ? JsonValue.NULL : JsonValue.of((long) code))
                .build();
        SweepFiles.write(dir.resolve(JOB), to -> Json.write(to, job));
    }

    synchronized JsonValue list() throws IOException {
        List<JsonValue> all = new ArrayList<>();
        for (int id : ids()) {
            all.add(0, summary(id));
        }
        return JsonValue.of(all);
    }

    private JsonValue.Obj summary(int id) throws IOException {
        Path dir = dir(id);
        LocatedJson job = Json.read(dir.resolve(JOB));
        Optional<Long> code = job.find("code").filter(one -> !one.isNull()).map(LocatedJson::asLong);
        String ended = code.map(one -> STOPPED.contains(one) ? "stopped" : one == 0 ? "done" : "ended with " + one)
                .orElse("ended with the studio");
        List<String> results = Files.isRegularFile(dir.resolve(OUT))
                ? new String(InputFile.rawBytes(dir.resolve(OUT)), StandardCharsets.UTF_8)
                        .lines()
                        .limit(100)
                        .toList()
                : List.of();
        return JsonValue.object()
                .put("id", id)
                .put("command", job.get("command").asString())
                .put("noted", job.get("noted").asString())
                .put("state", isRunning(id) ? "running" : ended)
                .put("running", isRunning(id))
                .put("results", JsonValue.strings(results))
                .build();
    }

    /** Returns a command with the part of its log from offset {@code from}. */
    synchronized JsonValue show(int id, int from) throws IOException {
        Path log = dir(id).resolve(LOG);
        if (Files.isRegularFile(log)) {
            try (SeekableByteChannel in = InputFile.channel(log)) {
                long at = Math.min(in.size(), Math.max(from, in.size() - MAX_LOG_BYTES));
                ByteBuffer room = ByteBuffer.allocate((int) (in.size() - at));
                in.position(at);
                while (room.hasRemaining() && in.read(room) >= 0) {
                    // Read until the buffer is full.
                }
                byte[] text = room.array();
                return summary(id)
                        .with("log", JsonValue.of(new String(text, StandardCharsets.UTF_8)))
                        .with("next", JsonValue.of(at + text.length));
            }
        }
        return summary(id).with("log", JsonValue.of("")).with("next", JsonValue.of(0L));
    }

    private Path dir(int id) throws IOException {
        Path dir = folder.resolve(Integer.toString(id));
        if (!Files.isRegularFile(dir.resolve(JOB))) {
            throw new NoSuchFileException("job " + id);
        }
        return dir;
    }

    private List<Integer> ids() throws IOException {
        try (Stream<Path> dirs = Files.list(folder)) {
            return dirs.map(dir -> dir.getFileName().toString())
                    .filter(name -> name.matches("\\d{1,9}"))
                    .map(Integer::valueOf)
                    .filter(id ->
                            Files.isRegularFile(folder.resolve(id.toString()).resolve(JOB)))
                    .sorted()
                    .toList();
        } catch (NoSuchFileException none) {
            return List.of();
        }
    }

    /** Stops all processes that the studio started. */
    @Override
    public void close() {
        List<Process> all;
        synchronized (this) {
            all = List.copyOf(running.values());
        }
        all.forEach(Process::destroy);
        for (Process process : all) {
            try {
                if (!process.waitFor(TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
                    ChildProcesses.end(process);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                ChildProcesses.end(process);
            }
        }
    }
}
