package dev.stagesim.stage.realbench;

import dev.stagesim.io.json.JsonValue;
import java.util.List;
import java.util.Optional;

/**
 * A measurement in our own terms, whatever tool made it.
 *
 * @param format format it was read from
 * @param model name of the model, as the source spells it
 * @param hardware name of the hardware card, where the source says
 * @param about what the source says of itself: attribution, engine, settings, clock, definitions
 * @param requests its requests
 * @param published aggregates its author published
 * @param warnings what to know before using it
 */
record Measurement(
        String format,
        String model,
        Optional<String> hardware,
        JsonValue.Obj about,
        Requests requests,
        List<Published> published,
        List<String> warnings) {
    Measurement {
        published = List.copyOf(published);
        warnings = List.copyOf(warnings);
    }
}
