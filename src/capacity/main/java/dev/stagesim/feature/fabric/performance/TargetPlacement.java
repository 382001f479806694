package dev.stagesim.feature.fabric.performance;

import dev.stagesim.capacity.TargetSettings;
import dev.stagesim.model.KeyRecord;
import dev.stagesim.sim.serving.spec.SchedulerSettings;
import dev.stagesim.sim.serving.spec.SchedulerSpec;
import java.util.Optional;

/**
 * Copies of a model on nodes of a target.
 *
 * @param id name of the target among the compared ones
 * @param target the machines
 * @param tp devices that share a layer
 * @param pp pipeline stages
 * @param scheduler scheduler of each copy
 */
public record TargetPlacement(String id, TargetSettings target, int tp, int pp, SchedulerSettings scheduler) {
    public int devices() {
        return tp * pp;
    }

    /** Returns the number of nodes per copy, at least 1. */
    public int nodesPerCopy() {
        int perNode = target.acceleratorsPerNode();
        return Math.max(1, (devices() + perNode - 1) / perNode);
    }

    /** Returns the number of copies per group of nodes. */
    int copiesPerGroup() {
        return Math.max(1, target.acceleratorsPerNode() / devices());
    }

    /** Returns the number of copies per node; a fraction if a copy spans nodes. */
    public double copiesPerNode() {
        return (double) copiesPerGroup() / nodesPerCopy();
    }

    public int copies(int nodes) {
        return Math.max(1, nodes / nodesPerCopy() * copiesPerGroup());
    }

    /** Describes the scheduler and its batch limits. */
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
        return value.map(max -> ", " + key + " " + max).orElse("");
    }
}
