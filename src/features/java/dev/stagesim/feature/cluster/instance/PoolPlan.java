package dev.stagesim.feature.cluster.instance;

import dev.stagesim.feature.EngineChoice.Shape;
import dev.stagesim.feature.cluster.cache.Tiers;
import dev.stagesim.feature.cluster.experts.ExpertPlan;
import dev.stagesim.serving.ReplicaModel;
import dev.stagesim.sim.serving.SchedulerSpec;
import dev.stagesim.sim.serving.ServingSpec;
import dev.stagesim.sim.serving.memory.KvGroup;
import java.util.List;
import java.util.Optional;

/**
 * A pool that can run.
 *
 * @param replicas instances at first
 * @param scaling limits of their number; empty if it does not change
 * @param startSeconds from the order of an instance to its first request, with weights from the store and from a peer
 * @param tiers what is behind the caches of its instances
 * @param retainS how long their caches keep what conversations with turns to come leave
 * @param experts its experts where they are on devices of their own
 * @param replica the model on the devices of an instance
 * @param shape the engine, its parallelism and its precision
 * @param linkBytesPerS network of an instance and direction
 */
public record PoolPlan(
        String name,
        PoolRole role,
        int replicas,
        Optional<Range> scaling,
        StartTimes startSeconds,
        Optional<Tiers> tiers,
        double retainS,
        Optional<ExpertPlan> experts,
        ReplicaModel replica,
        Shape shape,
        double linkBytesPerS) {
    /** Minimum and maximum instances. */
    public record Range(int min, int max) {}

    /** Seconds that a start takes. */
    public record StartTimes(double store, double peer) {}

    /** An instance as it is simulated. */
    public ServingSpec spec() {
        return replica.spec();
    }

    /** Maximum instances at a time. */
    public int maxInstances() {
        return scaling.map(Range::max).orElse(replicas);
    }

    /** Seconds that a request with such a prompt takes through the API server of the engine to its scheduler. */
    public double serverSeconds(int promptTokens) {
        return shape.card().arrivalUs(promptTokens) / 1e6;
    }

    /** Returns the maximum number of requests of a step. */
    int maxRequests() {
        return spec().scheduler().limits().batchSizeCap();
    }

    /** Returns the maximum number of prompt tokens of a step; of a scheduler without such a limit, of the longest prompt. */
    int maxTokens() {
        SchedulerSpec scheduler = spec().scheduler();
        if (scheduler instanceof SchedulerSpec.VllmV1 vllm) {
            return vllm.maxBatchedTokens();
        }
        if (scheduler instanceof SchedulerSpec.Sglang sglang) {
            int chunk = sglang.settings().chunkedPrefillSize();
            return chunk > 0 ? chunk : sglang.settings().maxPrefillTokens();
        }
        return scheduler instanceof SchedulerSpec.Sarathi sarathi
                ? sarathi.chunkSize()
                : scheduler.promptLimit().map(SchedulerSpec.PromptLimit::tokens).orElse(spec().maxTokens());
    }

    /** Tokens that the cache of an instance holds. */
    public long kvTokens() {
        return replica.kvTokens();
    }

    /** Tokens of a block of its engines' caches, of full attention where the model has such. */
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
