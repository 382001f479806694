package dev.stagesim.sim.kernels;

import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.model.card.Precision;
import dev.stagesim.model.hardware.HardwareCard;
import dev.stagesim.model.hardware.KernelCard;
import dev.stagesim.model.hardware.StepCard;

/**
 * Times of single kernels on one device, in microseconds.
 *
 * <p>Roofline: a kernel takes the maximum of its compute time and its memory time, at the fractions of the peaks in the
 * hardware card and with the multiprocessors that its tiles occupy, plus a fixed minimum time.
 */
public final class Kernels {
    private static final double TILE = 128;
    private static final double MIN_ROWS = 16;
    private static final double SPLIT_DEPTH = 1024;
    private static final double SPLIT_CONTEXT = 512;
    private static final double DECODE_COMPUTE = 0.35;
    private static final double SHORT_CONTEXT = 1024;
    private static final double MAX_SHORT_SLOWDOWN = 6;
    private static final double HALF_BYTES = 2;
    private static final double MEGA_PER_TERA = 1e6;
    private static final double KILO_PER_GIGA = 1e3;

    private final KernelCard card;
    private final StepCard engine;
    private final HardwareCard hardware;
    private final double bytesPerUs;
    private final double factor;
    private final double smallFactor;
    private final double peak16;
    private final double peak8;
    private final double peak4;

    /**
     * Kernels of an engine on a device.
     *
     * @throws StageException if the hardware card has no 16-bit rate or no memory bandwidth
     */
    Kernels(HardwareCard hardware, StepCard engine) {
        this.hardware = hardware;
        card = hardware.kernels();
        this.engine = engine;
        double share =
                hardware.memory().memType().startsWith("HBM") ? engine.factors().stackedMemory() : 1;
        bytesPerUs = hardware.statedMemBwGbs() * share * KILO_PER_GIGA;
        factor = engine.factors().kernels();
        smallFactor = engine.factors().elementwiseTimeFactor();
        double reached = MEGA_PER_TERA * engine.factors().compute();
        double sums = engine.factors().halfSums() ? card.products().halfSums() : 1;
        peak16 = reached
                * sums
                * hardware.bf16OrFp16Tflops()
                        .orElseThrow(() -> StageException.input(Problem.config(
                                        "hardware.bf16_tflops",
                                        hardware.name() + " has no 16-bit rate, expected bf16_tflops or fp16_tflops")
                                .hint("set hardware.bf16_tflops, or choose other hardware")));
        peak8 = hardware.rates().fp8Tflops().map(x -> x * reached).orElse(0.0);
        peak4 = hardware.rates().fp4Tflops().map(x -> x * reached).orElse(0.0);
    }

    /** Rate of products with block-scaled weights and dynamically quantised activations, relative to a single scale. */
    private static final double BLOCK_PRODUCT = 0.83;

    private double productFlops(Precision weights) {
        return switch (hardware.productRate(weights)) {
            case BITS16 -> peak16 * card.products().product16();
            case BITS8 -> peak8 * card.products().product8() * (weights == Precision.FP8_BLOCK ? BLOCK_PRODUCT : 1);
            case BITS4 -> peak4 * card.products().product4();
        };
    }

    /**
     * A product of {@code m x k} activations and {@code k x n} weights.
     *
     * <p>Tiles of 128 x 128 run in waves over the multiprocessors. Below one wave, a long depth is split (split-k).
     */
    double product(double m, double n, double k, Precision weights) {
        boolean vector = m <= engine.factors().vectorRows();
        double flops = 2 * Math.max(m, vector ? 1 : MIN_ROWS) * n * k;
        double bytes = n * k * weights.bytes() + HALF_BYTES * m * (k + n);
        double minimumUs = weights == Precision.BF16
                ? card.products().productUs()
                : card.products().quantisedProductUs();
        double work = Math.max(
                flops / (productFlops(weights) * fill(m, n, k, card.multiprocessors())),
                bytes / (bytesPerUs * card.products().productBandwidth()));
        return factor * (minimumUs + work + (vector ? 0 : converted(m, n, k, weights)));
    }

    /**
     * Conversion of weights to 16 bits, and of activations to 16 bits and back, if the engine's products require it.
     */
    private double converted(double m, double n, double k, Precision weights) {
        boolean unpacks = engine.factors().vectorRows() > 0 && weights != Precision.BF16;
        boolean wide = engine.factors().activationBytes() != HALF_BYTES;
        return stream((unpacks ? n * k * (weights.bytes() + HALF_BYTES) : 0)
                + (wide ? m * (k + n) * (engine.factors().activationBytes() + HALF_BYTES) : 0));
    }

    /**
     * Occupancy of {@code parts} multiprocessors by the tiles of an {@code m x k} by {@code k x n} product, over all
     * waves.
     */
    public static double fill(double m, double n, double k, int parts) {
        double tiles = Math.ceil(m / TILE) * Math.ceil(n / TILE);
        if (tiles > parts) {
            return tiles / (Math.ceil(tiles / parts) * parts);
        }
        return Math.min(1, tiles * Math.max(1, k / SPLIT_DEPTH) / parts);
    }

    /**
     * Decode attention: one new token per sequence.
     *
     * @param batch sequences
     * @param context mean cached tokens of a sequence
     * @param groups key-value heads of this device, 1 for a latent cache
     * @param values cached elements of a token in all of them
     * @param flopsPerToken operations per cached token
     */
    double decodeAttention(
            double batch, double context, double groups, double values, double valueBytes, double flopsPerToken) {
        double parallel = Math.min(1, batch * groups * Math.max(1, context / SPLIT_CONTEXT) / card.multiprocessors());
        double bytes = batch * context * values * valueBytes;
        double share = valueBytes < HALF_BYTES
                ? card.attention().attention8Bandwidth()
                : card.attention().attentionBandwidth();
        double memory = bytes / (bytesPerUs * share);
        double compute = decodeCompute(batch * context, flopsPerToken);
        return factor * (card.attention().attentionUs() + Math.max(memory, compute) / parallel);
    }

    /** Compute time of decode attention to {@code tokens} cached tokens, in microseconds. */
    double decodeCompute(double tokens, double flopsPerToken) {
        return tokens * flopsPerToken / (DECODE_COMPUTE * peak16);
    }

    /**
     * Attention of a prompt chunk.
     *
     * @param pairs visible query-key pairs
     * @param keys number of tokens up to the end of the chunk
     * @param flopsPerPair operations per pair
     */
    double prefillAttention(double pairs, double keys, double flopsPerPair) {
        double slow = Math.min(MAX_SHORT_SLOWDOWN, 1 + SHORT_CONTEXT / keys);
        return factor
                * (card.attention().attentionUs()
                        + flopsPerPair
                                * pairs
                                * slow
                                / (peak16 * card.attention().attentionCompute()));
    }

    /** Scores of an indexer for a prompt chunk, in 8 bits if the device supports them. */
    double index(double pairs, double keys, double flopsPerPair) {
        return prefillAttention(pairs, keys, flopsPerPair * (peak8 > 0 ? peak16 / peak8 : 1));
    }

    /**
     * Attention of a prompt chunk by two products with the scores in memory, which computes all pairs.
     *
     * @param scores query-key pairs of all heads
     * @param flopsPerScore operations per pair
     * @param values cached elements that all heads read
     */
    double attentionInMemory(double scores, double flopsPerScore, double values) {
        double products = flopsPerScore * scores / (peak16 * card.products().product16());
        return factor
                * (card.attention().attentionUs()
                        + products
                        + stream(engine.factors().scoreBytes() * scores + HALF_BYTES * values));
    }

    /**
     * Routed experts of a layer on one device. The last tile of an expert is half empty on average, and narrow experts
     * fill tiles poorly.
     *
     * @param touched experts whose weights are read
     * @param rows tokens times experts per token, on this device
     * @param width columns of an expert's first products on this device
     * @param weightsOfOne weights of one expert on this device
     */
    double experts(double touched, double rows, double width, double weightsOfOne, Precision weights) {
        boolean four = weights.bytes() < 1;
        boolean block = weights == Precision.FP8_BLOCK;
        double minimumUs =
                four ? card.experts().experts4Us() : card.experts().expertsUs() * (block ? BLOCK_FIXED_TIME : 1);
        double bandwidth = four
                ? card.experts().experts4Bandwidth()
                : card.experts().expertsBandwidth() * (block ? BLOCK_BANDWIDTH : 1);
        double flops =
                switch (hardware.productRate(weights)) {
                    case BITS16 -> peak16 * card.experts().experts16();
                    case BITS8 -> peak8 * card.experts().experts8() * (block ? BLOCK_COMPUTE : 1);
                    case BITS4 -> peak4 * card.experts().experts4() * (weights == Precision.MXFP4 ? MXFP4_COMPUTE : 1);
                };
        double padded = rows + touched * Math.min(EXPERT_PADDING, rows / Math.max(1, touched));
        double fill = rows / padded * width / (width + NARROW);
        double memory = touched * weightsOfOne * weights.bytes() / (bytesPerUs * bandwidth);
        double compute = 2 * rows * weightsOfOne / (flops * fill);
        return factor * (minimumUs + Math.max(memory, compute));
    }

    /** Maximum number of empty rows in the last tile of an expert. */
    private static final double EXPERT_PADDING = 64;

    /** Width with half of the maximum rate. */
    private static final double NARROW = 256;

    /** Rate of MXFP4 weights with 8-bit activations, relative to NVFP4. */
    private static final double MXFP4_COMPUTE = 0.75;

    // block-scaled FP8 experts relative to a single scale; see the table in specs/step-times.md
    private static final double BLOCK_FIXED_TIME = 1.3;
    private static final double BLOCK_BANDWIDTH = 0.92;
    private static final double BLOCK_COMPUTE = 0.67;

    /** An element-wise kernel that moves {@code values} elements. */
    double small(double values) {
        return factor
                * (card.elementwiseUs() * smallFactor + traffic(engine.factors().activationBytes() * values));
    }

    /** Time to read and write matrices of the size of weights. */
    private double stream(double bytes) {
        return bytes / (bytesPerUs * card.products().productBandwidth());
    }

    /** Time to read and write {@code bytes}, without the fixed time of a kernel. */
    double traffic(double bytes) {
        return bytes / (bytesPerUs * card.elementwiseBandwidth());
    }
}
