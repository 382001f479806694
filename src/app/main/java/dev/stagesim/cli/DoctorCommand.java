package dev.stagesim.cli;

import dev.stagesim.bench.engine.ChildProcesses;
import dev.stagesim.bench.engine.Engine;
import dev.stagesim.bench.engine.EngineStore;
import dev.stagesim.bench.engine.Engines;
import dev.stagesim.cli.console.AlignedTable;
import dev.stagesim.cli.console.ExitCode;
import dev.stagesim.cli.console.Home;
import dev.stagesim.cli.console.Subcommand;
import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonValue;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Checks the environment: reports the available tools, and the missing ones with their purpose. */
@Command(
        name = "doctor",
        description = "Check the environment: Java, memory, disk, GPUs, tools, engines.",
        footer = {
            "",
            "Exit code 3 if a requirement of every command is missing. Missing optional tools do not change it."
        })
final class DoctorCommand extends Subcommand {
    @Option(names = "--json", description = "Print one JSON object.")
    private boolean json;

    @Override
    public Integer call() throws IOException {
        Path work = Home.work();
        List<Check> checks = new ArrayList<>(needed(work));
        checks.addAll(new Tools(Optional.ofNullable(System.getenv("PATH")).orElse("")).checks());
        checks.addAll(engines(store()));
        if (json) {
            console()
                    .result(Json.compact(JsonValue.object()
                            .put(
                                    "checks",
                                    JsonValue.of(
                                            checks.stream().map(Check::object).toList()))
                            .build()));
        } else {
            AlignedTable table = new AlignedTable().row("", "what", "state", "for");
            checks.forEach(check -> table.row(check.mark(), check.name(), check.state(), check.purpose()));
            table.lines().forEach(console()::result);
        }
        boolean ready = checks.stream().allMatch(check -> check.found() || !check.needed());
        console().info(ready ? "All requirements are present." : "A requirement is missing.");
        return ready ? ExitCode.DONE : ExitCode.CHECK;
    }

    /** Returns the checks that apply to every stage. */
    static List<Check> needed(Path work) throws IOException {
        double heap = Runtime.getRuntime().maxMemory() / 1e9;
        Path runs = Files.isDirectory(work.resolve("tmp")) ? work.resolve("tmp") : work;
        boolean writable = Files.isWritable(runs);
        double free = Files.getFileStore(runs).getUsableSpace() / 1e9;
        return List.of(
                new Check("Java", true, true, Runtime.version().toString(), "everything; 17 or newer"),
                new Check(
                        "processors",
                        true,
                        true,
                        Integer.toString(Runtime.getRuntime().availableProcessors()),
                        "sweeps and searches, which run one job per processor"),
                new Check(
                        "heap",
                        true,
                        true,
                        String.format(Locale.ROOT, "%.1f GB at most", heap),
                        "large runs; STAGE_JAVA_OPTS=-Xmx8g increases the heap"),
                new Check(
                        "runs",
                        true,
                        writable,
                        (writable ? "" : "cannot be written, ") + String.format(Locale.ROOT, "%.0f GB free", free),
                        "tmp/ in " + work));
    }

    private static List<Check> engines(EngineStore store) {
        return Engines.all().stream()
                .map(engine -> new Check(
                        engine.name(),
                        false,
                        store.installed(engine).isPresent(),
                        engineState(engine, store),
                        engine.doc()))
                .toList();
    }

    private static String engineState(Engine engine, EngineStore store) {
        if (store.installed(engine).isPresent()) {
            return engine.version();
        }
        return engine.runsHere() ? "stage engines install " + engine.name() : "runs on " + engine.platform();
    }

    /**
     * One check of the environment.
     *
     * @param needed true if every stage needs it
     * @param state version, size, or how to get it
     * @param purpose use of the program or resource
     */
    record Check(String name, boolean needed, boolean found, String state, String purpose) {
        String mark() {
            return found ? "ok" : needed ? "!!" : "-";
        }

        private JsonValue object() {
            return JsonValue.object()
                    .put("name", name)
                    .put("needed", needed)
                    .put("found", found)
                    .put("state", state)
                    .put("for", purpose)
                    .build();
        }
    }

    /**
     * Checks of optional programs.
     *
     * @param path the directories of programs, as in the variable PATH
     */
    record Tools(String path) {
        private static final int TIMEOUT_SECONDS = 20;

        List<Check> checks() {
            return List.of(
                    gpus(),
                    torch(),
                    place("Maven", "building and testing; a built product runs without it", "mvn"),
                    place(
                            "Chromium",
                            "browser tests; reports open in any browser",
                            "chromium",
                            "chromium-browser",
                            "google-chrome",
                            "google-chrome-stable"),
                    perfetto());
        }

        private Check place(String name, String purpose, String... programs) {
            Optional<Path> found = Arrays.stream(programs)
                    .flatMap(program -> program(program).stream())
                    .findFirst();
            return new Check(
                    name, false, found.isPresent(), found.map(Path::toString).orElse("not found"), purpose);
        }

        /** The program is optional, because Perfetto's web page also opens traces. */
        private Check perfetto() {
            Check found = place(
                    "Perfetto",
                    "queries on trace.json; reports and the studio have their own timelines",
                    "trace_processor",
                    "trace_processor_shell");
            return found.found()
                    ? found
                    : new Check(found.name(), false, false, "https://ui.perfetto.dev opens traces", found.purpose());
        }

        private Check gpus() {
            List<String> gpus = output(List.of("nvidia-smi", "--query-gpu=name,memory.total", "--format=csv,noheader"));
            String state = gpus.isEmpty() ? "none found by nvidia-smi" : gpus.size() + " x " + gpus.get(0);
            return new Check(
                    "GPU",
                    false,
                    !gpus.isEmpty(),
                    state,
                    "measurements on this machine with vidur_profile profile=torch");
        }

        private Check torch() {
            List<String> output = output(List.of("python3", "-c", "import torch; print(torch.__version__)"));
            String state = output.isEmpty() ? "pip install torch" : output.get(0);
            return new Check("PyTorch", false, !output.isEmpty(), state, "vidur_profile profile=torch");
        }

        /** Returns the output lines of a program; empty if it is absent, fails, or does not end in time. */
        List<String> output(List<String> command) {
            Optional<Path> program = program(command.get(0));
            if (program.isEmpty()) {
                return List.of();
            }
            List<String> words = new ArrayList<>(command);
            words.set(0, program.get().toString());
            try {
                Process process =
                        ChildProcesses.start(new ProcessBuilder(words).redirectError(ProcessBuilder.Redirect.DISCARD));
                boolean ended = process.waitFor(TIMEOUT_SECONDS, TimeUnit.SECONDS);
                byte[] out = ended ? process.getInputStream().readAllBytes() : new byte[0];
                ChildProcesses.end(process);
                return ended && process.exitValue() == 0
                        ? new String(out, StandardCharsets.UTF_8).lines().toList()
                        : List.of();
            } catch (IOException cannotStart) {
                return List.of();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return List.of();
            }
        }

        private Optional<Path> program(String name) {
            return Arrays.stream(path.split(File.pathSeparator, -1))
                    .filter(folder -> !folder.isBlank())
                    .map(folder -> Path.of(folder, name))
                    .filter(file -> Files.isRegularFile(file) && Files.isExecutable(file))
                    .findFirst();
        }
    }
}
