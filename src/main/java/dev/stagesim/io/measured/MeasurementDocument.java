package dev.stagesim.io.measured;

import dev.stagesim.contract.Member;
import dev.stagesim.io.json.JsonValue;
import java.util.List;
import java.util.Optional;

@Member(
        "measurement.json 1 | What a measurement is: where it comes from, how it was made, and what its author published.")
public record MeasurementDocument(
        @Member("Format it was read from.") String format,
        @Member("Full name of the model.") String model,
        @Member("Name of the model as the source spells it; null when it does not say.")
                Optional<String> modelAsMeasured,
        @Member("Full name of the accelerator.") String hardware,
        @Member("Whether the source says what it was measured on.") boolean hardwareStated,
        @Member("Number of requests.") int numRequests,
        @Member("Whether times of tokens or chunks were measured.") boolean tokenTimes,
        @Member("Whether each chunk is known to hold one token.") boolean chunksHoldOneToken,
        @Member("Time to read the model's active 16-bit weights once; null when the card has no memory bandwidth.")
                Optional<Double> weightReadFloorNs,
        @Member("Aggregates that the author published.") List<Published> published,
        @Member("What to know before using it.") List<String> warnings,
        @Member(value = "Title." + SAID, isLeftOut = true) Optional<JsonValue> title,
        @Member(value = "Where it was published." + SAID, isLeftOut = true) Optional<JsonValue> attribution,
        @Member(value = "What was asked of the system." + SAID, isLeftOut = true) Optional<JsonValue> workload,
        @Member(value = "What served the requests." + SAID, isLeftOut = true) Optional<JsonValue> engine,
        @Member(value = "Settings of the engine and of the client." + SAID, isLeftOut = true)
                Optional<JsonValue> settings,
        @Member(value = "What the times were read from." + SAID, isLeftOut = true) Optional<JsonValue> clock,
        @Member(value = CLIENT_DELAYS + SAID, isLeftOut = true) Optional<JsonValue> clockNoise,
        @Member(value = "Rates by name, per second unless the name says otherwise." + SAID, isLeftOut = true)
                Optional<JsonValue> rates,
        @Member(value = "What each metric means there." + SAID, isLeftOut = true) Optional<JsonValue> definitions,
        @Member(value = "Single values that were published." + SAID, isLeftOut = true) Optional<JsonValue> samples,
        @Member(value = "What others simulated of the same." + SAID, isLeftOut = true)
                Optional<JsonValue> otherSimulations,
        @Member(value = "What the author adds." + SAID, isLeftOut = true) Optional<JsonValue> notes) {
    static final String SAID = " As the source says it; absent when it does not.";
    static final String CLIENT_DELAYS =
            "How late the client of a live measurement was: percentiles of the delay in sending, of a thread's waking,"
                    + " and of round trips that need no computing, in ns.";
}
