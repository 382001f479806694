package dev.stagesim.model.card;

import dev.stagesim.model.Access;
import dev.stagesim.model.Key;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import java.util.Optional;

/**
 * Peak and measured rates of one accelerator, and their sources.
 *
 * <p>Rates are dense (no structured sparsity); bandwidths are per device and direction. The configuration group {@code
 * hardware} holds one option per card.
 */
public record HardwareCard(
        @Key("Full name of the accelerator.") String name,
        @Key("Vendor.") String vendor,
        @Key("Architecture and version.") String generation,
        @Key("Form factor.") String form,
        @Key("Dense peak rate in FP32. | null | TFLOP/s | 0.000001..1000000") Optional<Double> fp32Tflops,
        @Key("Dense peak rate in TF32. | null | TFLOP/s | 0.000001..1000000") Optional<Double> tf32Tflops,
        @Key("Dense peak rate in BF16. | null | TFLOP/s | 0.000001..1000000") Optional<Double> bf16Tflops,
        @Key("Dense peak rate in FP16. | null | TFLOP/s | 0.000001..1000000") Optional<Double> fp16Tflops,
        @Key("Dense peak rate in FP8. | null | TFLOP/s | 0.000001..1000000") Optional<Double> fp8Tflops,
        @Key("Dense peak rate in INT8. | null | TOP/s | 0.000001..1000000") Optional<Double> int8Tops,
        @Key("Dense peak rate in FP4. | null | TFLOP/s | 0.000001..1000000") Optional<Double> fp4Tflops,
        @Key("Memory of one device; serving engines use visible_mem_gib if it is less."
                        + " | required | GB | 0.000001..10000000")
                double memGb,
        @Key("Memory that PyTorch reports for the device, without the part of error correction and the"
                        + " driver; null for mem_gb, which is also the maximum."
                        + " | null | GiB | 0.000001..10000000")
                Optional<Double> visibleMemGib,
        @Key("Kind of memory.") String memType,
        @Key("Peak memory bandwidth. | null | GB/s | 0.000001..1000000") Optional<Double> memBwGbs,
        @Key("Last-level on-chip memory. | null | MB | 0.000001..1000000000") Optional<Double> onchipMb,
        @Key("Kind of on-chip memory. | null") Optional<String> onchipKind,
        @Key("Link between the devices of a scale-up domain. | none") String scaleupName,
        @Key("Scale-up bandwidth per device and direction; 0 without a link. | 0 | GB/s | 0..1000000")
                double scaleupUniGbs,
        @Key("Devices in a scale-up domain. | null | devices | 1..1000000") Optional<Integer> scaleupDomain,
        @Key("Topology of the domain if its size does not imply it. | null") Optional<String> scaleupTopology,
        @Key("Link to the host. | null") @Access(Access.Resource.NONE) Optional<String> hostLink,
        @Key("Host link bandwidth per direction. | null | GB/s | 0.000001..1000000") Optional<Double> hostUniGbs,
        @Key("Typical network bandwidth per device. | null | Gbit/s | 0.000001..1000000")
                Optional<Double> nicGbpsPerAccelTyp,
        @Key("Board power. | null | W | 0.000001..1000000000") Optional<Double> powerW,
        @Key("Low rental price. | null | USD/h | 0..1000000") Optional<Double> priceUsdHrLow,
        @Key("Typical rental price. | null | USD/h | 0..1000000") Optional<Double> priceUsdHrTyp,
        @Key("High rental price. | null | USD/h | 0..1000000") Optional<Double> priceUsdHrHigh,
        @Key("Source of the prices. | null") Optional<String> priceBasis,
        @Key("Highest BF16 matrix rate measured on the device (maximum achievable matmul FLOPS). | null |"
                        + " TFLOP/s | 0.000001..1000000")
                Optional<Double> mamfBf16Tflops,
        @Key("Single-thread time of the host relative to the host of an H100 machine: 1 as fast, 2 half as fast."
                        + " It belongs to the host, not to the device; the default is that of machines the device"
                        + " is usually in. | 1 | 0.000001..1000000")
                double hostClass,
        @Key("Efficiency of kernels.") KernelCard kernels,
        @Key("Efficiency of collectives.") LinkCard link,
        @Key("Quality of the sources of the values.") Confidence confidence,
        @Key("Source of the values.") String source,
        @Key("Notes for users of the card. | null") Optional<String> notes) {
    /**
     * Checks the values against each other.
     *
     * @throws IllegalArgumentException if they contradict each other; the binder turns it into a problem with the card's place
     */
    public HardwareCard {
        CardRule.named(name);
        CardRule.ordered("price_usd_hr_low", priceUsdHrLow, "price_usd_hr_typ", priceUsdHrTyp);
        CardRule.ordered("price_usd_hr_low", priceUsdHrLow, "price_usd_hr_high", priceUsdHrHigh);
        CardRule.ordered("price_usd_hr_typ", priceUsdHrTyp, "price_usd_hr_high", priceUsdHrHigh);
        CardRule.ordered("mamf_bf16_tflops", mamfBf16Tflops, "the 16-bit peak", bf16Tflops.or(() -> fp16Tflops));
    }

    /** Returns the usable memory in GiB; vendors state GiB as GB. */
    public double usableMemGib() {
        return Math.min(visibleMemGib.orElse(memGb), memGb);
    }

    /** Returns the key that gives the usable memory. */
    public String usableMemKey() {
        return usableMemGib() < memGb ? "hardware.visible_mem_gib" : "hardware.mem_gb";
    }

    /**
     * Returns the dense peak rate of 16-bit matrix products in TFLOP/s: BF16 if the device supports it, otherwise FP16.
     */
    public Optional<Double> bf16OrFp16Tflops() {
        return bf16Tflops.or(() -> fp16Tflops);
    }

    /** Returns the operand width of products with these weights; widths without a rate on this device use 16 bits. */
    public Precision.Rate productRate(Precision weights) {
        Optional<Double> rate =
                switch (weights.rate()) {
                    case BITS4 -> fp4Tflops;
                    case BITS8 -> fp8Tflops;
                    case BITS16 -> bf16OrFp16Tflops();
                };
        return rate.isPresent() ? weights.rate() : Precision.Rate.BITS16;
    }

    /**
     * Returns the peak memory bandwidth in GB/s.
     *
     * @throws StageException (input) if the card does not state it
     */
    public double statedMemBwGbs() {
        return memBwGbs.orElseThrow(() ->
                StageException.input(Problem.config("hardware.mem_bw_gbs", "the card " + name + " does not state it")
                        .hint("set hardware.mem_bw_gbs, or choose other hardware")));
    }
}
