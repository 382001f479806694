package dev.stagesim.io.measured;

import dev.stagesim.io.json.JsonValue;
import dev.stagesim.io.measured.RequestCheck.Placed;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

/**
 * A measurement in our own terms, whatever tool made it.
 *
 * @param model name of the model, as the source spells it; empty when it does not say
 * @param hardware name of the hardware card, where the source says
 * @param about what the source says of itself: attribution, engine, settings, clock, definitions
 * @param requests its requests; none when the source has aggregates or operators only
 * @param published aggregates its author published
 * @param operations operators and collectives it timed
 * @param warnings what to know before using it
 */
public record Measurement(
        String format,
        Optional<String> model,
        Optional<String> hardware,
        JsonValue.Obj about,
        Requests requests,
        List<Published> published,
        Operations operations,
        List<String> warnings) {
    /** True when there are no requests and no operators, only published figures. */
    public boolean aggregatesOnly() {
        return requests.size() == 0 && operations.isEmpty();
    }

    /** The same with what can be true of it, for a measurement that was not read from a file. */
    public Measurement checked() {
        List<String> all = new ArrayList<>(warnings);
        List<Placed> placed = requests.all().stream()
                .map(request -> new Placed(format, request))
                .toList();
        Requests accepted = new Requests(RequestCheck.accepted(placed, false, all::add));
        int timed = operations.rows().size() + operations.collectives().size();
        Operations possible = OperationCheck.accepted(operations, Collections.nCopies(timed, format), all::add);
        return new Measurement(format, model, hardware, about, accepted, published, possible, all);
    }

    /** The same with one more thing to know before using it. */
    Measurement warned(String text) {
        List<String> all = new ArrayList<>(warnings);
        all.add(text);
        return new Measurement(format, model, hardware, about, requests, published, operations, all);
    }

    public Measurement {
        published = List.copyOf(published);
        warnings = List.copyOf(warnings);
    }
}
