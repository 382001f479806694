package dev.stagesim.settings;

import dev.stagesim.model.Access;
import dev.stagesim.model.Access.Resource;
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
    @Variant("roofline | Computed from the model card and the hardware card.")
    record Roofline(
            @Key("Sizes at which operators are evaluated.") Grid grid,
            @Key("Tensor-parallel degrees to profile; those that do not divide the model are left out. | [1, 2, 4, 8]"
                            + " | 1..1000000")
                    List<Integer> tensorParallelSizes,
            @Key("KV-cache block size written to the attention rows. | 16 | tokens | 1..1000000000") int blockSize,
            @Key("Predictors whose error on sizes left out is reported: whether the grid is dense enough. | []")
                    List<Judged> quality,
            @Key("Time the host adds to every iteration. | { kind = none }") HostOverhead host)
            implements ProfileSettings {}

    @Variant("import | Taken over from an existing bundle in Vidur's layout, after checking it.")
    record Import(
            @Key("Directory that holds compute/ and network/.") Path root,
            @Key("Folder below compute/ to take; null for the one that fits the hardware card. | null")
                    @Access(Resource.NONE)
                    Optional<String> device,
            @Key("Folder below compute/<device>/ to take; null for the model card's name. | null")
                    @Access(Resource.NONE)
                    Optional<String> modelName,
            @Key("Folder below network/ to take; null for the only one that fits the device. | null")
                    @Access(Resource.NONE)
                    Optional<String> networkDevice,
            @Key("Tensor-parallel degrees that must be there; an empty list takes those there are. | [] | 1..1000000")
                    List<Integer> tensorParallelSizes,
            @Key("Whether transfers between pipeline stages must be there. | false") boolean pipelineParallel,
            @Key("Whether host overheads must be there. | false") boolean hostOverheads,
            @Key("KV-cache block size that must be there. | 16 | tokens | 1..1000000000") int blockSize,
            @Key("Predictors whose error on sizes left out is reported; forests take some seconds for each"
                            + " tensor-parallel size. | [interpolation]")
                    List<Judged> quality)
            implements ProfileSettings {}

    /** A predictor to judge on sizes left out. */
    enum Judged {
        INTERPOLATION, // Piecewise linear.
        RANDOM_FOREST, // A forest of 250 trees of depth 16.
        LINEAR_REGRESSION // A polynomial of degree 1 to 5.
    }

    @Variant("torch | Measured here with PyTorch, on the processor or a CUDA device.")
    record Torch(
            @Key("Python interpreter that can import torch. | python3") @Access(Resource.PROGRAM) String python,
            @Key("Device to measure on; auto takes CUDA where there is one. | auto") TorchDevice device,
            @Key("Type of weights, activations and cache; auto is bfloat16 on CUDA and float32 elsewhere. | auto")
                    TorchType dtype,
            @Key("Threads of the processor; null for what PyTorch takes. | null | 1..65536") Optional<Integer> threads,
            @Key("Runs of every case before those that count. | 3 | 0..1000000000") int warmup,
            @Key("Runs of every case that count. | 10 | 1..1000000000") int repeats,
            @Key("Sizes at which operators are measured.") Grid grid,
            @Key("Tensor-parallel degrees whose share of a layer is measured, on one device; above 1 also the"
                            + " all-reduce between as many processes (gloo) or CUDA devices (NCCL). | [1] | 1..1000000")
                    List<Integer> tensorParallelSizes,
            @Key("Whether the transfer between pipeline stages is measured, between two processes (gloo) or CUDA"
                            + " devices (NCCL). | false")
                    boolean pipelineParallel,
            @Key("KV-cache block size written to the attention rows. | 16 | tokens | 1..1000000000") int blockSize,
            @Key("Predictors whose error on sizes left out is reported. | [interpolation]") List<Judged> quality,
            @Key("Longest time for all cases together. | 7200 | s | 1..100000000") int timeoutS,
            @Key("Longest time without a finished case. | 300 | s | 1..100000000") int stallS)
            implements ProfileSettings {}

    @Variant("reference | Measured here: the operators of the built-in engine, on this processor.")
    record Reference(
            @Key("Rounds through all cases; each gives one value. | 9 | 1..1000000000") int repeats,
            @Key("Sizes at which operators are measured.") EngineGrid grid,
            @Key("KV-cache block size of the engine and of the attention rows. | 16 | tokens | 1..1000000000")
                    int blockSize,
            @Key("Predictors whose error on sizes left out is reported. | [interpolation]") List<Judged> quality)
            implements ProfileSettings {}

    /** Sizes for a small model on a processor. */
    record EngineGrid(
            @Key("Token counts of linear layers and element-wise operators. | [1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14,"
                            + " 16, 20, 24, 32, 48, 64, 80, 96, 112, 128] | tokens | 1..1000000000")
                    List<Integer> tokens,
            @Key("Prefill chunk sizes. | [1, 4, 8, 16, 32, 48, 64, 96, 128] | tokens | 1..1000000000")
                    List<Integer> chunks,
            @Key("Tokens already in the KV cache, for decode with the new one; those beyond the model's context are"
                            + " left out. | [0, 16, 64, 128, 256, 512] | tokens | 0..1000000000")
                    List<Integer> kvTokens,
            @Key("Numbers of requests in a decode batch. | [1, 2, 3, 4, 6, 8, 12, 16] | requests | 1..1000000")
                    List<Integer> batchSizes) {}

    /** Where PyTorch measures. */
    enum TorchDevice {
        AUTO, // CUDA where there is one, else the processor.
        CPU, // The processor.
        CUDA // The current CUDA device.
    }

    /** Number type of a measurement. */
    enum TorchType {
        AUTO, // bfloat16 on CUDA, float32 elsewhere.
        BFLOAT16,
        FLOAT16,
        FLOAT32
    }

    /** Sizes at which operators are evaluated; the predictor interpolates between them. */
    record Grid(
            @Key("Token counts of linear layers, element-wise and network operators. | [1, 2, 4, 8, 16, 24, 32, 48,"
                            + " 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384, 448, 512, 640, 768, 896, 1024, 1280, 1536,"
                            + " 2048, 3072, 4096, 6144, 8192, 16384] | tokens | 1..1000000000")
                    List<Integer> tokens,
            @Key("Prefill chunk sizes. | [1, 8, 16, 32, 48, 64, 96, 128, 160, 192, 256, 320, 384, 448, 512, 640, 768,"
                            + " 896, 1024, 1280, 1536, 1792, 2048, 2560, 3072, 3584, 4096, 5120, 6144, 7168, 8192, 10240, 12288,"
                            + " 14336, 16384] | tokens | 1..1000000000")
                    List<Integer> chunks,
            @Key("Tokens already in the KV cache; those beyond the model's context are left out. | [0, 64, 128, 256,"
                            + " 512, 1024, 2048, 4096, 8192, 16384, 32768] | tokens | 0..1000000000")
                    List<Integer> kvTokens,
            @Key("Numbers of requests in a decode batch. | [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192,"
                            + " 256] | requests | 1..1000000")
                    List<Integer> batchSizes) {}
}
