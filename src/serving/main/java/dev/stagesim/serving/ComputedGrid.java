package dev.stagesim.serving;

import dev.stagesim.model.Problem;
import dev.stagesim.model.card.ModelCard;
import dev.stagesim.model.hardware.HardwareCard;
import dev.stagesim.serving.config.PredictorSettings;
import dev.stagesim.serving.config.ProfileSettings;
import dev.stagesim.sim.kernels.LayerTimes;
import dev.stagesim.sim.kernels.Links;
import dev.stagesim.sim.serving.spec.SchedulerSettings;
import dev.stagesim.sim.serving.spec.SchedulerSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Extends the grid of a computed profile to the sizes that a run needs: computed times have no measured end.
 *
 * @param longest maximum prompt plus output tokens of a request; empty if unknown
 */
public record ComputedGrid(
        ProfileSettings profile,
        PredictorSettings predictor,
        SchedulerSettings scheduler,
        HardwareCard hardware,
        ModelCard model,
        ClusterSettings cluster,
        Optional<Long> longest) {
    /** Maximum tokens of a step that times are computed for. */
    private static final long MAX_STEP_TOKENS = 1_000_000;

    /** Returns the profile's keys that must differ from the settings, with their values. */
    public Map<String, Object> keys() {
        if (!(profile instanceof ProfileSettings.Roofline roofline)) {
            return Map.of();
        }
        ProfileSettings.Grid grid = roofline.grid();
        Map<String, Object> keys = new TreeMap<>();
        extend(keys, "batch_sizes", grid.batchSizes(), requests(), 1.5);
        if (longest.isPresent() || predictor instanceof PredictorSettings.Interpolation) {
            long context = Math.min(model.maxPosition(), longest.orElse((long) model.maxPosition()));
            long tokens = Math.min(MAX_STEP_TOKENS, stepTokens(context));
            extend(keys, "kv_tokens", grid.kvTokens(), rounded(context, granularity()), 2);
            extend(keys, "tokens", grid.tokens(), tokens, 2);
            extend(keys, "chunks", grid.chunks(), Math.min(tokens, context), 2);
        }
        int tp = cluster.tensorParallelSize();
        if (LayerTimes.splits(model, tp)
                && hasLink()
                && !roofline.tensorParallelSizes().contains(tp)) {
            List<Integer> sizes = new ArrayList<>(roofline.tensorParallelSizes());
            sizes.add(tp);
            keys.put("profile.tensor_parallel_sizes", sizes);
        }
        return keys;
    }

    /** Returns why no times can be computed for the devices; empty if they can. */
    public Optional<Problem> problem() {
        int tp = cluster.tensorParallelSize();
        return !(profile instanceof ProfileSettings.Roofline) || hasLink()
                ? Optional.empty()
                : Optional.of(Problem.config(
                                "cluster.tensor_parallel_size",
                                "is " + tp + ", and the card of " + hardware.name() + " has no link between " + tp
                                        + " devices")
                        .hint("lower it, or set hardware.nic_gbps_per_accel_typ for a network"));
    }

    /** Returns the lowest multiple of {@code step} that is at least {@code tokens}. */
    public static long rounded(long tokens, int step) {
        return (tokens + step - 1) / step * step;
    }

    private int granularity() {
        if (predictor instanceof PredictorSettings.Interpolation points) {
            return points.range().kvGranularity();
        }
        if (predictor instanceof PredictorSettings.RandomForest forest) {
            return forest.range().kvGranularity();
        }
        return predictor instanceof PredictorSettings.LinearRegression linear
                ? linear.range().kvGranularity()
                : LayerTimes.KV_STEP;
    }

    private boolean hasLink() {
        return cluster.tensorParallelSize() == 1 || new Links(hardware).canLink(cluster.tensorParallelSize());
    }

    private static void extend(Map<String, Object> keys, String key, List<Integer> given, long maximum, double factor) {
        List<Integer> sizes = new ArrayList<>(given);
        long last = sizes.stream().mapToInt(Integer::intValue).max().orElse((int) maximum);
        if (last >= maximum) {
            return;
        }
        while (last < maximum) {
            last = Math.min(maximum, Math.max(last + 1, (long) (last * factor)));
            sizes.add((int) last);
        }
        keys.put("profile.grid." + key, sizes);
    }

    private int requests() {
        return scheduler instanceof SchedulerSettings.VllmV1 engine
                ? engine.maxNumSeqs().orElse(ServingSpecs.vllmDefaults(hardware).maxNumSeqs())
                : scheduler.batchSizeCap();
    }

    /** Maximum tokens of a step if no prompt is longer than {@code context}. */
    private long stepTokens(long context) {
        if (scheduler instanceof SchedulerSettings.VllmV1 engine) {
            return engine.maxNumBatchedTokens()
                    .orElse(ServingSpecs.vllmDefaults(hardware).maxNumBatchedTokens());
        }
        if (scheduler instanceof SchedulerSettings.Sglang engine) {
            int chunk = engine.chunkedPrefillSize()
                    .orElse(ServingSpecs.sglangDefaults(engine, hardware, model, cluster)
                            .chunkedPrefillSize());
            return chunk > 0 ? chunk : Math.max(engine.maxPrefillTokens(), context);
        }
        SchedulerSpec spec = scheduler.spec();
        if (spec instanceof SchedulerSpec.Sarathi sarathi) {
            return (long) sarathi.chunkSize() + sarathi.batchSizeCap();
        }
        return spec.promptLimit().map(limit -> (long) limit.tokens()).orElse(context * scheduler.batchSizeCap());
    }
}
