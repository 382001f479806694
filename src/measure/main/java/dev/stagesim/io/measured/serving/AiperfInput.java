package dev.stagesim.io.measured.serving;

import dev.stagesim.io.json.JsonValue;
import dev.stagesim.io.json.LocatedJson;
import dev.stagesim.io.measured.MeasurementBuilder;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** The member {@code input_config} of AIPerf and GenAI-Perf, in all schemas. */
final class AiperfInput {
    private AiperfInput() {}

    /** Keeps the model, the load and the lengths, under the names of all schemas. */
    static void read(LocatedJson config, MeasurementBuilder builder) {
        builder.settings(config);
        for (String section : List.of("endpoint", "loadgen", "input", "datasets", "phases")) {
            config.find(section)
                    .filter(at -> !(at.value() instanceof JsonValue.Str))
                    .ifPresent(builder::nestedSettings);
        }
        model(config).ifPresent(builder::model);
        LocatedJson load = object(config, "loadgen")
                .or(() -> object(config, "perf_analyzer").flatMap(at -> object(at, "stimulus")))
                .orElse(config);
        Optional<LocatedJson> rate = load.find("request_rate");
        rate.ifPresent(at -> builder.requestRate(at.value()));
        builder.closedLoop(clients(load).filter(n -> rate.isEmpty()));
        List<LocatedJson> phases = config.find("phases")
                .filter(LocatedJson::isArray)
                .map(LocatedJson::items)
                .orElse(List.of());
        List<LocatedJson> measured = phases.stream()
                .filter(phase -> !phase.text("kind", "").equals("warmup"))
                .toList();
        measured.stream()
                .filter(phase -> phase.text("type", "").equals("concurrency"))
                .forEach(phase -> builder.closedLoop(clients(phase)));
        measured.stream()
                .flatMap(phase -> phase.find("requests").stream())
                .findFirst()
                .ifPresent(n -> builder.setting("num_requests", n));
    }

    /** Returns a member that is an object; in some versions it is text, such as the kind of the endpoint. */
    private static Optional<LocatedJson> object(LocatedJson at, String name) {
        return at.find(name).filter(LocatedJson::isObject);
    }

    private static Optional<LocatedJson> clients(LocatedJson load) {
        return load.find("concurrency").filter(at -> at.value() instanceof JsonValue.Int);
    }

    private static Optional<String> model(LocatedJson config) {
        Optional<LocatedJson> items = config.find("models").map(at -> at.isObject() ? at.get("items") : at);
        return Stream.of(
                        items,
                        object(config, "endpoint").flatMap(at -> at.find("model_names")),
                        config.find("model_names"),
                        config.find("model"))
                .flatMap(Optional::stream)
                .map(at -> at.isArray() && !at.items().isEmpty() ? at.items().get(0) : at)
                .map(at -> at.isObject() ? at.find("name").orElse(at) : at)
                .filter(at -> at.value() instanceof JsonValue.Str)
                .map(LocatedJson::asString)
                .findFirst();
    }
}
