package dev.stagesim.model.hardware;

import dev.stagesim.model.Key;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.model.Unwrapped;
import dev.stagesim.model.card.CardRule;
import dev.stagesim.model.card.Precision;
import java.util.Optional;

/**
 * Peak and measured rates of one accelerator, and their sources.
 *
 * <p>Rates are dense (no structured sparsity); bandwidths are per device and direction. The configuration group {@code
 * hardware} holds one option per card.
 */
public record HardwareCard(
        @Key("Full name of the accelerator.") String name,
        @Unwrapped DeviceFamily device,
        @Unwrapped DenseRates rates,
        @Unwrapped DeviceMemory memory,
        @Unwrapped ScaleUpLink scaleup,
        @Unwrapped HostLink host,
        @Unwrapped DeviceCosts costs,
        @Key("Highest BF16 matrix rate measured on the device (maximum achievable matmul FLOPS). | null |"
                        + " TFLOP/s | 0.000001..1000000")
                Optional<Double> mamfBf16Tflops,
        @Key("Single-thread time of the host relative to the host of an H100 machine: 1 as fast, 2 half as fast."
                        + " It belongs to the host, not to the device; the default is that of machines the device"
                        + " is usually in. | 1 | 0.000001..1000000")
                double hostClass,
        @Key("Efficiency of kernels.") KernelCard kernels,
        @Key("Efficiency of collectives.") LinkCard link,
        @Unwrapped HardwareOrigin origin) {
    /**
     * Checks the values against each other.
     *
     * @throws IllegalArgumentException if they contradict each other; the binder turns it into a problem with the card's place
     */
    public HardwareCard {
        CardRule.named(name);
        CardRule.ordered(
                "mamf_bf16_tflops",
                mamfBf16Tflops,
                "the 16-bit peak",
                rates.bf16Tflops().or(rates::fp16Tflops));
    }

    /** Returns the usable memory in GiB; vendors state GiB as GB. */
    public double usableMemGib() {
        return Math.min(memory.visibleMemGib().orElse(memory.memGb()), memory.memGb());
    }

    /** Returns the key that gives the usable memory. */
    public String usableMemKey() {
        return usableMemGib() < memory.memGb() ? "hardware.visible_mem_gib" : "hardware.mem_gb";
    }

    /**
     * Returns the dense peak rate of 16-bit matrix products in TFLOP/s: BF16 if the device supports it, otherwise FP16.
     */
    public Optional<Double> bf16OrFp16Tflops() {
        return rates.bf16Tflops().or(rates::fp16Tflops);
    }

    /**
     * Returns the dense peak rate of products in a format in TFLOP/s; empty if the device cannot multiply in it. Units for
     * 4 bits also multiply MX formats. Those of AMD have no NVFP4.
     */
    public Optional<Double> formatTflops(Precision format) {
        return switch (format) {
            case INT8 -> rates.int8Tops();
            case MXFP8, MXFP6 ->
                rates.fp8Tflops().filter(rate -> rates.fp4Tflops().isPresent());
            case NVFP4 -> rates.fp4Tflops().filter(rate -> !device.vendor().equals("AMD"));
            default ->
                switch (format.rate()) {
                    case BITS4 -> rates.fp4Tflops();
                    case BITS8 -> rates.fp8Tflops();
                    case BITS16 -> bf16OrFp16Tflops();
                };
        };
    }

    /** Returns the operand width of products with these weights: 16 bits if the device cannot multiply in their format. */
    public Precision.Rate productRate(Precision weights) {
        return formatTflops(weights).isPresent() ? weights.rate() : Precision.Rate.BITS16;
    }

    /**
     * Returns the peak memory bandwidth in GB/s.
     *
     * @throws StageException (input) if the card does not state it
     */
    public double statedMemBwGbs() {
        return memory.memBwGbs()
                .orElseThrow(() -> StageException.input(
                        Problem.config("hardware.mem_bw_gbs", "the card " + name + " does not state it")
                                .hint("set hardware.mem_bw_gbs, or choose other hardware")));
    }
}
