package dev.stagesim.settings;

import dev.stagesim.model.AllowedValues;
import dev.stagesim.model.ArrivalTime;
import dev.stagesim.model.Key;
import java.nio.file.Path;
import java.util.Optional;

/** Where a measurement comes from: the section {@code real}. */
public record RealSettings(
        @Key(
                        "Format of real.file, by the name that specs/measurements.md gives it; auto looks at the content, or takes"
                                + " the shipped recording; endpoint measures a server, reference runs the built-in engine. | auto")
                @AllowedValues(
                        value = {RealSettings.AUTO, RealSettings.ENDPOINT, RealSettings.REFERENCE},
                        registry = "dev.stagesim.io.measured.formats.ResultFormats")
                String source,
        @Key("Directory of a finished run to compare with instead of reading a measurement. | null") Optional<Path> dir,
        @Key("Result file of a benchmark tool, or directory of a recording; null for the shipped recording of"
                        + " this model, hardware and workload. | null")
                Optional<Path> file,
        @Key("Which result of a file that holds several, from 0; null when it holds one. | null | 0..1000000000")
                Optional<Integer> entry,
        @Key("When a request of a client that limits its concurrency arrives; null for intended. | null")
                Optional<ArrivalTime> arrivals,
        @Key(
                        "Maximum difference between an arrival of the workload and of the measurement. | 0.001 | s | 0..1000000000")
                double arrivalTolerance,
        @Key("Accept a measurement of a model that is named differently. | false") boolean anyModel) {
    /** The source that is found out: the shipped recording, or by the content of the file. */
    public static final String AUTO = "auto";

    /** A live server, replayed against: the section {@code endpoint}. */
    public static final String ENDPOINT = "endpoint";

    /** The built-in engine, run on this machine: the section {@code engine}. */
    public static final String REFERENCE = "reference";
}
