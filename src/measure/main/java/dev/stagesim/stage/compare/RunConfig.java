package dev.stagesim.stage.compare;

import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.io.json.LocatedJson;
import dev.stagesim.model.StageException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The model and the hardware of a finished simulation, as defaults for a measured file. */
final class RunConfig {
    private static final String NAME = "name";

    private RunConfig() {}

    /**
     * Returns the sections of a run that differ from these settings, for {@link dev.stagesim.stage.Upstream#with}.
     *
     * <p>It is an error if the user sets such a section to another value, because it would have no effect.
     */
    static Map<String, Object> differences(Path run, CompareStageSettings settings) throws IOException {
        Path file = run.resolve("config").resolve("config.json");
        Map<String, Object> differences = new LinkedHashMap<>();
        if (!Files.isRegularFile(file)) {
            return differences;
        }
        try {
            LocatedJson config = Json.read(file);
            section(config, "model", settings.model().name(), differences);
            section(config, "hardware", settings.hardware().name(), differences);
        } catch (StageException damaged) {
            // the plan rejects a damaged run when it opens the run
            return Map.of();
        }
        return differences;
    }

    private static void section(LocatedJson config, String section, String name, Map<String, Object> differences) {
        config.find(section)
                .filter(LocatedJson::isObject)
                .filter(at -> !at.text(NAME, name).equals(name))
                .ifPresent(at -> differences.put(section, plain(at.value())));
    }

    private static Object plain(JsonValue value) {
        if (value instanceof JsonValue.Obj object) {
            Map<String, Object> members = new LinkedHashMap<>();
            object.members().forEach((name, member) -> members.put(name, plain(member)));
            return members;
        }
        if (value instanceof JsonValue.Arr array) {
            List<Object> items = new ArrayList<>();
            array.items().forEach(item -> items.add(plain(item)));
            return items;
        }
        return scalar(value);
    }

    private static Object scalar(JsonValue value) {
        if (value instanceof JsonValue.Int number) {
            return number.value();
        }
        if (value instanceof JsonValue.Real number) {
            return number.value();
        }
        if (value instanceof JsonValue.Bool flag) {
            return flag.value();
        }
        return value instanceof JsonValue.Str text ? text.value() : Optional.empty();
    }
}
