package dev.stagesim.settings;

import dev.stagesim.model.Access;
import dev.stagesim.model.Access.Resource;
import dev.stagesim.model.Key;
import dev.stagesim.model.ModelCard;
import dev.stagesim.model.OnlyIf;
import dev.stagesim.model.Variant;
import dev.stagesim.sim.mnk.TransformerPhase;
import java.nio.file.Path;
import java.util.Optional;

/** A workload of distributed matrix products, written in the text format of ASTRA-sim 1.0. */
@Variant("mnk | Distributed matrix-product layers, as text for ASTRA-sim 1.0, from a table of m, n and k or"
        + " from a transformer's dimensions.")
public record MnkWorkload(
        @Key("Table of layers: a header, then name,m,n,k and, where it differs by layer, parallelism, type and"
                        + " count; null to derive the layers from workload.model. | null")
                Optional<Path> mnk,
        @Key("Transformer to derive the layers from; chosen with model@workload.model=<option>. | null")
                Optional<ModelCard> model,
        @Key("Sequences that are computed together, with workload.model; null for 8. | null | 1..1000000000")
                @OnlyIf("model != null | it belongs to layers that are derived from workload.model")
                Optional<Integer> batch,
        @Key("Length of a sequence, with workload.model; null for 2048, or less where the model takes less. |"
                        + " null | tokens | 1..1000000000")
                @OnlyIf("model != null | it belongs to layers that are derived from workload.model")
                Optional<Integer> sequence,
        @Key("What the transformer is run for, with workload.model; null for training. | null")
                @OnlyIf("model != null | it belongs to layers that are derived from workload.model")
                Optional<TransformerPhase> phase,
        @Key("Transformer layers to write, from the first; null for all. | null | 1..1000000")
                @OnlyIf("model != null | it belongs to layers that are derived from workload.model")
                Optional<Integer> numLayers,
        @Key("How layers are spread: DATA, MODEL, HYBRID_DATA_MODEL, HYBRID_MODEL_DATA, or HYBRID_CUSTOMIZED for"
                        + " what the table says of each. | DATA")
                String parallel,
        @Key("Processors in all. | 8 | 1..1000000000") int numNpus,
        @Key("Packages that the processors are in; divides num_npus. | 1 | 1..1000000000") int numPackages,
        @Key("Size of a value. | 2 | bytes | 1..1000000000") int datatypeSize,
        @Key("Name of the workload file in the run directory. | workload.txt") @Access(Resource.OUTPUT_NAME)
                String outputFile,
        @Key("Folder of the topologies, below outputs/ and the name of the parallelism. | test")
                @Access(Resource.OUTPUT_NAME)
                String runName,
        @Key("Where compute times come from. | scale_sim") Compute compute,
        @Key(
                        "Array description, for compute=scale_sim and scale_sim_v1; null for a 128 x 128 weight-stationary array. | null")
                @OnlyIf("compute = scale_sim, scale_sim_v1 | it belongs to another source of compute times")
                Optional<Path> scalesimConfig,
        @Key("Peak of a processor, for compute=roofline; null for 16384. | null | MACs/cycle | 1..1000000000")
                @OnlyIf("compute = roofline | it belongs to another source of compute times")
                Optional<Integer> peak,
        @Key(
                        "Memory bandwidth of a processor, for compute=roofline; null for 128. | null | bytes/cycle | 1..1000000000")
                @OnlyIf("compute = roofline | it belongs to another source of compute times")
                Optional<Integer> bandwidth,
        @Key("Measured cycles, for compute=table: a header, then name,forward,input_gradient,weight_gradient. |"
                        + " null")
                @OnlyIf("compute = table | it belongs to another source of compute times")
                Optional<Path> table)
        implements WorkloadSettings {
    /** Sources of compute times. */
    public enum Compute {
        SCALE_SIM, // The model of a systolic array.
        SCALE_SIM_V1, // The same as version 1 of SCALE-Sim counts it, without memory stalls.
        ROOFLINE, // The slower of arithmetic and memory.
        TABLE; // A table of measured cycles.

        /** True if the array description counts. */
        public boolean isSystolic() {
            return this == SCALE_SIM || this == SCALE_SIM_V1;
        }
    }
}
