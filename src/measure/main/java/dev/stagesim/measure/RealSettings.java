package dev.stagesim.measure;

import dev.stagesim.model.AllowedValues;
import dev.stagesim.model.ArrivalTime;
import dev.stagesim.model.Key;
import java.nio.file.Path;
import java.util.Optional;

/** Source of a measurement: the section {@code real}. */
public record RealSettings(
        @Key("Format of real.file, as named in specs/measurements.md. auto detects the format, or uses the "
                        + "shipped recording; endpoint measures a server; reference runs the built-in engine. | auto")
                @AllowedValues(
                        value = {RealSettings.AUTO, RealSettings.ENDPOINT, RealSettings.REFERENCE},
                        registry = "dev.stagesim.io.measured.formats.ResultFormats")
                String source,
        @Key("Directory of a finished run that supplies the measurement; null to read or make one. | null")
                Optional<Path> dir,
        @Key("Result file of a benchmark tool, or directory of a recording; null for the shipped recording "
                        + "for the model, hardware and workload. | null")
                Optional<Path> file,
        @Key("Index of the result in a file with several results, from 0; null if it has only one. | null | "
                        + "0..1000000000")
                Optional<Integer> entry,
        @Key("Arrival time of a request if the client limits its concurrency; null for intended. | null")
                Optional<ArrivalTime> arrivals,
        @Key("Maximum difference between the arrival times of a request in the workload and in the "
                        + "measurement. | 0.001 | s | 0..1000000000")
                double arrivalTolerance,
        @Key("Whether to accept a measurement with another model name. | false") boolean anyModel,
        @Key("Requests in flight of a measured closed loop whose file does not state them; null for as in the "
                        + "file. | null | 1..10000000")
                Optional<Integer> concurrency) {
    /** Automatic detection: the shipped recording, or the format of the file. */
    public static final String AUTO = "auto";

    /** Replay against a live server: the section {@code endpoint}. */
    public static final String ENDPOINT = "endpoint";

    /** The built-in engine on this machine: the section {@code engine}. */
    public static final String REFERENCE = "reference";
}
