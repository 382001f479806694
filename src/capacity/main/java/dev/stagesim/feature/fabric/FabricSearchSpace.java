package dev.stagesim.feature.fabric;

import dev.stagesim.capacity.SearchSettings;
import dev.stagesim.capacity.TargetSettings;
import dev.stagesim.feature.fabric.performance.TargetPlacement;
import dev.stagesim.model.KeyRecord;
import dev.stagesim.sim.serving.spec.SchedulerSettings;
import dev.stagesim.sim.serving.spec.SchedulerSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Enumerates the candidates of a search: targets, parallelism, scheduler, batch size and load.
 *
 * @param stated scheduler of the stated deployment; candidates of the same kind keep its other settings
 */
record FabricSearchSpace(SearchSettings settings, Map<String, TargetSettings> targets, SchedulerSettings stated) {
    private static final int MIN_PROMPT_BATCH = 4096;

    record Serving(TargetPlacement deployment, double load) {}

    /** A candidate for training. */
    record Training(TargetPlacement deployment, int nodes, int microbatch) {}

    List<Serving> serving(int longestPrompt) {
        List<Serving> all = new ArrayList<>();
        targets.forEach((id, target) -> {
            for (int tp : settings.tensorParallelSizes()) {
                for (int pp : settings.pipelineStages()) {
                    for (SchedulerSettings scheduler : schedulers(pp, longestPrompt)) {
                        for (double load : settings.loads()) {
                            all.add(new Serving(new TargetPlacement(id, target, tp, pp, scheduler), load));
                        }
                    }
                }
            }
        });
        return all;
    }

    List<Training> training() {
        List<Training> all = new ArrayList<>();
        targets.forEach((id, target) -> {
            for (int tp : settings.tensorParallelSizes()) {
                for (int pp : settings.pipelineStages()) {
                    for (int nodes : settings.trainingNodes()) {
                        for (int microbatch : settings.microbatches()) {
                            all.add(new Training(new TargetPlacement(id, target, tp, pp, stated), nodes, microbatch));
                        }
                    }
                }
            }
        });
        return all;
    }

    private List<SchedulerSettings> schedulers(int pp, int longestPrompt) {
        List<SchedulerSettings> all = new ArrayList<>();
        for (int requests : settings.batchSizes()) {
            int batch = Math.max(requests, pp);
            for (SearchSettings.Policy policy : settings.schedulers()) {
                if (policy == SearchSettings.Policy.VLLM) {
                    all.add(vllm(batch, Math.max(MIN_PROMPT_BATCH, longestPrompt)));
                } else {
                    settings.chunkSizes().stream()
                            .map(chunk -> chunked(policy, batch, chunk))
                            .distinct()
                            .forEach(all::add);
                }
            }
        }
        return all;
    }

    private SchedulerSettings vllm(int batch, int tokens) {
        return of(SchedulerSpec.Vllm.class, Map.of("batchSizeCap", batch, "maxTokensInBatch", tokens));
    }

    private SchedulerSettings chunked(SearchSettings.Policy policy, int batch, int chunk) {
        return switch (policy) {
            case VLLM_V1 ->
                of(
                        SchedulerSettings.VllmV1.class,
                        Map.of(
                                "maxNumSeqs",
                                Optional.of(batch),
                                "maxNumBatchedTokens",
                                Optional.of(Math.max(batch, chunk))));
            case SGLANG ->
                of(
                        SchedulerSettings.Sglang.class,
                        Map.of("maxRunningRequests", Optional.of(batch), "chunkedPrefillSize", Optional.of(chunk)));
            case SARATHI -> of(SchedulerSpec.Sarathi.class, Map.of("batchSizeCap", batch, "chunkSize", chunk));
            case VLLM -> throw new IllegalArgumentException("prompts are whole");
        };
    }

    /** Applies limits to the stated scheduler if it has this type, otherwise to the default settings. */
    private <S extends Record & SchedulerSettings> S of(Class<S> type, Map<String, ?> limits) {
        return KeyRecord.with(type, type.isInstance(stated) ? type.cast(stated) : KeyRecord.defaults(type), limits);
    }
}
