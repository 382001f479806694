package dev.stagesim.pipeline;

import dev.stagesim.config.bind.BindOptions;
import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonAt;
import dev.stagesim.io.json.JsonObjectBuilder;
import dev.stagesim.io.json.JsonValue;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * A run to be made, as one line of text that another process or machine can read: its whole configuration, resolved, so
 * that no config file is needed there. Relative paths stay relative to the working directory.
 *
 * @param stage name of the stage
 * @param request what is asked
 * @param options how it is launched
 */
public record PortableRun(String stage, RunRequest request, RunOptions options) {
    /** One line of JSON. */
    public String text() {
        JsonObjectBuilder choices = JsonValue.object();
        request.choices().forEach(choices::putOrNull);
        return Json.compact(JsonValue.object()
                .put("stage", stage)
                .put("force", JsonValue.of(options.force()))
                .put("repeat", options.repeat().map(k -> JsonValue.of((long) k)).orElse(JsonValue.NULL))
                .put("config", NodeJson.json(request.config()))
                .put("overrides", JsonValue.strings(request.overrides()))
                .put("choices", choices.build())
                .putOrNull("config_name", request.configName())
                .putOrNull("config_path", request.configPath())
                .build());
    }

    /** Reads what {@link #text} wrote; the options of config groups are unknown then, for messages only. */
    public static PortableRun read(String text) {
        JsonAt at = Json.parse(text, "job");
        Map<String, Optional<String>> choices = new LinkedHashMap<>();
        at.get("choices")
                .members()
                .forEach((group, option) ->
                        choices.put(group, option.isNull() ? Optional.empty() : Optional.of(option.asString())));
        RunRequest request = new RunRequest(
                NodeJson.node(at.get("config")),
                at.get("overrides").asStrings(),
                choices,
                text(at, "config_name"),
                text(at, "config_path"),
                BindOptions.STRICT);
        JsonAt repeat = at.get("repeat");
        Optional<Integer> number = repeat.isNull() ? Optional.empty() : Optional.of(repeat.asInt());
        return new PortableRun(
                at.get("stage").asString(),
                request,
                new RunOptions(at.get("force").asBool(), number));
    }

    private static Optional<String> text(JsonAt at, String name) {
        return at.get(name).isNull()
                ? Optional.empty()
                : Optional.of(at.get(name).asString());
    }
}
