package dev.stagesim.pipeline.request;

import dev.stagesim.config.bind.BindOptions;
import dev.stagesim.config.tree.NodeJson;
import dev.stagesim.contract.TableFormat;
import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonBinder;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.io.json.RecordJson;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A planned run as one line of text for another process or machine. It contains the whole resolved configuration, so
 * that no config file is needed there. Relative paths remain relative to the working directory.
 *
 * @param stage name of the stage
 * @param request the request
 * @param options how the run is launched
 */
public record PortableRun(String stage, RunRequest request, RunOptions options) {
    /** The text form of a run. */
    private record Line(
            String stage,
            boolean force,
            Optional<Integer> repeat,
            String format,
            JsonValue.Obj config,
            List<String> overrides,
            Map<String, Optional<String>> choices,
            Optional<String> configName,
            Optional<String> configPath) {}

    /** Returns the run as one line of JSON. */
    public String text() {
        return Json.compact(RecordJson.write(new Line(
                stage,
                options.force(),
                options.repeat(),
                options.format().word(),
                NodeJson.json(request.config()),
                request.overrides(),
                request.choices(),
                request.configName(),
                request.configPath())));
    }

    /** Parses the output of {@link #text}. The options of config groups, which only messages use, are not restored. */
    public static PortableRun read(String text) {
        Line line = JsonBinder.OWN.parse(text, "job", Line.class);
        RunRequest request = new RunRequest(
                NodeJson.node(line.config(), "job"),
                line.overrides(),
                line.choices(),
                line.configName(),
                line.configPath(),
                BindOptions.STRICT);
        TableFormat format = TableFormat.of(line.format()).orElseThrow();
        return new PortableRun(line.stage(), request, new RunOptions(line.force(), line.repeat(), format));
    }
}
