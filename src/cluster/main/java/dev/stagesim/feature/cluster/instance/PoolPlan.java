package dev.stagesim.feature.cluster.instance;

import dev.stagesim.feature.cluster.cache.Tiers;
import dev.stagesim.feature.cluster.experts.ExpertPlan;
import dev.stagesim.serving.EngineChoice.Shape;
import dev.stagesim.serving.ReplicaModel;
import dev.stagesim.sim.serving.memory.KvGroup;
import dev.stagesim.sim.serving.spec.SchedulerSpec;
import dev.stagesim.sim.serving.spec.ServingSpec;
import java.util.List;
import java.util.Optional;

/**
 * A validated pool.
 *
 * @param replicas initial number of instances
 * @param scaling limits of the number of instances; empty if constant
 * @param startSeconds start times with weights from the store and from a peer
 * @param tiers lower cache tiers
 * @param sessionRetentionS retention time of unfinished sessions in seconds
 * @param experts shared experts
 * @param replica the model on the devices of an instance
 * @param shape engine, parallelism and precision
 * @param linkBytesPerS network bandwidth of an instance and direction
 */
public record PoolPlan(
        String name,
        PoolRole role,
        int replicas,
        Optional<Range> scaling,
        StartTimes startSeconds,
        Optional<Tiers> tiers,
        double sessionRetentionS,
        Optional<ExpertPlan> experts,
        ReplicaModel replica,
        Shape shape,
        double linkBytesPerS) {
    /** Minimum and maximum number of instances. */
    public record Range(int min, int max) {}

    /** Start times in seconds, with weights from the store or from a peer. */
    public record StartTimes(double store, double peer) {}

    /** Returns the simulation settings of an instance. */
    public ServingSpec spec() {
        return replica.spec();
    }

    /** Returns the maximum number of instances. */
    public int maxInstances() {
        return scaling.map(Range::max).orElse(replicas);
    }

    /** Returns the seconds that a request spends in the API server before it reaches the scheduler. */
    public double serverSeconds(int promptTokens) {
        return shape.card().arrivalUs(promptTokens) / 1e6;
    }

    /** Returns the maximum requests per step. */
    int maxRequests() {
        return spec().scheduler().limits().batchSizeCap();
    }

    /** Returns the maximum prompt tokens per step, or the maximum prompt length if the scheduler has no limit. */
    int maxTokens() {
        SchedulerSpec scheduler = spec().scheduler();
        if (scheduler instanceof SchedulerSpec.VllmV1 vllm) {
            return vllm.settings().tokens().batched();
        }
        if (scheduler instanceof SchedulerSpec.Sglang sglang) {
            int chunk = sglang.settings().chunkedPrefillSize();
            return chunk > 0 ? chunk : sglang.settings().maxPrefillTokens();
        }
        return scheduler instanceof SchedulerSpec.Sarathi sarathi
                ? sarathi.chunkSize()
                : scheduler.promptLimit().map(SchedulerSpec.PromptLimit::tokens).orElse(spec().maxTokens());
    }

    /** Returns the KV cache capacity of an instance in tokens. */
    public long kvTokens() {
        return replica.kvTokens();
    }

    /** Returns the mean number of concurrent requests of {@code context} tokens in the KV cache of an instance. */
    double concurrency(int context) {
        return replica.concurrency(context);
    }

    /** Returns the tokens per KV block, of full attention if the model has it. */
    public int block() {
        if (!(spec().scheduler() instanceof SchedulerSpec.VllmV1 engine)) {
            return 1;
        }
        List<KvGroup> groups = engine.groups();
        return groups.stream()
                .filter(KvGroup::isFull)
                .findFirst()
                .orElse(groups.get(0))
                .blockSize();
    }

    public int devices() {
        return replicas * shape.devices();
    }
}
