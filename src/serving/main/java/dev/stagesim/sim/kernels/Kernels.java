package dev.stagesim.sim.kernels;

import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.model.card.Precision;
import dev.stagesim.model.hardware.ExpertKernels;
import dev.stagesim.model.hardware.HardwareCard;
import dev.stagesim.model.hardware.KernelCard;
import dev.stagesim.model.hardware.StepCard;
import java.util.stream.Stream;

/**
 * Times of single kernels on one device, in microseconds.
 *
 * <p>Roofline: a kernel takes the maximum of its compute time and its memory time, at the fractions of the peaks in the
 * hardware card and with the multiprocessors that its tiles occupy, plus a fixed minimum time.
 */
public final class Kernels {
    /** Rows and columns of a tile of a product, and tokens of a tile of attention. */
    public static final double TILE = 128;

    private static final double MIN_ROWS = 16;
    private static final double SPLIT_DEPTH = 1024;
    private static final double DECODE_COMPUTE = 0.35;

    /** Query heads of a tile of attention to a latent cache. */
    private static final double LATENT_HEADS = 64;

    /** Speed of attention to an 8-bit latent cache, relative to 16 bits. */
    private static final double LATENT8_COMPUTE = 1.3;

    /** Time to combine the parts of a split context, for each doubling of its tiles. */
    private static final double COMBINE_US = 1;

    /** Rate at which a multiprocessor reads the L2 cache. */
    private static final double CACHE_BYTES_PER_US = 60e3;

    private static final double HALF_BYTES = 2;
    private static final double MEGA_PER_TERA = 1e6;
    private static final double KILO_PER_GIGA = 1e3;

    private final KernelCard card;
    private final StepCard engine;
    private final HardwareCard hardware;
    private final double bytesPerUs;
    private final double cachedBytes;
    private final double factor;
    private final double smallFactor;
    private final double peak16;
    private final double peak8;

    /** Peak rates of products by format of the weights. */
    private final double[] peaks;

    /**
     * Kernels of an engine on a device.
     *
     * @throws StageException if the hardware card has no 16-bit rate or no memory bandwidth
     */
    public Kernels(HardwareCard hardware, StepCard engine) {
        this(hardware, engine, 0);
    }

    /** Kernels whose cached keys and values are in the L2 cache if they have at most {@code cachedBytes}. */
    public Kernels(HardwareCard hardware, StepCard engine, double cachedBytes) {
        this.cachedBytes = cachedBytes;
        this.hardware = hardware;
        card = hardware.kernels();
        this.engine = engine;
        double share =
                hardware.memory().memType().startsWith("HBM") ? engine.factors().stackedMemory() : 1;
        bytesPerUs = hardware.statedMemBwGbs() * share * KILO_PER_GIGA;
        factor = engine.factors().kernels();
        smallFactor = engine.factors().elementwiseTimeFactor();
        double reached = MEGA_PER_TERA * engine.factors().compute();
        double sums = engine.factors().products().halfSums() ? card.products().halfSums() : 1;
        peak16 = reached
                * sums
                * hardware.bf16OrFp16Tflops()
                        .orElseThrow(() -> StageException.input(Problem.config(
                                        "hardware.bf16_tflops",
                                        hardware.name() + " has no 16-bit rate, expected bf16_tflops or fp16_tflops")
                                .hint("set hardware.bf16_tflops, or choose other hardware")));
        peak8 = hardware.rates().fp8Tflops().map(x -> x * reached).orElse(0.0);
        peaks = Stream.of(Precision.values())
                .mapToDouble(format -> hardware.productRate(format) == Precision.Rate.BITS16
                        ? peak16
                        : reached * hardware.formatTflops(format).orElseThrow())
                .toArray();
    }

    private double productFlops(Precision weights) {
        return peaks[weights.ordinal()]
                * switch (hardware.productRate(weights)) {
                    case BITS16 -> card.products().product16();
                    case BITS8 ->
                        weights == Precision.FP8_BLOCK
                                ? card.products().productBlock()
                                        * engine.factors().products().blockProducts()
                                : card.products().product8();
                    case BITS4 -> card.products().product4();
                };
    }

    /** Time per 1,024 values of depth until the first tile has its operands, up to {@link #MAX_LATENCY_DEPTH}. */
    private static final double DEPTH_US = 0.4;

    private static final double MAX_LATENCY_DEPTH = 4096;

    /** Sharpness of the transition from memory-bound to compute-bound products. */
    private static final double PRODUCT_NORM = 3;

    /** A product of {@code m x k} activations and {@code k x n} weights. */
    public double product(double m, double n, double k, Precision weights) {
        boolean vector = m <= engine.factors().products().vectorRows();
        double bytes = n * k * weights.bytes() + HALF_BYTES * m * (passes(weights) * k + n);
        double minimumUs = weights == Precision.BF16
                ? card.products().productUs()
                : card.products().quantisedProductUs();
        double latency = DEPTH_US * Math.min(k, MAX_LATENCY_DEPTH) / SPLIT_DEPTH;
        double compute = (vector ? 2 * m * n * k : tileFlops(m, n, k)) / productFlops(weights);
        double memory = bytes / (bytesPerUs * card.products().productBandwidth());
        return factor * (minimumUs + latency + joined(memory, compute, PRODUCT_NORM) + converted(m, n, k, weights));
    }

    /** Additional minimum time of products of heads, and their memory and compute time relative to one product. */
    private static final double HEADS_US = 2.1;

    private static final double HEADS_MEMORY = 0.75;
    private static final double HEADS_COMPUTE = 1.7;

    /** Products of {@code m x k} activations and {@code k x n} weights of each head in one kernel, with 16 bits. */
    public double headProducts(double m, double n, double k, double heads) {
        double bytes = HALF_BYTES * heads * (n * k + m * (k + n));
        double latency = DEPTH_US * Math.min(k, MAX_LATENCY_DEPTH) / SPLIT_DEPTH;
        double compute = HEADS_COMPUTE * tileFlops(m, n * heads, k) / productFlops(Precision.BF16);
        return factor
                * (card.products().productUs()
                        + HEADS_US
                        + latency
                        + joined(HEADS_MEMORY * stream(bytes), compute, PRODUCT_NORM));
    }

    /** Reads and writes of the activations in units of 16 bits, including their quantisation. */
    private double passes(Precision weights) {
        if (weights == Precision.BF16 || engine.factors().products().vectorRows() > 0) {
            return 1;
        }
        return weights == Precision.FP8_BLOCK ? 3 : weights == Precision.NVFP4 ? 1 : 2;
    }

    /** Time of two kinds of work that overlap unless they take equally long. */
    private static double joined(double one, double other, double norm) {
        double max = Math.max(one, other);
        return max == 0 ? 0 : max * Math.pow(1 + Math.pow(Math.min(one, other) / max, norm), 1 / norm);
    }

    /** Rows and columns of the tiles that libraries choose from. */
    private static final int[][] TILES = {{256, 128}, {128, 128}, {128, 64}, {64, 64}};

    private static final double SPLIT_COST = 1.05;

    /**
     * Operations of a product in the time of which all multiprocessors are reserved. The library chooses the tiles, and
     * the number of parts of the depth (split-k), that fill the last wave best.
     */
    private double tileFlops(double m, double n, double k) {
        double rows = Math.max(MIN_ROWS, Math.ceil(m / MIN_ROWS) * MIN_ROWS);
        double parts = card.multiprocessors();
        double best = Double.POSITIVE_INFINITY;
        for (int[] tile : TILES) {
            double height = Math.min(tile[0], rows);
            double tiles = Math.ceil(m / height) * Math.ceil(n / tile[1]);
            for (int split = 1; split <= (tile[1] == TILE ? 8 : 1); split *= 2) {
                double depth = Math.max(k / split, 64) * (split > 1 ? SPLIT_COST : 1);
                best = Math.min(best, Math.ceil(tiles * split / parts) * parts * 2 * height * tile[1] * depth);
            }
        }
        return best;
    }

    /**
     * Conversion of weights to 16 bits, and of activations to 16 bits and back, if the engine's products require it.
     */
    private double converted(double m, double n, double k, Precision weights) {
        if (m <= engine.factors().products().vectorRows()) {
            return 0;
        }
        boolean unpacks = engine.factors().products().vectorRows() > 0 && weights != Precision.BF16;
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

    /** Tokens that attention reads: whole tiles. */
    public static double tiled(double tokens) {
        return Math.ceil(tokens / TILE) * TILE;
    }

    /**
     * Decode attention: one new token per sequence.
     *
     * @param batch sequences
     * @param context mean tokens of a sequence that are read, whole tiles
     * @param groups key-value heads of this device
     * @param values cached elements of a token in all of them
     * @param flopsPerToken operations per cached token
     */
    public double decodeAttention(
            double batch, double context, double groups, double values, double valueBytes, double flopsPerToken) {
        double memory = cacheReads(
                batch * context * values, valueBytes, card.attention().attentionBandwidth());
        double compute = decodeCompute(batch * context, flopsPerToken);
        return decode(
                batch * groups,
                context,
                Math.max(Math.max(memory, compute), headwiseReads(batch * context, valueBytes, flopsPerToken)),
                card.attention().attentionGroupUs());
    }

    /**
     * Time to read the cache of {@code tokens} tokens from L2 for every query head; 0 if one kernel computes the heads that
     * share a key-value head. A query head has two operations per cached element.
     */
    private double headwiseReads(double tokens, double valueBytes, double flopsPerToken) {
        return engine.factors().attention().headwiseCacheReads()
                ? tokens * flopsPerToken / 2 * valueBytes / (card.multiprocessors() * CACHE_BYTES_PER_US)
                : 0;
    }

    /** Time to read {@code bytes} from memory at a share of its bandwidth, or from the L2 cache. */
    private double read(double bytes, double share) {
        double cache = bytes <= cachedBytes ? card.multiprocessors() * CACHE_BYTES_PER_US : 0;
        return bytes / Math.max(bytesPerUs * share, cache);
    }

    /** Time to read cached elements; {@code share16} is the share of the memory bandwidth with 16 bits. */
    private double cacheReads(double elements, double valueBytes, double share16) {
        double share = valueBytes < HALF_BYTES ? card.attention().attention8Bandwidth() : share16;
        return read(elements * valueBytes, share);
    }

    /**
     * Decode attention to a latent cache, which all query heads read: one new token per sequence.
     *
     * @param heads query heads of this device
     * @param values cached elements of a token
     * @param flopsPerHead operations of a head per cached token
     */
    public double latentAttention(
            double batch, double context, double heads, double values, double valueBytes, double flopsPerHead) {
        double memory = cacheReads(
                batch * context * values, valueBytes, card.attention().latentBandwidth());
        double compute = latentCompute(batch * context, heads, valueBytes, flopsPerHead);
        double tiles = Math.ceil(heads / LATENT_HEADS);
        return factor * card.elementwiseUs()
                + decode(
                        batch,
                        context,
                        Math.max(memory, compute),
                        card.attention().latentGroupUs() * tiles);
    }

    /** Compute time of attention to {@code tokens} latent tokens, in microseconds. Tiles of heads are computed whole. */
    public double latentCompute(double tokens, double heads, double valueBytes, double flopsPerHead) {
        double rate = valueBytes < HALF_BYTES ? LATENT8_COMPUTE : 1;
        return tokens
                * wholeTiles(heads)
                * flopsPerHead
                / (rate * card.attention().latentCompute() * peak16);
    }

    /** Decode attention of sequences and key-value heads, with {@code groupUs} for each on its multiprocessor. */
    private double decode(double groups, double context, double micros, double groupUs) {
        double units = groups / card.multiprocessors();
        double tiles = context / TILE;
        double parallel = Math.min(1, units * Math.max(1, tiles));
        double fixed = card.attention().attentionUs() + COMBINE_US * Math.log1p(tiles) / Math.log(2) + groupUs * units;
        return factor * (fixed + micros / parallel);
    }

    /** Compute time of decode attention to {@code tokens} cached tokens, in microseconds. */
    double decodeCompute(double tokens, double flopsPerToken) {
        return tokens * flopsPerToken / (DECODE_COMPUTE * peak16);
    }

    /** Minimum rows of a tile of queries: shorter prompts take as long. */
    private static final double PROMPT_ROWS = 64;

    /** Time of a tile that has a multiprocessor to itself, relative to its share of a full device. */
    private static final double LONE_TILE = 0.5;

    /** Sharpness of the transition from matrix units to exponentials as the limit of prefill attention. */
    private static final double EXPONENTIAL_NORM = 3;

    /**
     * Attention of a prompt chunk: its work on all multiprocessors, and the tile of queries with the most keys, which one
     * multiprocessor computes.
     *
     * <p>Matrix units limit the rate with wide heads, and exponential functions with narrow heads. A query has a
     * fixed cost, which {@code attention_query_keys} expresses as keys.
     *
     * @param pairs visible query-key pairs
     * @param queries tokens of the chunk
     * @param keys tokens up to the end of the chunk
     * @param heads query heads
     * @param flopsPerPair operations per pair of all heads
     */
    public double prefillAttention(double pairs, double queries, double keys, double heads, double flopsPerPair) {
        return attentionKernel()
                + prefillWork(pairs, queries, heads, flopsPerPair)
                + LONE_TILE * tile(pairs, queries, keys, flopsPerPair / heads);
    }

    /** Time of the tile with the most keys at the rate of a multiprocessor of a full device. */
    private double tile(double pairs, double queries, double keys, double flops) {
        double visible = Math.min(keys, 2 * pairs / queries);
        return TILE * (visible + card.attention().attentionQueryKeys()) * pairMicros(flops) * card.multiprocessors();
    }

    /** Time by which a prompt chunk extends an attention kernel that fills the device, see {@link #prefillAttention}. */
    public double prefillWork(double pairs, double queries, double heads, double flopsPerPair) {
        double fixed = Math.max(PROMPT_ROWS, queries) * card.attention().attentionQueryKeys();
        return heads * pairMicros(flopsPerPair / heads) * (pairs + fixed);
    }

    /** Time of a query-key pair of one head on the whole device. */
    private double pairMicros(double flops) {
        double products = flops / card.attention().attentionCompute();
        return factor * joined(products, card.attention().attentionExponential(), EXPONENTIAL_NORM) / peak16;
    }

    /** Fixed time of latent attention in a prompt, see {@link #latentPrefill}. */
    double latentKernel(double valueBytes) {
        return attentionKernel() + factor * (2 * card.elementwiseUs() + (converts(valueBytes) ? LATENT8_US : 0));
    }

    /** Fixed time of a kernel for prefill attention. */
    double attentionKernel() {
        return factor * card.attention().attentionUs();
    }

    /** Time to convert queries for an 8-bit latent cache. */
    private static final double LATENT8_US = 4;

    /** Passes over queries, keys, values and outputs of latent attention in a prompt, and more with an 8-bit cache. */
    private static final double LATENT_PASSES = 0.4;

    private static final double LATENT8_PASSES = 1;

    /**
     * Attention of a prompt chunk to keys and values that are expanded from a latent cache. A tile that has a
     * multiprocessor to itself is not faster than others.
     *
     * @param valueBytes bytes of a cached value
     * @param flopsPerPair operations per pair of all heads; as many values are read and written per query
     */
    public double latentPrefill(
            double pairs, double queries, double keys, double heads, double valueBytes, double flopsPerPair) {
        return latentKernel(valueBytes)
                + latentWork(pairs, queries, heads, valueBytes, flopsPerPair)
                + tile(pairs, queries, keys, flopsPerPair / heads);
    }

    /** Time by which a prompt chunk extends a kernel that fills the device, see {@link #latentPrefill}. */
    public double latentWork(double pairs, double queries, double heads, double valueBytes, double flopsPerPair) {
        return prefillWork(pairs, queries, heads, flopsPerPair) + latentMoves(queries, valueBytes, flopsPerPair);
    }

    private boolean converts(double valueBytes) {
        return valueBytes < HALF_BYTES && peak8 > 0;
    }

    private double latentMoves(double queries, double valueBytes, double flopsPerPair) {
        double passes = LATENT_PASSES + (converts(valueBytes) ? LATENT8_PASSES : 0);
        return factor * passes * read(HALF_BYTES * queries * flopsPerPair, 1);
    }

    /** Share of the 16-bit peak that attention to selected entries, and an indexer's scores, reach. */
    private static final double SCAN_COMPUTE = 0.56;

    /** A kernel with {@code flops} operations on the latent cache or the keys of an indexer. */
    double scan(double flops) {
        return attentionKernel() + factor * flops / (peak16 * SCAN_COMPUTE);
    }

    /** Scores of an indexer for a prompt chunk, in 8 bits if the device supports them. */
    double index(double pairs, double flopsPerPair) {
        return scan(pairs * flopsPerPair * (peak8 > 0 ? peak16 / peak8 : 1));
    }

    /** Time to start the selection of a row, and its time per entry, on one multiprocessor. */
    private static final double SELECTION_US = 4;

    private static final double SELECTION_ENTRY_US = 0.35e-3;

    /** Selection of the highest scores of {@code rows} queries among {@code entries} entries. */
    double select(double rows, double entries) {
        double waves = Math.ceil(rows / card.multiprocessors());
        return factor * (card.elementwiseUs() + waves * (SELECTION_US + SELECTION_ENTRY_US * entries));
    }

    /**
     * Attention of a prompt chunk to selected entries of a latent cache. Tiles of heads are computed whole, and queries
     * with fewer entries take as long as others. Blackwell is slower with 16-bit caches, and other devices with 8-bit
     * ones.
     *
     * @param selected query-key pairs
     * @param flopsPerHead operations of a pair and head
     */
    double selectedAttention(double selected, double heads, double valueBytes, double flopsPerHead) {
        boolean isFast = hardware.device().isBlackwell() == (valueBytes < HALF_BYTES);
        return scan(selected * wholeTiles(heads) * flopsPerHead / (isFast ? 1 : SELECTED_COMPUTE));
    }

    /** Speed of attention to selected entries in the slower format of a device. */
    private static final double SELECTED_COMPUTE = 0.6;

    private static double wholeTiles(double heads) {
        return Math.ceil(heads / LATENT_HEADS) * LATENT_HEADS;
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
                        + stream(engine.factors().attention().scoreBytes() * scores + HALF_BYTES * values));
    }

    /** Largest part of the last tile of an expert that is empty on average, in rows. */
    private static final double EXPERT_PADDING = 20;

    /** Width with half of the maximum rate. */
    private static final double NARROW = 64;

    private static final double EXPERT_NORM = 2;

    /**
     * Routed experts of a layer on one device, from the routing to the combined output.
     *
     * @param load work of the device
     * @param expert an expert on this device
     */
    public double experts(ExpertLoad load, Expert expert, Precision weights) {
        Precision.Rate rate = ExpertKind.rate(hardware, engine.factors().expertLibrary(), weights);
        boolean unpacked = weights.bytes() < 1 && rate == Precision.Rate.BITS16;
        ExpertKernels kernels = card.experts();
        ExpertKind kind = ExpertKind.of(hardware, engine.factors().expertLibrary(), weights, unpacked);
        double stored = expert.weights() * kind.padding(expert.width());
        double computed = kind == ExpertKind.GENERATED ? stored : expert.weights() * (1 + NARROW / expert.width());
        double flops = (rate == Precision.Rate.BITS16 ? peak16 : peaks[weights.ordinal()])
                * switch (rate) {
                    case BITS16 -> unpacked ? kernels.expertsUnpacked4() : kernels.experts16();
                    case BITS8 -> weights == Precision.FP8_BLOCK ? kernels.expertsBlock() : kernels.experts8();
                    case BITS4 -> weights == Precision.MXFP4 ? kernels.expertsMxfp4() : kernels.experts4();
                };
        double padded =
                load.rows() + load.touched() * Math.min(EXPERT_PADDING, load.rows() / Math.max(1, load.touched()));
        double memory = read(
                load.touched() * stored * weights.bytes(),
                kind.memory() * (unpacked ? kernels.experts4Bandwidth() : kernels.expertsBandwidth()));
        double compute = 2 * padded * computed / (flops * kind.compute());
        double moved = HALF_BYTES * expert.hidden() * kind.passes(load) / bytesPerUs;
        double minimumUs = kind.minimum() * kernels.minimumUs(weights, unpacked);
        return factor * (minimumUs + joined(memory, compute, EXPERT_NORM) + moved);
    }

    /**
     * Work of the routed experts on a device.
     *
     * @param touched experts whose weights are read
     * @param tokens tokens on this device
     * @param rows pairs of a token and an expert of this device
     * @param routed pairs of a token of this device and an expert of any device
     */
    public record ExpertLoad(double touched, double tokens, double rows, double routed) {}

    /**
     * An expert on a device.
     *
     * @param hidden width of its input
     * @param width columns of its first products
     * @param weights number of its weights
     */
    public record Expert(double hidden, double width, double weights) {}

    /** An element-wise kernel that moves {@code values} elements. */
    public double small(double values) {
        return factor
                * (card.elementwiseUs() * smallFactor + traffic(engine.factors().activationBytes() * values));
    }

    /** Time to read and write matrices of the size of weights. */
    private double stream(double bytes) {
        return bytes / (bytesPerUs * card.products().productBandwidth());
    }

    /** Time to read and write {@code bytes}, without the fixed time of a kernel. */
    public double traffic(double bytes) {
        return bytes / (bytesPerUs * card.elementwiseBandwidth());
    }
}
