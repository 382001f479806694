package dev.stagesim.io.measured;

import dev.stagesim.contract.Member;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.model.Unwrapped;
import java.util.List;
import java.util.Optional;

/** The artifact {@code measurement.json}: where a measurement comes from, how it was made, and its published values. */
@Member("measurement.json 1 | The origin, the method and the published values of a measurement.")
public record MeasurementDocument(
        @Unwrapped MeasuredSubject subject,
        @Unwrapped MeasuredContent content,
        @Member("Aggregates that the author published.") List<Published> published,
        @Member("Caveats.") List<String> warnings,
        @Unwrapped SourceStatements source) {
    /** Format, model and hardware. */
    public record MeasuredSubject(
            @Member("Format it was read from.") String format,
            @Member("Full name of the model.") String model,
            @Member("Name of the model in the source's spelling, or null if absent.") Optional<String> modelAsMeasured,
            @Member("Full name of the accelerator.") String hardware,
            @Member("True if the source names the hardware.") boolean hardwareStated) {}

    /** Requests and times that were measured. */
    public record MeasuredContent(
            @Member("Number of requests.") int numRequests,
            @Member("Whether times of tokens or chunks were measured.") boolean tokenTimes,
            @Member("True if each chunk contains one token.") boolean chunksHoldOneToken,
            @Member("Time to read the model's active 16-bit weights once; null when the card has no memory bandwidth.")
                    Optional<Double> weightReadFloorNs) {}

    /** Statements of the source. */
    public record SourceStatements(
            @Member(value = "Title." + SAID, isLeftOut = true) Optional<JsonValue> title,
            @Member(value = "Place of publication." + SAID, isLeftOut = true) Optional<JsonValue> attribution,
            @Member(value = "Load on the system." + SAID, isLeftOut = true) Optional<JsonValue> workload,
            @Member(value = "Engine that served the requests." + SAID, isLeftOut = true) Optional<JsonValue> engine,
            @Member(value = "Settings of the engine and of the client." + SAID, isLeftOut = true)
                    Optional<JsonValue> settings,
            @Member(value = "Clock of the times." + SAID, isLeftOut = true) Optional<JsonValue> clock,
            @Member(value = CLIENT_DELAYS + SAID, isLeftOut = true) Optional<JsonValue> clockNoise,
            @Member(value = "Rates by name, per second unless the name has another unit." + SAID, isLeftOut = true)
                    Optional<JsonValue> rates,
            @Member(value = "Definition of each metric in the source." + SAID, isLeftOut = true)
                    Optional<JsonValue> definitions,
            @Member(value = "Single values that were published." + SAID, isLeftOut = true) Optional<JsonValue> samples,
            @Member(value = "Results of other simulators for the same run." + SAID, isLeftOut = true)
                    Optional<JsonValue> otherSimulations,
            @Member(value = "Notes of the author." + SAID, isLeftOut = true) Optional<JsonValue> notes) {}

    static final String SAID = " As in the source; absent if the source lacks it.";
    static final String CLIENT_DELAYS =
            "How late the client of a live measurement was: percentiles of the delay in sending, of a thread's waking,"
                    + " and of round trips that need no computing, in ns.";
}
