package dev.stagesim.model.hardware;

/** Library with the kernels of an engine's experts. Kernels that unpack weights to 16 bits are those of Triton. */
public enum ExpertLibrary {
    TRITON, // Triton on all devices, except for NVFP4.
    FLASH_INFER, // Generated kernels on Blackwell, otherwise Triton.
    DEEP_GEMM, // Like flash_infer, and DeepGEMM for FP8 blocks on other devices.
    CUTLASS // Generated kernels on Blackwell, otherwise CUTLASS.
}
