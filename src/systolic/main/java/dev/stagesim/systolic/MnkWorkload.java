package dev.stagesim.systolic;

import dev.stagesim.model.Access;
import dev.stagesim.model.Access.Resource;
import dev.stagesim.model.Key;
import dev.stagesim.model.OnlyIf;
import dev.stagesim.model.Unwrapped;
import dev.stagesim.model.Variant;
import dev.stagesim.model.card.ModelCard;
import dev.stagesim.sim.mnk.TransformerPhase;
import dev.stagesim.workload.WorkloadSettings;
import java.nio.file.Path;
import java.util.Optional;

/** A workload of distributed matrix products, written in the text format of ASTRA-sim 1.0. */
@Variant("mnk | Distributed matrix-product layers, as text for ASTRA-sim 1.0, from a table of m, n and k or"
        + " from a transformer's dimensions.")
public record MnkWorkload(
        @Key("Table of layers: a header, then name,m,n,k and optionally parallelism, type and count; null to "
                        + "derive the layers from workload.model. | null")
                Optional<Path> mnk,
        @Unwrapped DerivedLayers layers,
        @Key("Parallelism: DATA, MODEL, HYBRID_DATA_MODEL, HYBRID_MODEL_DATA, or HYBRID_CUSTOMIZED for the "
                        + "parallelism column of the table. | DATA")
                String parallel,
        @Key("Total number of processors. | 8 | 1..1000000000") int numNpus,
        @Key("Number of packages; divides num_npus. | 1 | 1..1000000000") int numPackages,
        @Key("Size of a value. | 2 | bytes | 1..1000000000") int datatypeSize,
        @Key("Name of the workload file in the run directory. | workload.txt") @Access(Resource.OUTPUT_NAME)
                String outputFile,
        @Key("Folder of the topologies, within outputs/<parallelism>/. | test") @Access(Resource.OUTPUT_NAME)
                String runName,
        @Unwrapped ComputeTimes times)
        implements WorkloadSettings {
    /** Layers derived from a model card. */
    public record DerivedLayers(
            @Key("Transformer to derive the layers from; chosen with model@workload.model=<option>. | null")
                    Optional<ModelCard> model,
            @Key("Sequences of a batch, with workload.model; null for 8. | null | 1..1000000000")
                    @OnlyIf("model != null | it applies only to layers that are derived from workload.model")
                    Optional<Integer> batch,
            @Key("Length of a sequence, with workload.model; null for the minimum of 2048 and the context of the "
                            + "model. | null | tokens | 1..1000000000")
                    @OnlyIf("model != null | it applies only to layers that are derived from workload.model")
                    Optional<Integer> sequence,
            @Key("Phase of the transformer, with workload.model; null for training. | null")
                    @OnlyIf("model != null | it applies only to layers that are derived from workload.model")
                    Optional<TransformerPhase> phase,
            @Key("Number of transformer layers to write, from the first; null for all. | null | 1..1000000")
                    @OnlyIf("model != null | it applies only to layers that are derived from workload.model")
                    Optional<Integer> numLayers) {}

    /** Source of compute times. */
    public record ComputeTimes(
            @Key("Source of compute times. | scale_sim") Compute compute,
            @Key(
                            "Array description, for compute=scale_sim and scale_sim_v1; null for a 128 x 128 weight-stationary array. | null")
                    @OnlyIf("compute = scale_sim, scale_sim_v1 | it applies to another source of compute times")
                    Optional<Path> scalesimConfig,
            @Key("Peak of a processor, for compute=roofline; null for 16384. | null | MACs/cycle | 1..1000000000")
                    @OnlyIf("compute = roofline | it applies to another source of compute times")
                    Optional<Integer> peak,
            @Key(
                            "Memory bandwidth of a processor, for compute=roofline; null for 128. | null | bytes/cycle | 1..1000000000")
                    @OnlyIf("compute = roofline | it applies to another source of compute times")
                    Optional<Integer> bandwidth,
            @Key("Measured cycles, for compute=table: a header, then name,forward,input_gradient,weight_gradient. |"
                            + " null")
                    @OnlyIf("compute = table | it applies to another source of compute times")
                    Optional<Path> table) {}

    /** Sources of compute times. */
    public enum Compute {
        SCALE_SIM, // The model of a systolic array.
        SCALE_SIM_V1, // The systolic model of SCALE-Sim version 1, without memory stalls.
        ROOFLINE, // The maximum of arithmetic time and memory time.
        TABLE; // A table of measured cycles.

        /** Returns true if the array description is used. */
        public boolean isSystolic() {
            return this == SCALE_SIM || this == SCALE_SIM_V1;
        }
    }
}
