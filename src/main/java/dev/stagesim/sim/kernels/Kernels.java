package dev.stagesim.sim.kernels;

import dev.stagesim.model.HardwareCard;
import dev.stagesim.model.KernelCard;
import dev.stagesim.model.Precision;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.model.StepCard;

/**
 * Times of single kernels on one device, in microseconds.
 *
 * <p>A kernel takes the greater of its arithmetic and its memory traffic, at the shares of the peaks that the hardware card states,
 * on as many multiprocessors as its tiles occupy, and a least time.
 */
public final class Kernels {
    private static final double TILE = 128;
    private static final double LEAST_ROWS = 16;
    private static final double SPLIT_DEPTH = 1024;
    private static final double SPLIT_CONTEXT = 512;
    private static final double DECODE_COMPUTE = 0.35;
    private static final double SHORT_CONTEXT = 1024;
    private static final double SHORT_MOST = 6;
    private static final double HALF_BYTES = 2;
    private static final double MEGA_PER_TERA = 1e6;
    private static final double KILO_PER_GIGA = 1e3;

    private final KernelCard card;
    private final StepCard engine;
    private final double bytesPerUs;
    private final double factor;
    private final double smallFactor;
    private final double peak16;
    private final double peak8;
    private final double peak4;

    /**
     * Kernels of an engine on a device.
     *
     * @throws StageException when the hardware card has no 16-bit rate or no memory bandwidth
     */
    public Kernels(HardwareCard hardware, StepCard engine) {
        card = hardware.kernels();
        this.engine = engine;
        double share = hardware.memType().startsWith("HBM") ? engine.stackedMemory() : 1;
        bytesPerUs = hardware.statedMemBwGbs() * share * KILO_PER_GIGA;
        factor = engine.kernels();
        smallFactor = engine.fuse();
        double reached = MEGA_PER_TERA * engine.compute();
        double sums = engine.halfSums() ? card.halfSums() : 1;
        peak16 = reached
                * sums
                * hardware.bf16OrFp16Tflops()
                        .orElseThrow(() -> StageException.input(Problem.config(
                                        "hardware.bf16_tflops",
                                        hardware.name() + " has no 16-bit rate, expected bf16_tflops or fp16_tflops")
                                .hint("set hardware.bf16_tflops, or choose other hardware")));
        peak8 = hardware.fp8Tflops().map(x -> x * reached).orElse(0.0);
        peak4 = hardware.fp4Tflops().map(x -> x * reached).orElse(0.0);
    }

    /** Operand width that products of such weights use here: what the device lacks is done at 16 bits. */
    private Precision.Rate rate(Precision weights) {
        boolean has =
                switch (weights.rate()) {
                    case BITS4 -> peak4 > 0;
                    case BITS8 -> peak8 > 0;
                    case BITS16 -> true;
                };
        return has ? weights.rate() : Precision.Rate.BITS16;
    }

    /** Products with block-scaled weights, whose activations are quantised as they come, beside those with one scale. */
    private static final double BLOCK_PRODUCT = 0.83;

    private double productFlops(Precision weights) {
        return switch (rate(weights)) {
            case BITS16 -> peak16 * card.product16();
            case BITS8 -> peak8 * card.product8() * (weights == Precision.FP8_BLOCK ? BLOCK_PRODUCT : 1);
            case BITS4 -> peak4 * card.product4();
        };
    }

    /**
     * A product of {@code m x k} activations by {@code k x n} weights.
     *
     * <p>Tiles of 128 by 128 run in waves over the multiprocessors; below one wave the depth is split where it is long.
     */
    public double product(double m, double n, double k, Precision weights) {
        boolean vector = m <= engine.vectorRows();
        double flops = 2 * Math.max(m, vector ? 1 : LEAST_ROWS) * n * k;
        double bytes = n * k * weights.bytes() + HALF_BYTES * m * (k + n);
        double least = weights == Precision.BF16 ? card.productUs() : card.quantisedProductUs();
        double work = Math.max(
                flops / (productFlops(weights) * fill(m, n, k, card.multiprocessors())),
                bytes / (bytesPerUs * card.productBandwidth()));
        return factor * (least + work + (vector ? 0 : converted(m, n, k, weights)));
    }

    /** Unpacking weights to 16 bits, and values between operators to 16 bits and back, where the engine's products do not take them as they are. */
    private double converted(double m, double n, double k, Precision weights) {
        boolean unpacks = engine.vectorRows() > 0 && weights != Precision.BF16;
        boolean wide = engine.activationBytes() != HALF_BYTES;
        return stream((unpacks ? n * k * (weights.bytes() + HALF_BYTES) : 0)
                + (wide ? m * (k + n) * (engine.activationBytes() + HALF_BYTES) : 0));
    }

    /** Share of so many multiprocessors that have a tile of an {@code m x k} by {@code k x n} product, over all waves. */
    public static double fill(double m, double n, double k, int parts) {
        double tiles = Math.ceil(m / TILE) * Math.ceil(n / TILE);
        if (tiles > parts) {
            return tiles / (Math.ceil(tiles / parts) * parts);
        }
        return Math.min(1, tiles * Math.max(1, k / SPLIT_DEPTH) / parts);
    }

    /**
     * Attention of one new token for each sequence.
     *
     * @param batch sequences
     * @param context tokens in the cache of each, on average
     * @param groups key and value heads of this device, 1 for a latent cache
     * @param values cached values of a token in all of them
     * @param flopsPerToken operations for each cached token of a sequence
     */
    public double decodeAttention(
            double batch, double context, double groups, double values, double valueBytes, double flopsPerToken) {
        double parallel = Math.min(1, batch * groups * Math.max(1, context / SPLIT_CONTEXT) / card.multiprocessors());
        double bytes = batch * context * values * valueBytes;
        double share = valueBytes < HALF_BYTES ? card.attention8Bandwidth() : card.attentionBandwidth();
        double memory = bytes / (bytesPerUs * share);
        double compute = decodeCompute(batch * context, flopsPerToken);
        return factor * (card.attentionUs() + Math.max(memory, compute) / parallel);
    }

    /** Arithmetic of decode attention to so many cached tokens, in microseconds. */
    double decodeCompute(double tokens, double flopsPerToken) {
        return tokens * flopsPerToken / (DECODE_COMPUTE * peak16);
    }

    /**
     * Attention of a prompt's chunk.
     *
     * @param pairs pairs of a query and a key that it may see
     * @param keys tokens that the chunk ends after
     * @param flopsPerPair operations for each pair
     */
    public double prefillAttention(double pairs, double keys, double flopsPerPair) {
        double slow = Math.min(SHORT_MOST, 1 + SHORT_CONTEXT / keys);
        return factor * (card.attentionUs() + flopsPerPair * pairs * slow / (peak16 * card.attentionCompute()));
    }

    /** Scores of an indexer for a prompt's chunk, by products of 8 bits on devices that have them. */
    double index(double pairs, double keys, double flopsPerPair) {
        return prefillAttention(pairs, keys, flopsPerPair * (peak8 > 0 ? peak16 / peak8 : 1));
    }

    /**
     * Attention of a prompt's chunk by two products with the scores between them in memory, which form every pair.
     *
     * @param scores pairs of queries and keys, in all heads
     * @param flopsPerScore operations for each
     * @param values cached values that all heads read
     */
    public double attentionInMemory(double scores, double flopsPerScore, double values) {
        double products = flopsPerScore * scores / (peak16 * card.product16());
        return factor * (card.attentionUs() + products + stream(engine.scoreBytes() * scores + HALF_BYTES * values));
    }

    /**
     * Routed experts of a layer on one device. Tiles of an expert's rows are half empty on average, and narrow parts of experts
     * fill them badly too.
     *
     * @param touched experts of this device whose weights are read
     * @param rows tokens times experts of each, on this device
     * @param width columns of an expert's first products, as far as this device has them
     * @param weightsOfOne weights of one expert, as far as this device has them
     */
    public double experts(double touched, double rows, double width, double weightsOfOne, Precision weights) {
        boolean four = weights.bytes() < 1;
        boolean block = weights == Precision.FP8_BLOCK;
        double least = four ? card.experts4Us() : card.expertsUs() * (block ? BLOCK_LEAST : 1);
        double bandwidth = four ? card.experts4Bandwidth() : card.expertsBandwidth() * (block ? BLOCK_BANDWIDTH : 1);
        double flops =
                switch (rate(weights)) {
                    case BITS16 -> peak16 * card.experts16();
                    case BITS8 -> peak8 * card.experts8() * (block ? BLOCK_COMPUTE : 1);
                    case BITS4 -> peak4 * card.experts4() * (weights == Precision.MXFP4 ? MXFP4_COMPUTE : 1);
                };
        double padded = rows + touched * Math.min(EXPERT_PADDING, rows / Math.max(1, touched));
        double fill = rows / padded * width / (width + NARROW);
        double memory = touched * weightsOfOne * weights.bytes() / (bytesPerUs * bandwidth);
        double compute = 2 * rows * weightsOfOne / (flops * fill);
        return factor * (least + Math.max(memory, compute));
    }

    /** Rows of an expert's last tile that nothing is in, at most. */
    private static final double EXPERT_PADDING = 64;

    /** Width at which half of the rate is reached. */
    private static final double NARROW = 256;

    /** MXFP4 weights with 8-bit activations beside NVFP4. */
    private static final double MXFP4_COMPUTE = 0.75;

    // block-scaled FP8 experts beside those with one scale; specs/step-times.md has the table
    private static final double BLOCK_LEAST = 1.3;
    private static final double BLOCK_BANDWIDTH = 0.92;
    private static final double BLOCK_COMPUTE = 0.67;

    /** An element-wise kernel that moves so many values. */
    public double small(double values) {
        return factor * (card.smallUs() * smallFactor + traffic(engine.activationBytes() * values));
    }

    /** Reading and writing so many bytes of matrices that are as great as weights. */
    private double stream(double bytes) {
        return bytes / (bytesPerUs * card.productBandwidth());
    }

    /** Reading and writing so many bytes, without the least time of a kernel. */
    public double traffic(double bytes) {
        return bytes / (bytesPerUs * card.smallBandwidth());
    }
}
