package dev.stagesim.sim.kernels;

import dev.stagesim.model.card.Precision;
import dev.stagesim.model.hardware.DeviceArchitecture;
import dev.stagesim.model.hardware.ExpertLibrary;
import dev.stagesim.model.hardware.HardwareCard;

/** Kernels of experts, and the activations that they move to permute, quantise and combine them. */
enum ExpertKind {
    /** Triton and Marlin, which move the rows of all chosen experts, also of experts on other devices. */
    ROUTED(3.6, 2.5, 1, 1, 1),
    /** Triton on Blackwell, which uses few instructions of this architecture. */
    ROUTED_BLACKWELL(12.7, 14, 1.4, 0.78, 0.76),
    /** CUTLASS and DeepGEMM, which move the rows of the device's experts. */
    LOCAL(4.8, 2.5, 1, 1, 1),
    /** Kernels that TensorRT-LLM generates for Blackwell. Engines share them. Weights are stored in whole tiles. */
    GENERATED(3, 10, 1, 1, 1);

    private final double rowPasses;
    private final double tokenPasses;
    private final double minimum;
    private final double memory;
    private final double compute;

    ExpertKind(double rowPasses, double tokenPasses, double minimum, double memory, double compute) {
        this.rowPasses = rowPasses;
        this.tokenPasses = tokenPasses;
        this.minimum = minimum;
        this.memory = memory;
        this.compute = compute;
    }

    /**
     * Returns the kernels on a device.
     *
     * @param isUnpacked true if weights are unpacked to 16 bits
     */
    static ExpertKind of(HardwareCard hardware, ExpertLibrary library, Precision weights, boolean isUnpacked) {
        if (isUnpacked) {
            return ROUTED;
        }
        boolean isFloat4 = weights == Precision.NVFP4;
        if (hardware.device().isBlackwell() && hardware.memory().memType().startsWith("HBM")) {
            return library == ExpertLibrary.TRITON && !isFloat4 ? ROUTED_BLACKWELL : GENERATED;
        }
        boolean isLocal = isFloat4
                || library == ExpertLibrary.CUTLASS
                || (library == ExpertLibrary.DEEP_GEMM && weights == Precision.FP8_BLOCK);
        return isLocal ? LOCAL : ROUTED;
    }

    /** Returns the width of products. On Blackwell without HBM only CUTLASS multiplies MXFP4; other libraries unpack it. */
    static Precision.Rate rate(HardwareCard hardware, ExpertLibrary library, Precision weights) {
        boolean isMarlin = weights == Precision.MXFP4
                && library != ExpertLibrary.CUTLASS
                && hardware.device().architecture() == DeviceArchitecture.BLACKWELL_GDDR;
        return isMarlin ? Precision.Rate.BITS16 : hardware.productRate(weights);
    }

    /** Returns reads and writes of vectors of the hidden size. */
    double passes(Kernels.ExpertLoad load) {
        boolean isLocal = this == LOCAL || this == GENERATED;
        return rowPasses * (isLocal ? load.rows() : load.routed()) + tokenPasses * load.tokens();
    }

    /** Returns the stored columns of the first products relative to the columns of the model. */
    double padding(double width) {
        return this == GENERATED ? Kernels.tiled(width) / width : 1;
    }

    /** Returns the minimum time relative to the device's card. */
    double minimum() {
        return minimum;
    }

    /** Returns the bandwidth relative to the device's card. */
    double memory() {
        return memory;
    }

    /** Returns the rate of operations relative to the device's card. */
    double compute() {
        return compute;
    }
}
