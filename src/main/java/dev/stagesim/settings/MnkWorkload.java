package dev.stagesim.settings;

import dev.stagesim.model.Key;
import dev.stagesim.model.ModelCard;
import dev.stagesim.model.Variant;
import java.nio.file.Path;
import java.util.Optional;

/** A workload of distributed matrix products, written in the text format of ASTRA-sim 1.0. */
@Variant(
        value = "mnk",
        doc = "Distributed matrix-product layers, as text for ASTRA-sim 1.0, from a table of m, n and k or from a"
                + " transformer's dimensions.")
public record MnkWorkload(
        @Key(
                        doc =
                                "Table of layers: a header, then name,m,n,k and, where it differs by layer, parallelism, type"
                                        + " and count; null to derive the layers from workload.model.",
                        def = "null")
                Optional<Path> mnk,
        @Key(doc = "Transformer to derive the layers from; chosen with model@workload.model=<option>.", def = "null")
                Optional<ModelCard> model,
        @Key(doc = "Sequences that are computed together, with workload.model; null for 8.", def = "null", min = "1")
                Optional<Integer> batch,
        @Key(
                        doc =
                                "Length of a sequence, with workload.model; null for 2048, or less where the model takes less.",
                        unit = "tokens",
                        def = "null",
                        min = "1")
                Optional<Integer> sequence,
        @Key(doc = "What the transformer is run for, with workload.model; null for training.", def = "null")
                Optional<Phase> phase,
        @Key(doc = "Transformer layers to write, from the first; null for all.", def = "null", min = "1")
                Optional<Integer> numLayers,
        @Key(
                        doc = "How layers are spread: DATA, MODEL, HYBRID_DATA_MODEL, HYBRID_MODEL_DATA, or"
                                + " HYBRID_CUSTOMIZED for what the table says of each.",
                        def = "DATA")
                String parallel,
        @Key(doc = "Processors in all.", def = "8", min = "1") int numNpus,
        @Key(doc = "Packages that the processors are in; divides num_npus.", def = "1", min = "1") int numPackages,
        @Key(doc = "Size of a value.", unit = "bytes", def = "2", min = "1") int datatypeSize,
        @Key(doc = "Name of the workload file in the run directory.", def = "workload.txt") String outputFile,
        @Key(doc = "Folder of the topologies, below outputs/ and the name of the parallelism.", def = "test")
                String runName,
        @Key(doc = "Where compute times come from.", def = "scale_sim") Compute compute,
        @Key(
                        doc = "Array description, for compute=scale_sim; null for a 128 x 128 weight-stationary array.",
                        def = "null")
                Optional<Path> scalesimConfig,
        @Key(
                        doc = "Peak of a processor, for compute=roofline; null for 16384.",
                        unit = "MACs/cycle",
                        def = "null",
                        min = "1")
                Optional<Integer> peak,
        @Key(
                        doc = "Memory bandwidth of a processor, for compute=roofline; null for 128.",
                        unit = "bytes/cycle",
                        def = "null",
                        min = "1")
                Optional<Integer> bandwidth,
        @Key(
                        doc =
                                "Measured cycles, for compute=table: a header, then name,forward,input_gradient,weight_gradient.",
                        def = "null")
                Optional<Path> table)
        implements WorkloadSettings {
    /** Sources of compute times. */
    public enum Compute {
        /** The model of a systolic array. */
        SCALE_SIM,
        /** The slower of arithmetic and memory. */
        ROOFLINE,
        /** A table of measured cycles. */
        TABLE
    }

    /** What a transformer is run for. */
    public enum Phase {
        /** Forward and backward over whole sequences. */
        TRAINING,
        /** Forward over whole prompts. */
        PREFILL,
        /** Forward over one new token of each sequence. */
        DECODE
    }
}
