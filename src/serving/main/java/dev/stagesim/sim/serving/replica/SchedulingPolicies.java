package dev.stagesim.sim.serving.replica;

import dev.stagesim.sim.serving.policy.KvConnector;
import dev.stagesim.sim.serving.spec.SchedulerSpec;
import org.jspecify.annotations.Nullable;

/** Creates the scheduling policy that a specification selects. */
public final class SchedulingPolicies {
    private SchedulingPolicies() {}

    /**
     * Creates the policy of one replica.
     *
     * @param isStepByStep whether an engine plans every step individually
     * @param connector KV connector of the replica, or null if it has none
     */
    public static BatchPolicy create(
            ReplicaScheduler.Parts parts,
            RecorderSet recorders,
            boolean isStepByStep,
            @Nullable KvConnector connector) {
        if (parts.spec().scheduler() instanceof SchedulerSpec.VllmV1 engine) {
            return new VllmPolicy(
                    parts.spec(),
                    engine,
                    parts.plan(),
                    parts.states(),
                    recorders,
                    parts.restarts(),
                    isStepByStep,
                    connector);
        }
        return parts.spec().scheduler() instanceof SchedulerSpec.Sglang engine
                ? new SglangPolicy(
                        engine, parts.plan(), parts.states(), recorders, parts.restarts(), isStepByStep, connector)
                : blockScheduler(parts);
    }

    /** Creates a scheduler that runs batch by batch. */
    static ReplicaScheduler blockScheduler(ReplicaScheduler.Parts parts) {
        SchedulerSpec scheduler = parts.spec().scheduler();
        if (scheduler instanceof SchedulerSpec.Vllm vllm) {
            return new VllmScheduler(parts, vllm);
        } else if (scheduler instanceof SchedulerSpec.Sarathi sarathi) {
            return new SarathiScheduler(parts, sarathi);
        } else if (scheduler instanceof SchedulerSpec.Orca) {
            return new OrcaScheduler(parts);
        } else if (scheduler instanceof SchedulerSpec.FasterTransformer) {
            return new FasterTransformerScheduler(parts);
        } else if (scheduler instanceof SchedulerSpec.LightLlm lightLlm) {
            return new LightLlmScheduler(parts, lightLlm);
        } else if (scheduler instanceof ReplicaScheduler.Factory factory) {
            return factory.scheduler(parts);
        }
        throw new IllegalArgumentException(scheduler + " has no block scheduler");
    }
}
