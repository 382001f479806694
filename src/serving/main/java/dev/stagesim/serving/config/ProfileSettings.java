package dev.stagesim.serving.config;

import dev.stagesim.model.Access;
import dev.stagesim.model.Access.Resource;
import dev.stagesim.model.Key;
import dev.stagesim.model.Unwrapped;
import dev.stagesim.model.Variant;
import dev.stagesim.model.VariantKey;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** Source of the profiling bundle: the section {@code profile}. */
@VariantKey("profiler")
public sealed interface ProfileSettings
        permits ProfileSettings.Roofline, ProfileSettings.Import, ProfileSettings.Torch, ProfileSettings.Reference {
    @Variant("roofline | Computed from the model card and the hardware card.")
    record Roofline(
            @Key("Sizes of the computed operators.") Grid grid,
            @Key("Tensor-parallel degrees; degrees that do not divide the model are skipped. | [1, 2, 4, 8] | "
                            + "1..1000000")
                    List<Integer> tensorParallelSizes,
            @Key("KV-cache block size written to the attention rows. | 16 | tokens | 1..1000000000") int blockSize,
            @Key("Predictors whose cross-validation error is reported, which shows whether the grid is dense "
                            + "enough. | []")
                    List<EvaluatedPredictor> quality,
            @Key("Host time of an iteration. | { kind = none }") HostOverhead host)
            implements ProfileSettings {}

    @Variant("import | Copied from an existing bundle in Vidur's layout, after a check.")
    record Import(
            @Key("Directory with compute/ and network/.") Path root,
            @Key("Folder in compute/; null for the folder that matches the hardware card. | null")
                    @Access(Resource.NONE)
                    Optional<String> device,
            @Key("Folder in compute/<device>/; null for the name of the model card. | null") @Access(Resource.NONE)
                    Optional<String> modelName,
            @Key("Folder in network/; null for the only folder that matches the device. | null") @Access(Resource.NONE)
                    Optional<String> networkDevice,
            @Key("Required tensor-parallel degrees; empty for all degrees of the bundle. | [] | 1..1000000")
                    List<Integer> tensorParallelSizes,
            @Key("Whether times of transfers between pipeline stages are required. | false") boolean pipelineParallel,
            @Key("Whether host overheads are required. | false") boolean hostOverheads,
            @Key("Required KV-cache block size. | 16 | tokens | 1..1000000000") int blockSize,
            @Key("Predictors whose cross-validation error is reported; a random forest takes some seconds per "
                            + "tensor-parallel degree. | [interpolation]")
                    List<EvaluatedPredictor> quality)
            implements ProfileSettings {}

    /** A predictor to cross-validate. */
    enum EvaluatedPredictor {
        INTERPOLATION, // Piecewise linear.
        RANDOM_FOREST, // A forest of 250 trees of depth 16.
        LINEAR_REGRESSION // A polynomial of degree 1 to 5.
    }

    @Variant("torch | Measured on this machine with PyTorch, on the CPU or a CUDA device.")
    record Torch(
            @Key("Python interpreter that can import torch. | python3") @Access(Resource.PROGRAM) String python,
            @Key("Device; auto for CUDA if available, otherwise the CPU. | auto") TorchDevice device,
            @Key("Type of weights, activations and cache; auto is bfloat16 on CUDA and float32 elsewhere. | auto")
                    TorchType dtype,
            @Key("CPU threads; null for the default of PyTorch. | null | 1..65536") Optional<Integer> threads,
            @Unwrapped TorchRuns runs,
            @Key("Sizes of the measured operators.") Grid grid,
            @Key(
                            "Tensor-parallel degrees. One device measures the share of a layer; for degrees above 1 the "
                                    + "all-reduce between processes (gloo) or CUDA devices (NCCL) is measured too. | [1] | 1..1000000")
                    List<Integer> tensorParallelSizes,
            @Key("Whether to measure the transfer between two pipeline stages, as processes (gloo) or CUDA "
                            + "devices (NCCL). | false")
                    boolean pipelineParallel,
            @Key("KV-cache block size written to the attention rows. | 16 | tokens | 1..1000000000") int blockSize,
            @Key("Predictors whose cross-validation error is reported. | [interpolation]")
                    List<EvaluatedPredictor> quality,
            @Unwrapped TorchTimeouts timeouts)
            implements ProfileSettings {
        /** Runs per case. */
        public record TorchRuns(
                @Key("Warm-up runs per case. | 3 | 0..1000000000") int warmup,
                @Key("Measured runs per case. | 10 | 1..1000000000") int repeats) {}

        /** Timeouts of a profile. */
        public record TorchTimeouts(
                @Key("Timeout of all cases together. | 7200 | s | 1..100000000") int timeoutS,
                @Key("Timeout without a finished case. | 300 | s | 1..100000000") int stallS) {}
    }

    @Variant("reference | Measured on this machine: the operators of the built-in engine, on the CPU.")
    record Reference(
            @Key("Rounds; each measures all cases once. | 9 | 1..1000000000") int repeats,
            @Key("Sizes of the measured operators.") EngineGrid grid,
            @Key("KV-cache block size of the engine and of the attention rows. | 16 | tokens | 1..1000000000")
                    int blockSize,
            @Key("Predictors whose cross-validation error is reported. | [interpolation]")
                    List<EvaluatedPredictor> quality)
            implements ProfileSettings {}

    /** Sizes for a small model on a CPU. */
    record EngineGrid(
            @Key("Token counts of linear layers and element-wise operators. | [1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14,"
                            + " 16, 20, 24, 32, 48, 64, 80, 96, 112, 128] | tokens | 1..1000000000")
                    List<Integer> tokens,
            @Key("Prefill chunk sizes. | [1, 4, 8, 16, 32, 48, 64, 96, 128] | tokens | 1..1000000000")
                    List<Integer> chunks,
            @Key("Lengths of the KV cache, including the new token of a decode; lengths beyond the model's "
                            + "context are skipped. | [0, 16, 64, 128, 256, 512] | tokens | 0..1000000000")
                    List<Integer> kvTokens,
            @Key("Numbers of requests in a decode batch. | [1, 2, 3, 4, 6, 8, 12, 16] | requests | 1..1000000")
                    List<Integer> batchSizes) {}

    /** Device of the measurement. */
    enum TorchDevice {
        AUTO, // CUDA if available, otherwise the CPU.
        CPU, // The CPU.
        CUDA // The current CUDA device.
    }

    /** Number type of a measurement. */
    enum TorchType {
        AUTO, // bfloat16 on CUDA, float32 elsewhere.
        BFLOAT16,
        FLOAT16,
        FLOAT32
    }

    /** Sizes of the computed operators; the predictor interpolates between them. */
    record Grid(
            @Key("Token counts of linear layers, element-wise and network operators. | [1, 2, 4, 8, 16, 24, 32, 48,"
                            + " 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384, 448, 512, 640, 768, 896, 1024, 1280, 1536,"
                            + " 2048, 3072, 4096, 6144, 8192, 16384] | tokens | 1..1000000000")
                    List<Integer> tokens,
            @Key("Prefill chunk sizes. | [1, 8, 16, 32, 48, 64, 96, 128, 160, 192, 256, 320, 384, 448, 512, 640, 768,"
                            + " 896, 1024, 1280, 1536, 1792, 2048, 2560, 3072, 3584, 4096, 5120, 6144, 7168, 8192, 10240, 12288,"
                            + " 14336, 16384] | tokens | 1..1000000000")
                    List<Integer> chunks,
            @Key("Lengths of the KV cache; lengths beyond the model's context are skipped. | [0, 64, 128, 256, "
                            + "512, 1024, 2048, 4096, 8192, 16384, 32768] | tokens | 0..1000000000")
                    List<Integer> kvTokens,
            @Key("Numbers of requests in a decode batch. | [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192,"
                            + " 256] | requests | 1..1000000")
                    List<Integer> batchSizes) {}
}
