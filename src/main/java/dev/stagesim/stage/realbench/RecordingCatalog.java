package dev.stagesim.stage.realbench;

import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonAt;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** The recordings shipped with the product, under {@code configs/recordings/}, in order of name. */
record RecordingCatalog(List<Entry> entries) {
    private static final String DESCRIPTION = "recording.json";

    /**
     * One recording.
     *
     * @param directory where it lies
     * @param model model it is of
     * @param hardware hardware it was made on
     * @param workload workload option whose requests it measured
     */
    record Entry(Path directory, String model, String hardware, String workload) {
        String name() {
            return directory.getFileName().toString();
        }

        String describe() {
            return name() + " (" + model + " on " + hardware + ", workload=" + workload + ")";
        }
    }

    static RecordingCatalog at(Path home) throws IOException {
        Path root = home.resolve("configs").resolve("recordings");
        List<Entry> entries = new ArrayList<>();
        if (Files.isDirectory(root)) {
            try (Stream<Path> directories = Files.list(root)) {
                for (Path directory : directories.sorted().toList()) {
                    if (Files.exists(directory.resolve(DESCRIPTION))) {
                        JsonAt json = Json.read(directory.resolve(DESCRIPTION));
                        entries.add(new Entry(
                                directory,
                                json.get("model").asString(),
                                json.get("hardware").asString(),
                                json.get("workload").get("option").asString()));
                    }
                }
            }
        }
        return new RecordingCatalog(entries);
    }

    /** The recordings of a model on a hardware; none is the user's error. */
    List<Entry> of(String model, String hardware) {
        List<Entry> found = entries.stream()
                .filter(e -> e.model().equals(model) && e.hardware().equals(hardware))
                .toList();
        if (found.isEmpty()) {
            throw StageException.input(none("there is no recording of model " + model + " on hardware " + hardware));
        }
        return found;
    }

    /** The error that no recording fits, listing those there are. */
    Problem none(String what) {
        Problem problem = Problem.of("config error", "real.file", what);
        for (Entry entry : entries) {
            problem = problem.note("recording", entry.describe());
        }
        return problem.hint("give a measurement with real.file=FILE, or a finished run with real.dir=DIR");
    }
}
