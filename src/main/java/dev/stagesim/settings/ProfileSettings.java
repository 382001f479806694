package dev.stagesim.settings;

import dev.stagesim.model.Key;
import dev.stagesim.model.Variant;
import dev.stagesim.model.VariantKey;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** How a profiling bundle comes about: the section {@code profile}. */
@VariantKey("profiler")
public sealed interface ProfileSettings
        permits ProfileSettings.Roofline, ProfileSettings.Import, ProfileSettings.Torch, ProfileSettings.Reference {
    /** Computed from the model card and the hardware card. */
    @Variant(value = "roofline", doc = "Computed from the model card and the hardware card.")
    record Roofline(
            @Key(doc = "Fractions of the card's peaks that kernels reach, and fixed costs.") Efficiency efficiency,
            @Key(doc = "Sizes at which operators are evaluated.") Grid grid,
            @Key(
                            doc =
                                    "Tensor-parallel degrees to profile; those that do not divide the model are left out.",
                            def = "[1, 2, 4, 8]",
                            min = "1")
                    List<Integer> tensorParallelSizes,
            @Key(doc = "KV-cache block size written to the attention rows.", unit = "tokens", def = "16", min = "1")
                    int blockSize,
            @Key(
                            doc =
                                    "Predictors whose error on sizes left out is reported: whether the grid is dense enough.",
                            def = "[]")
                    List<Judged> quality,
            @Key(doc = "Time the host adds to every iteration.", def = "{ kind = none }") HostOverhead host)
            implements ProfileSettings {}

    /** Taken over from a bundle that exists, after checking it. */
    @Variant(value = "import", doc = "Taken over from an existing bundle in Vidur's layout, after checking it.")
    record Import(
            @Key(doc = "Directory that holds compute/ and network/.") Path root,
            @Key(doc = "Folder below compute/ to take; null for the one that fits the hardware card.", def = "null")
                    Optional<String> device,
            @Key(doc = "Folder below compute/<device>/ to take; null for the model card's name.", def = "null")
                    Optional<String> modelName,
            @Key(doc = "Folder below network/ to take; null for the only one that fits the device.", def = "null")
                    Optional<String> networkDevice,
            @Key(
                            doc = "Tensor-parallel degrees that must be there; an empty list takes those there are.",
                            def = "[]",
                            min = "1")
                    List<Integer> tensorParallelSizes,
            @Key(doc = "Whether transfers between pipeline stages must be there.", def = "false")
                    boolean pipelineParallel,
            @Key(doc = "Whether host overheads must be there.", def = "false") boolean hostOverheads,
            @Key(doc = "KV-cache block size that must be there.", unit = "tokens", def = "16", min = "1") int blockSize,
            @Key(
                            doc = "Predictors whose error on sizes left out is reported; forests take some"
                                    + " seconds for each tensor-parallel size.",
                            def = "[interpolation]")
                    List<Judged> quality)
            implements ProfileSettings {}

    /** A predictor to judge on sizes left out. */
    enum Judged {
        /** Piecewise linear. */
        INTERPOLATION,
        /** A forest of 250 trees of depth 16. */
        RANDOM_FOREST,
        /** A polynomial of degree 1 to 5. */
        LINEAR_REGRESSION
    }

    /** Measured by our own profiler script in a Python that has PyTorch. */
    @Variant(value = "torch", doc = "Measured here with PyTorch, on the processor or a CUDA device.")
    record Torch(
            @Key(doc = "Python interpreter that can import torch.", def = "python3") String python,
            @Key(doc = "Device to measure on; auto takes CUDA where there is one.", def = "auto") TorchDevice device,
            @Key(
                            doc =
                                    "Type of weights, activations and cache; auto is bfloat16 on CUDA and float32 elsewhere.",
                            def = "auto")
                    TorchType dtype,
            @Key(doc = "Threads of the processor; null for what PyTorch takes.", def = "null", min = "1")
                    Optional<Integer> threads,
            @Key(doc = "Runs of every case before those that count.", def = "3", min = "0") int warmup,
            @Key(doc = "Runs of every case that count.", def = "10", min = "1") int repeats,
            @Key(doc = "Sizes at which operators are measured.") Grid grid,
            @Key(
                            doc =
                                    "Tensor-parallel degrees whose share of a layer is measured, on one device; above 1 also the"
                                            + " all-reduce between as many processes (gloo) or CUDA devices (NCCL).",
                            def = "[1]",
                            min = "1")
                    List<Integer> tensorParallelSizes,
            @Key(
                            doc =
                                    "Whether the transfer between pipeline stages is measured, between two processes (gloo) or"
                                            + " CUDA devices (NCCL).",
                            def = "false")
                    boolean pipelineParallel,
            @Key(doc = "KV-cache block size written to the attention rows.", unit = "tokens", def = "16", min = "1")
                    int blockSize,
            @Key(doc = "Predictors whose error on sizes left out is reported.", def = "[interpolation]")
                    List<Judged> quality,
            @Key(doc = "Longest time for all cases together.", unit = "s", def = "7200", min = "1") int timeoutS,
            @Key(doc = "Longest time without a finished case.", unit = "s", def = "300", min = "1") int stallS)
            implements ProfileSettings {}

    /** Measured here, of the built-in engine. */
    @Variant(value = "reference", doc = "Measured here: the operators of the built-in engine, on this processor.")
    record Reference(
            @Key(doc = "Rounds through all cases; each gives one value.", def = "9", min = "1") int repeats,
            @Key(doc = "Sizes at which operators are measured.") EngineGrid grid,
            @Key(
                            doc = "KV-cache block size of the engine and of the attention rows.",
                            unit = "tokens",
                            def = "16",
                            min = "1")
                    int blockSize,
            @Key(doc = "Predictors whose error on sizes left out is reported.", def = "[interpolation]")
                    List<Judged> quality)
            implements ProfileSettings {}

    /** Sizes for a small model on a processor. */
    record EngineGrid(
            @Key(
                            doc = "Token counts of linear layers and element-wise operators.",
                            unit = "tokens",
                            def = "[1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 20, 24, 32, 48, 64, 80, 96, 112, 128]",
                            min = "1")
                    List<Integer> tokens,
            @Key(doc = "Prefill chunk sizes.", unit = "tokens", def = "[1, 4, 8, 16, 32, 48, 64, 96, 128]", min = "1")
                    List<Integer> chunks,
            @Key(
                            doc =
                                    "Tokens already in the KV cache, for decode with the new one; those beyond the model's"
                                            + " context are left out.",
                            unit = "tokens",
                            def = "[0, 16, 64, 128, 256, 512]",
                            min = "0")
                    List<Integer> kvTokens,
            @Key(
                            doc = "Numbers of requests in a decode batch.",
                            unit = "requests",
                            def = "[1, 2, 3, 4, 6, 8, 12, 16]",
                            min = "1")
                    List<Integer> batchSizes) {}

    /** Where PyTorch measures. */
    enum TorchDevice {
        /** CUDA where there is one, else the processor. */
        AUTO,
        /** The processor. */
        CPU,
        /** The current CUDA device. */
        CUDA
    }

    /** Number type of a measurement. */
    enum TorchType {
        /** bfloat16 on CUDA, float32 elsewhere. */
        AUTO,
        BFLOAT16,
        FLOAT16,
        FLOAT32
    }

    /** Share of peak that each kind of kernel reaches; sources in {@code specs/profiling.md}. */
    record Efficiency(
            @Key(
                            doc = "Share of the 16-bit peak that matrix products reach; null for the card's measured"
                                    + " share, or 0.80 (the median of the cards that have one) where there is none.",
                            def = "null",
                            min = "0",
                            max = "1",
                            above = true)
                    Optional<Double> compute,
            @Key(
                            doc = "Share of the 16-bit peak that attention kernels reach.",
                            def = "0.6",
                            min = "0",
                            max = "1",
                            above = true)
                    double attention,
            @Key(
                            doc = "Share of the memory bandwidth that kernels reach.",
                            def = "0.8",
                            min = "0",
                            max = "1",
                            above = true)
                    double bandwidth,
            @Key(
                            doc = "Share of the link bandwidth that collectives reach.",
                            def = "0.8",
                            min = "0",
                            max = "1",
                            above = true)
                    double link,
            @Key(doc = "Fixed time of every kernel on the device.", unit = "us", def = "3.0", min = "0")
                    double kernelUs,
            @Key(doc = "Fixed time of every collective.", unit = "us", def = "8.4", min = "0") double collectiveUs,
            @Key(doc = "Time of each hop of a collective inside a node.", unit = "us", def = "3.4", min = "0")
                    double hopUs,
            @Key(doc = "Time of each hop between nodes.", unit = "us", def = "14.0", min = "0") double networkHopUs) {}

    /** Sizes at which operators are evaluated; the predictor interpolates between them. */
    record Grid(
            @Key(
                            doc = "Token counts of linear layers, element-wise and network operators.",
                            unit = "tokens",
                            def =
                                    "[1, 2, 4, 8, 16, 24, 32, 48, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384, 448, 512,"
                                            + " 640, 768, 896, 1024, 1280, 1536, 2048, 3072, 4096, 6144, 8192, 16384]",
                            min = "1")
                    List<Integer> tokens,
            @Key(
                            doc = "Prefill chunk sizes.",
                            unit = "tokens",
                            def =
                                    "[1, 8, 16, 32, 48, 64, 96, 128, 160, 192, 256, 320, 384, 448, 512, 640, 768, 896, 1024,"
                                            + " 1280, 1536, 1792, 2048, 2560, 3072, 3584, 4096, 5120, 6144, 7168, 8192, 10240, 12288,"
                                            + " 14336, 16384]",
                            min = "1")
                    List<Integer> chunks,
            @Key(
                            doc = "Tokens already in the KV cache; those beyond the model's context are left out.",
                            unit = "tokens",
                            def = "[0, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768]",
                            min = "0")
                    List<Integer> kvTokens,
            @Key(
                            doc = "Numbers of requests in a decode batch.",
                            unit = "requests",
                            def = "[1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256]",
                            min = "1")
                    List<Integer> batchSizes) {}
}
