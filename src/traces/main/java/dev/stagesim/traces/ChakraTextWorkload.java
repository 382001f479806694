package dev.stagesim.traces;

import dev.stagesim.model.Access;
import dev.stagesim.model.Access.Resource;
import dev.stagesim.model.Key;
import dev.stagesim.model.OnlyIf;
import dev.stagesim.model.Variant;
import dev.stagesim.sim.trace.text.TextSchema;
import dev.stagesim.workload.WorkloadSettings;
import java.nio.file.Path;
import java.util.Optional;

/** Execution traces made from a workload text of ASTRA-sim 1.0 or a task graph of FlexFlow. */
@Variant("chakra_text | Execution traces from a workload text of ASTRA-sim 1.0, or from a task graph of" + " FlexFlow.")
public record ChakraTextWorkload(
        @Key("Directory of a finished run that supplies the traces; null to make them. | null") Optional<Path> dir,
        @Key("The text or the graph. | null") Optional<Path> file,
        @Key("Format of the file. | text") Input input,
        @Key("Processors; null for 8, or for the processors of the graph. | null | 1..1000000")
                @OnlyIf("input = text | with input=flexflow, the graph states its processors")
                Optional<Integer> numNpus,
        @Key("Training steps, with input=text; null for 1. | null | 1..10000")
                @OnlyIf("input = text | with input=flexflow, a graph is one step")
                Optional<Integer> numPasses,
        @Key("Number of network dimensions that collectives list as involved, with input=text; null for no "
                        + "list. | null | 1..1000")
                @OnlyIf("input = text | with input=flexflow, a graph has no collectives")
                Optional<Integer> numDims,
        @Key("Schema of the traces; null for v1_0_0, or for v0_0_4 if num_dims is set, as in the last "
                        + "reference version that has it. | null")
                Optional<TextSchema> schema,
        @Key("Clock of a processor. If set, times of a text are cycles instead of microseconds; times of a "
                        + "graph are seconds times the clock with schema=v0_0_1. | null | MHz | 1..1000000")
                Optional<Integer> npuFrequency,
        @Key("Whether collectives of type NONE are left out, as in ASTRA-sim 1.0; the reference turns them "
                        + "into all-reduces. Transformers and customized layers always leave them out. | false")
                @OnlyIf("input = text | with input=flexflow, a graph has no collectives")
                boolean skipNone,
        @Key("Prefix of the file names. | workload") @Access(Resource.OUTPUT_NAME) String prefix)
        implements WorkloadSettings {

    /** Kinds of input. */
    public enum Input {
        TEXT, // Workload text of ASTRA-sim 1.0.
        FLEXFLOW // Task graph of FlexFlow in DOT.
    }
}
