package dev.stagesim.sweep;

import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.io.json.LocatedJson;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * The request of a sweep, stored next to its manifest so that it can be launched again.
 *
 * @param words overrides of the stage, including sweeps
 * @param sweep overrides of the sweep that determine its jobs, without the launcher
 * @param configName primary config
 * @param configPath directory that replaces the product's configs
 * @param configDirs additional directories of configs
 */
public record SweepInvocation(
        String stage,
        List<String> words,
        List<String> sweep,
        String configName,
        Optional<String> configPath,
        List<String> configDirs) {
    static final String FILE = "invocation.json";

    public SweepInvocation {
        words = List.copyOf(words);
        sweep = List.copyOf(sweep);
        configDirs = List.copyOf(configDirs);
    }

    /** Writes the request into the directory of a sweep. */
    public void write(Path dir) throws IOException {
        Files.createDirectories(dir);
        JsonValue json = JsonValue.object()
                .put("stage", stage)
                .put("words", JsonValue.strings(words))
                .put("sweep", JsonValue.strings(sweep))
                .put("config_name", configName)
                .putOrNull("config_path", configPath)
                .put("config_dirs", JsonValue.strings(configDirs))
                .build();
        SweepFiles.write(dir.resolve(FILE), to -> Json.write(to, json));
    }

    /**
     * Reads the request of a sweep.
     *
     * @throws StageException (input) if the sweep has no request
     */
    public static SweepInvocation read(Path dir) throws IOException {
        if (!Files.isRegularFile(dir.resolve(FILE))) {
            throw StageException.input(Problem.of("sweep error", dir.toString(), "has no record of its command")
                    .hint("repeat the command: finished jobs are reused"));
        }
        LocatedJson at = Json.read(dir.resolve(FILE));
        LocatedJson path = at.get("config_path");
        return new SweepInvocation(
                at.get("stage").asString(),
                at.get("words").asStrings(),
                at.get("sweep").asStrings(),
                at.get("config_name").asString(),
                path.isNull() ? Optional.empty() : Optional.of(path.asString()),
                at.get("config_dirs").asStrings());
    }
}
