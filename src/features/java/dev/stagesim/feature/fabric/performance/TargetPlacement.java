package dev.stagesim.feature.fabric.performance;

import dev.stagesim.model.KeyRecord;
import dev.stagesim.settings.TargetSettings;
import dev.stagesim.sim.serving.SchedulerSettings;
import dev.stagesim.sim.serving.SchedulerSpec;
import java.util.Optional;

/**
 * Copies of a model on nodes of a target.
 *
 * @param id name of the target among those compared
 * @param target the machines
 * @param tp devices that share a layer
 * @param pp groups of devices that share the layers
 * @param scheduler how batches are formed
 */
public record TargetPlacement(String id, TargetSettings target, int tp, int pp, SchedulerSettings scheduler) {
    public int devices() {
        return tp * pp;
    }

    /** Nodes that one copy takes, at least 1. */
    public int group() {
        int perNode = target.acceleratorsPerNode();
        return Math.max(1, (devices() + perNode - 1) / perNode);
    }

    /** Copies on each group of nodes. */
    int copiesOfGroup() {
        return Math.max(1, target.acceleratorsPerNode() / devices());
    }

    /** Copies a node holds, a fraction where a copy spans nodes. */
    public double copiesPerNode() {
        return (double) copiesOfGroup() / group();
    }

    public int copies(int nodes) {
        return Math.max(1, nodes / group() * copiesOfGroup());
    }

    /** Scheduler and the limits of its batches, for people. */
    public String policy() {
        String kind = KeyRecord.kind(scheduler.getClass());
        if (scheduler instanceof SchedulerSettings.VllmV1 vllm) {
            return kind
                    + limit("max_num_seqs", vllm.maxNumSeqs())
                    + limit("max_num_batched_tokens", vllm.maxNumBatchedTokens());
        }
        if (scheduler instanceof SchedulerSettings.Sglang sglang) {
            return kind
                    + limit("max_running_requests", sglang.maxRunningRequests())
                    + limit("chunked_prefill_size", sglang.chunkedPrefillSize());
        }
        String chunk = scheduler instanceof SchedulerSpec.Sarathi sarathi ? ", chunk " + sarathi.chunkSize() : "";
        return kind + chunk + ", batch " + scheduler.batchSizeCap();
    }

    private static String limit(String key, Optional<Integer> value) {
        return value.map(most -> ", " + key + " " + most).orElse("");
    }
}
