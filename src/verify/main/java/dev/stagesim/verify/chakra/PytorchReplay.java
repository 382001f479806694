package dev.stagesim.verify.chakra;

import dev.stagesim.bench.engine.Scratch;
import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonMode;
import dev.stagesim.io.json.LocatedJson;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.stage.RunInput;
import dev.stagesim.stage.StageContext;
import dev.stagesim.stage.workload.WorkloadStage;
import dev.stagesim.traces.PytorchWorkload;
import dev.stagesim.verify.Difference;
import dev.stagesim.verify.JsonDiff;
import dev.stagesim.workload.ArrivalSettings;
import dev.stagesim.workload.CompatMode;
import dev.stagesim.workload.SuiteSettings;
import dev.stagesim.workload.WorkloadSettings;
import dev.stagesim.workload.WorkloadStageSettings;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** PyTorch traces linked and converted; linked ones are compared as JSON, converted ones byte for byte. */
final class PytorchReplay {
    private static final String LINKED = "linked_0.json";
    private static final String LOG = "simulate.log";
    private static final double PAUSE = 1000;

    private PytorchReplay() {}

    static List<Difference> replay(ChakraCase recorded) throws IOException {
        try (Scratch work = Scratch.temporary()) {
            return replay(recorded, work.dir());
        }
    }

    private static List<Difference> replay(ChakraCase recorded, Path work) throws IOException {
        Path given = recorded.folder().resolve("in");
        Path linked = work.resolve("linked.0.json");
        Map<String, byte[]> ours = new TreeMap<>();
        List<Difference> differences = new ArrayList<>();
        Optional<byte[]> direct = Optional.empty();
        for (LocatedJson step : recorded.json().get("steps").items()) {
            try {
                if (step.get("tool").asString().equals("chakra_trace_link")) {
                    direct = link(given, step, work, linked);
                } else {
                    Path file = Files.exists(linked) ? linked : given.resolve(LINKED);
                    byte[] converted = convert(file, step.get("argv").asStrings(), work, ours);
                    if (direct.isPresent() && !Arrays.equals(direct.get(), converted)) {
                        differences.add(new Difference(
                                "without a file between", "the same", direct.get().length + " other bytes"));
                    }
                }
            } catch (StageException refused) {
                if (step.get("exit_code").asInt() == 0) {
                    throw refused;
                }
                break;
            }
            if (step.get("exit_code").asInt() != 0) {
                differences.add(new Difference("outcome", step.get("error").asString(), "a result"));
            }
        }
        differences.addAll(compare(recorded, ours, linked));
        return differences;
    }

    /** Links the given traces. The result is written without reading the linked file if possible. */
    private static Optional<byte[]> link(Path given, LocatedJson step, Path work, Path linked) throws IOException {
        Optional<LocatedJson> starts = step.find("sync_table");
        Optional<Path> table = starts.map(json -> work.resolve("sync_table.json"));
        if (starts.isPresent()) {
            Json.write(table.get(), starts.get().value());
        }
        Optional<Path> device = Optional.of(given.resolve("kineto_0.json"));
        try {
            return Optional.of(run(given.resolve("host_0.json"), device, table, false, work));
        } catch (StageException refused) {
            if (Files.exists(linked)) {
                return Optional.empty();
            }
            throw refused;
        }
    }

    private static byte[] convert(Path linked, List<String> arguments, Path work, Map<String, byte[]> ours)
            throws IOException {
        boolean isSimulated = arguments.contains("--simulate");
        byte[] converted = run(linked, Optional.empty(), Optional.empty(), isSimulated, work);
        ours.put(arguments.get(arguments.indexOf("--output") + 1), converted);
        if (isSimulated) {
            ours.put(
                    LOG,
                    Files.readString(work.resolve("simulate.0.log")).strip().getBytes(StandardCharsets.UTF_8));
        }
        return converted;
    }

    private static byte[] run(Path host, Optional<Path> device, Optional<Path> table, boolean isSimulated, Path work)
            throws IOException {
        WorkloadSettings workload = new PytorchWorkload(
                Optional.empty(),
                host,
                device,
                Optional.empty(),
                Optional.empty(),
                "trace",
                device.isPresent(),
                PAUSE,
                table,
                Optional.empty(),
                isSimulated);
        WorkloadStageSettings settings = new WorkloadStageSettings(
                workload,
                new ArrivalSettings.Poisson(1),
                CompatMode.CHAKRA,
                new SuiteSettings(SuiteSettings.Values.TABLE));
        new WorkloadStage().check(settings, work);
        new WorkloadStage().run(settings, new Quiet(work));
        return Files.readAllBytes(work.resolve("trace.0.et"));
    }

    /** A run without observers. */
    private record Quiet(Path out) implements StageContext {
        @Override
        public RunInput input(String role) {
            throw new IllegalStateException("a workload has no input");
        }

        @Override
        public Path home() {
            return out;
        }

        @Override
        public void progress(String what, long done, long total) {}

        @Override
        public void warn(String message) {}

        @Override
        public void headline(String name, double value) {}

        @Override
        public void checkFailed(Problem problem) {}
    }

    private static List<Difference> compare(ChakraCase recorded, Map<String, byte[]> ours, Path linked)
            throws IOException {
        List<Difference> differences = new ArrayList<>();
        Path wanted = recorded.folder().resolve("out").resolve(LINKED);
        if (Files.exists(wanted) && Files.exists(linked)) {
            JsonDiff.differences(
                            Json.read(wanted, JsonMode.NON_FINITE).value(),
                            Json.read(linked, JsonMode.NON_FINITE).value())
                    .forEach(differences::add);
        } else if (Files.exists(wanted)) {
            differences.add(new Difference(LINKED, "a file", "none"));
        }
        Map<String, byte[]> expected = recorded.expected();
        expected.keySet().removeAll(List.of(LINKED));
        differences.addAll(recorded.compare(expected, ours));
        return differences;
    }
}
