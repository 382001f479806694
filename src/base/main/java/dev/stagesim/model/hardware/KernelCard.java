package dev.stagesim.model.hardware;

import dev.stagesim.model.FormerKeys;
import dev.stagesim.model.Key;
import dev.stagesim.model.Unwrapped;
import java.util.Optional;

/**
 * Efficiency and minimum time of a device's kernels: the section {@code hardware.kernels}.
 *
 * <p>The values belong to an architecture; the configuration group {@code kernels} holds one option for each.
 */
@FormerKeys({"small_us=elementwise_us", "small_bandwidth=elementwise_bandwidth"})
public record KernelCard(
        @Key("Multiprocessors (compute units), each of which runs one tile of a product. | 100 | 1..1000000")
                int multiprocessors,
        @Unwrapped ProductKernels products,
        @Unwrapped AttentionKernels attention,
        @Unwrapped ExpertKernels experts,
        @Key("Minimum time of an element-wise kernel. | 2.5 | us | 0..1000000000") double elementwiseUs,
        @Key("Share of the memory bandwidth that element-wise kernels reach. | 0.70 | 0.000001..1")
                double elementwiseBandwidth,
        @Key("Source of the values. | null") Optional<String> source) {}
