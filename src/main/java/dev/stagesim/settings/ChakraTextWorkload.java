package dev.stagesim.settings;

import dev.stagesim.model.Access;
import dev.stagesim.model.Access.Resource;
import dev.stagesim.model.Key;
import dev.stagesim.model.OnlyIf;
import dev.stagesim.model.Variant;
import dev.stagesim.sim.trace.text.TextSchema;
import java.nio.file.Path;
import java.util.Optional;

/** Execution traces made from a workload text of ASTRA-sim 1.0 or a task graph of FlexFlow. */
@Variant("chakra_text | Execution traces from a workload text of ASTRA-sim 1.0, or from a task graph of" + " FlexFlow.")
public record ChakraTextWorkload(
        @Key("Directory of a finished run whose traces to use instead of making them. | null") Optional<Path> dir,
        @Key("The text or the graph. | null") Optional<Path> file,
        @Key("What the file is. | text") Input input,
        @Key("Processors; null for 8, or for those that the graph names. | null | 1..1000000")
                @OnlyIf("input = text | with input=flexflow, the graph names its processors")
                Optional<Integer> numNpus,
        @Key("Training steps, with input=text; null for 1. | null | 1..10000")
                @OnlyIf("input = text | with input=flexflow, a graph is one step")
                Optional<Integer> numPasses,
        @Key("Network dimensions, which collectives then name as involved, with input=text; null for collectives"
                        + " that name none. | null | 1..1000")
                @OnlyIf("input = text | with input=flexflow, a graph has no collectives")
                Optional<Integer> numDims,
        @Key("Schema of the traces; null for v1_0_0, and v0_0_4 where num_dims is given, as in the last reference"
                        + " that had it. | null")
                Optional<TextSchema> schema,
        @Key("Clock of a processor: times of a text are cycles then, not microseconds; of a graph, with"
                        + " schema=v0_0_1, seconds times the clock. | null | MHz | 1..1000000")
                Optional<Integer> npuFrequency,
        @Key("Whether collectives of type NONE are left out, as ASTRA-sim 1.0 does; the reference makes"
                        + " all-reduces of them. Transformers and customized layers leave them out anyway. | false")
                @OnlyIf("input = text | with input=flexflow, a graph has no collectives")
                boolean skipNone,
        @Key("Begin of the file names, before the processor and the ending. | workload") @Access(Resource.OUTPUT_NAME)
                String prefix)
        implements WorkloadSettings {

    /** Kinds of input. */
    public enum Input {
        TEXT, // Workload text of ASTRA-sim 1.0.
        FLEXFLOW // Task graph of FlexFlow in DOT.
    }
}
