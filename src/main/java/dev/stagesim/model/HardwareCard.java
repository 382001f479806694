package dev.stagesim.model;

import java.util.Optional;

/**
 * Peak and measured figures of one accelerator, and where they come from.
 *
 * <p>Rates are dense (no structured sparsity); bandwidths are per device and direction. The configuration group
 * {@code hardware} holds one option per card.
 */
public record HardwareCard(
        @Key(doc = "Full name of the accelerator.") String name,
        @Key(doc = "Who makes it.") String vendor,
        @Key(doc = "Architecture and version.") String generation,
        @Key(doc = "Form factor.") String form,
        @Key(doc = "Dense peak rate in FP32.", unit = "TFLOP/s", def = "null", min = "0", above = true)
                Optional<Double> fp32Tflops,
        @Key(doc = "Dense peak rate in TF32.", unit = "TFLOP/s", def = "null", min = "0", above = true)
                Optional<Double> tf32Tflops,
        @Key(doc = "Dense peak rate in BF16.", unit = "TFLOP/s", def = "null", min = "0", above = true)
                Optional<Double> bf16Tflops,
        @Key(doc = "Dense peak rate in FP16.", unit = "TFLOP/s", def = "null", min = "0", above = true)
                Optional<Double> fp16Tflops,
        @Key(doc = "Dense peak rate in FP8.", unit = "TFLOP/s", def = "null", min = "0", above = true)
                Optional<Double> fp8Tflops,
        @Key(doc = "Dense peak rate in INT8.", unit = "TOP/s", def = "null", min = "0", above = true)
                Optional<Double> int8Tops,
        @Key(doc = "Dense peak rate in FP4.", unit = "TFLOP/s", def = "null", min = "0", above = true)
                Optional<Double> fp4Tflops,
        @Key(doc = "Memory of one device.", unit = "GB", min = "0", above = true) double memGb,
        @Key(doc = "Kind of memory.") String memType,
        @Key(doc = "Peak memory bandwidth.", unit = "GB/s", def = "null", min = "0", above = true)
                Optional<Double> memBwGbs,
        @Key(doc = "Last-level on-chip memory.", unit = "MB", def = "null", min = "0", above = true)
                Optional<Double> onchipMb,
        @Key(doc = "Kind of on-chip memory.", def = "null") Optional<String> onchipKind,
        @Key(doc = "Link between the devices of a scale-up domain.", def = "none") String scaleupName,
        @Key(
                        doc = "Scale-up bandwidth per device and direction; 0 when there is no link.",
                        unit = "GB/s",
                        def = "0",
                        min = "0")
                double scaleupUniGbs,
        @Key(doc = "Devices in a scale-up domain.", unit = "devices", def = "null", min = "1")
                Optional<Integer> scaleupDomain,
        @Key(doc = "What the domain looks like where a number does not say it.", def = "null")
                Optional<String> scaleupTopology,
        @Key(doc = "Link to the host.", def = "null") Optional<String> hostLink,
        @Key(doc = "Host link bandwidth per direction.", unit = "GB/s", def = "null", min = "0", above = true)
                Optional<Double> hostUniGbs,
        @Key(doc = "Typical network bandwidth per device.", unit = "Gbit/s", def = "null", min = "0", above = true)
                Optional<Double> nicGbpsPerAccelTyp,
        @Key(doc = "Board power.", unit = "W", def = "null", min = "0", above = true) Optional<Double> powerW,
        @Key(doc = "Low rental price.", unit = "USD/h", def = "null", min = "0") Optional<Double> priceUsdHrLow,
        @Key(doc = "Typical rental price.", unit = "USD/h", def = "null", min = "0") Optional<Double> priceUsdHrTyp,
        @Key(doc = "High rental price.", unit = "USD/h", def = "null", min = "0") Optional<Double> priceUsdHrHigh,
        @Key(doc = "Where the prices come from.", def = "null") Optional<String> priceBasis,
        @Key(
                        doc = "Greatest BF16 matrix rate measured on the device (maximum achievable matmul FLOPS).",
                        unit = "TFLOP/s",
                        def = "null",
                        min = "0",
                        above = true)
                Optional<Double> mamfBf16Tflops,
        @Key(doc = "How well the figures are supported.") Confidence confidence,
        @Key(doc = "Where the figures come from.") String source,
        @Key(doc = "What to know before using them.", def = "null") Optional<String> notes) {
    /** Dense peak rate of 16-bit matrix products in TFLOP/s: BF16 where the device has it, else FP16. */
    public Optional<Double> bf16OrFp16Tflops() {
        return bf16Tflops.or(() -> fp16Tflops);
    }

    /**
     * Peak memory bandwidth in GB/s, for who cannot do without it.
     *
     * @throws StageException (input) when the card does not state it
     */
    public double statedMemBwGbs() {
        return memBwGbs.orElseThrow(() -> StageException.input(
                Problem.of("config error", "hardware.mem_bw_gbs", "the card " + name + " does not state it")
                        .hint("set hardware.mem_bw_gbs, or choose other hardware")));
    }
}
