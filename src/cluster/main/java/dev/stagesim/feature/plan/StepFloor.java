package dev.stagesim.feature.plan;

import dev.stagesim.model.hardware.StepCard;
import dev.stagesim.serving.ReplicaModel;
import dev.stagesim.sim.kernels.EngineTimes;
import dev.stagesim.sim.kernels.StepCost;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/**
 * Lower bounds on the duration of a step of one pipeline stage, for any batch.
 *
 * <p>The duration of a step is not monotone in its tokens: partial waves of tiles, captured graphs and launches make
 * some larger steps shorter. Within a tile of {@value #TILE} rows, with the same graph decision, every operator takes
 * at least as long as at the first row. So the minimum over the first rows of all tiles from {@code tokens} on is at
 * most the duration of any step with at least {@code tokens} tokens. Attention and per-sequence work are omitted,
 * because they only add time. Engines that share experts also wait for each other and for the shared experts, which
 * the operator times exclude, so the bound holds for them.
 */
final class StepFloor {
    static final int TILE = 128;
    private static final double US = 1e-3;

    /** More sequences than any device has multiprocessors, so attention uses the whole device. */
    private static final int WIDE = 8192;

    private final EngineTimes times;
    private final boolean writesScores;
    private final double[] tiles;
    private final double deviceMs;
    private final double controlMs;
    private final Map<Integer, double[]> prompts = new HashMap<>();

    /** @param maxTokens maximum number of tokens per step over all deployments of the shape */
    StepFloor(ReplicaModel replica, int maxTokens) {
        times = replica.engineTimes();
        StepCard card = replica.engine();
        writesScores = card.factors().attention().scoreBytes() > 0;
        tiles = new double[(maxTokens + TILE - 1) / TILE];
        Arrays.fill(tiles, Double.POSITIVE_INFINITY);
        double device = Double.POSITIVE_INFINITY;
        double control = Double.POSITIVE_INFINITY;
        for (int tile = tiles.length - 1; tile >= 0; tile--) {
            int first = tile * TILE + 1;
            int afterGraph = card.graphs().graphMaxTokens() + 1;
            boolean isSplit = afterGraph > first && afterGraph <= first + TILE - 1;
            for (int tokens : isSplit ? new int[] {first, afterGraph} : new int[] {first}) {
                double operators = times.step().operators(times, tokens, 0, 0, 0, 1, 0);
                for (boolean isPrompt : new boolean[] {false, true}) {
                    StepCost cost = times.step().cost(operators, tokens, isPrompt ? 0 : 1, isPrompt ? 1 : 0);
                    tiles[tile] = Math.min(tiles[tile], US * cost.totalUs());
                    device = Math.min(device, US * cost.deviceUs());
                    control = Math.min(control, cost.overlap() ? 0 : US * cost.controlUs());
                }
            }
            if (tile + 1 < tiles.length) {
                tiles[tile] = Math.min(tiles[tile], tiles[tile + 1]);
            }
        }
        deviceMs = device;
        controlMs = control;
    }

    /** Returns the minimum duration of a step in ms. */
    double anyMs() {
        return tiles[0];
    }

    /** Returns the minimum duration in ms of a step that decodes a request with {@code context} cached tokens. */
    double decodeMs(double context) {
        return Math.max(anyMs(), deviceMs + controlMs + layers() * attentionMs(context));
    }

    /**
     * Returns the minimum time in ms of all steps that compute a prompt without cached tokens, from its attention. A
     * single chunk is the minimum: the query-key pairs of all chunks add up to those of the prompt, and attention is
     * slower over short contexts. Kernels that write the scores compute all pairs of a chunk, at most twice the visible
     * ones.
     */
    double prefillMs(double tokens) {
        double share = writesScores ? 0.5 : 1;
        return deviceMs + controlMs + share * layers() * times.prefillMilliseconds(0, (int) tokens);
    }

    private double layers() {
        return times.step().layers();
    }

    /**
     * Returns the minimum decode attention of a layer in a step with a request of that context. The cache is read at
     * most at the rate of a full device, which is the slope over many requests; other requests only add time.
     */
    private double attentionMs(double context) {
        int cached = (int) Math.max(1, Math.floor(context));
        double wide = times.decodeMilliseconds(WIDE, cached);
        double slope = (times.decodeMilliseconds(2 * WIDE, cached) - wide) / WIDE;
        return Math.max(0, wide - WIDE * slope) + slope;
    }

    /** Returns the minimum time in ms per token of steps with at most {@code maxTokens} tokens. */
    double perTokenMs(int maxTokens) {
        double minimum = Double.POSITIVE_INFINITY;
        for (int tile = 0; tile * TILE < maxTokens; tile++) {
            minimum = Math.min(minimum, tiles[tile] / Math.min(maxTokens, (tile + 1) * TILE));
        }
        return minimum;
    }

    /**
     * Returns the minimum time in ms of steps that together compute a prompt, indexed by the number of its tiles. A
     * step that ends in tile j computes at most j tiles, so the steps cover the prompt only if their j add up to its
     * tiles.
     */
    double[] promptMs(int maxTokens) {
        return prompts.computeIfAbsent(maxTokens, this::covering);
    }

    private double[] covering(int maxTokens) {
        int widest = (maxTokens + TILE - 1) / TILE;
        double[] total = new double[widest + 1];
        for (int covered = 1; covered <= widest; covered++) {
            total[covered] = tiles[covered - 1];
            for (int last = 1; last < covered; last++) {
                total[covered] = Math.min(total[covered], total[covered - last] + tiles[last - 1]);
            }
        }
        return total;
    }
}
