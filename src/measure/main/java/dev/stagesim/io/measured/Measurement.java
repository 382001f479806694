package dev.stagesim.io.measured;

import dev.stagesim.io.json.JsonValue;
import dev.stagesim.io.measured.RequestCheck.Placed;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

/**
 * A measurement in the product's terms.
 *
 * @param model name of the model in the source's spelling; empty if absent
 * @param hardware name of the hardware card; empty if absent
 * @param about attribution, engine, settings, clock and definitions in the source's words
 * @param requests the requests; none if the source has aggregates or operators only
 * @param published aggregates that the author published
 * @param operations timed operators and collectives
 * @param warnings caveats, and values that were left out
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
    /** True if there are published aggregates, and neither requests nor operators. */
    public boolean aggregatesOnly() {
        return requests.size() == 0 && operations.isEmpty();
    }

    /** Returns this measurement without impossible requests and rows. Use it for measurements that were not read from a file. */
    public Measurement checked() {
        List<String> all = new ArrayList<>(warnings);
        List<Placed> placed = requests.all().stream()
                .map(request -> new Placed(format, request, Requests.NONE, request.chunks().length))
                .toList();
        Requests accepted = new Requests(RequestCheck.accepted(placed, false, all::add));
        int timed = operations.rows().size()
                + operations.collectives().size()
                + operations.steps().size();
        Operations possible = OperationCheck.accepted(operations, Collections.nCopies(timed, format), all::add);
        return new Measurement(format, model, hardware, about, accepted, published, possible, all);
    }

    /** Returns this measurement with another description. */
    public Measurement about(JsonValue.Obj description) {
        return new Measurement(format, model, hardware, description, requests, published, operations, warnings);
    }

    /** Returns this measurement with one more warning. */
    public Measurement warned(String text) {
        List<String> all = new ArrayList<>(warnings);
        all.add(text);
        return new Measurement(format, model, hardware, about, requests, published, operations, all);
    }

    public Measurement {
        published = List.copyOf(published);
        warnings = List.copyOf(warnings);
    }
}
