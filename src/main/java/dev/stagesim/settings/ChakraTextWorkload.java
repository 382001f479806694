package dev.stagesim.settings;

import dev.stagesim.model.Key;
import dev.stagesim.model.Variant;
import java.nio.file.Path;
import java.util.Optional;

/** Execution traces made from a workload text of ASTRA-sim 1.0 or a task graph of FlexFlow. */
@Variant(
        value = "chakra_text",
        doc = "Execution traces from a workload text of ASTRA-sim 1.0, or from a task graph of FlexFlow.")
public record ChakraTextWorkload(
        @Key(doc = "Directory of a finished run whose traces to use instead of making them.", def = "null")
                Optional<Path> dir,
        @Key(doc = "The text or the graph.", def = "null") Optional<Path> file,
        @Key(doc = "What the file is.", def = "text") Input input,
        @Key(
                        doc = "Processors; null for 8, or for those that the graph names.",
                        def = "null",
                        min = "1",
                        max = "1000000")
                Optional<Integer> numNpus,
        @Key(doc = "Training steps, with input=text; null for 1.", def = "null", min = "1") Optional<Integer> numPasses,
        @Key(
                        doc = "Network dimensions, which collectives then name as involved, with input=text; null for"
                                + " collectives that name none.",
                        def = "null",
                        min = "1")
                Optional<Integer> numDims,
        @Key(
                        doc =
                                "Schema of the traces; null for v1_0_0, and v0_0_4 where num_dims is given, as in the last"
                                        + " reference that had it.",
                        def = "null")
                Optional<TraceSchema> schema,
        @Key(
                        doc =
                                "Clock of a processor: times of a text are cycles then, not microseconds; of a graph, with"
                                        + " schema=v0_0_1, seconds times the clock.",
                        unit = "MHz",
                        def = "null",
                        min = "1")
                Optional<Integer> npuFrequency,
        @Key(
                        doc =
                                "Whether collectives of type NONE are left out, as ASTRA-sim 1.0 does; the reference makes"
                                        + " all-reduces of them. Transformers and customized layers leave them out anyway.",
                        def = "false")
                boolean skipNone,
        @Key(doc = "Begin of the file names, before the processor and the ending.", def = "workload") String prefix)
        implements WorkloadSettings {

    /** Kinds of input. */
    public enum Input {
        /** Workload text of ASTRA-sim 1.0. */
        TEXT,
        /** Task graph of FlexFlow in DOT. */
        FLEXFLOW
    }
}
