package dev.stagesim.model.hardware;

import dev.stagesim.model.Key;
import java.util.Optional;

/** Dense peak rates of a device by number format. */
public record DenseRates(
        @Key("Dense peak rate in FP32. | null | TFLOP/s | 0.000001..1000000") Optional<Double> fp32Tflops,
        @Key("Dense peak rate in TF32. | null | TFLOP/s | 0.000001..1000000") Optional<Double> tf32Tflops,
        @Key("Dense peak rate in BF16. | null | TFLOP/s | 0.000001..1000000") Optional<Double> bf16Tflops,
        @Key("Dense peak rate in FP16. | null | TFLOP/s | 0.000001..1000000") Optional<Double> fp16Tflops,
        @Key("Dense peak rate in FP8. | null | TFLOP/s | 0.000001..1000000") Optional<Double> fp8Tflops,
        @Key("Dense peak rate in INT8. | null | TOP/s | 0.000001..1000000") Optional<Double> int8Tops,
        @Key("Dense peak rate in FP4. | null | TFLOP/s | 0.000001..1000000") Optional<Double> fp4Tflops) {}
