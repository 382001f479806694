package dev.stagesim.verify.fidelity;

import dev.stagesim.model.KeyRecord;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.serving.EngineSchedulers;
import dev.stagesim.serving.ReplicaModel;
import dev.stagesim.sim.kernels.Sharding;
import dev.stagesim.sim.serving.spec.SchedulerSettings;
import dev.stagesim.sim.serving.spec.SchedulerSettings.Sglang;
import dev.stagesim.sim.serving.spec.SchedulerSpec;
import java.util.Map;
import java.util.Optional;

/**
 * The deployment that a row was measured on.
 *
 * @param replica one attention copy, as all stages build it; its limits and longest sequence are set for each load
 * @param sharding how the model is spread over the devices of all copies
 * @param chunk maximum tokens of a step
 * @param sequences maximum requests of a step
 */
record Subject(ReplicaModel replica, Sharding sharding, int chunk, int sequences) {
    /** Returns the deployment with other limits of a step. */
    Subject limited(int tokens, int requests) {
        return new Subject(replica, sharding, tokens, requests);
    }

    /** Returns the deployment with a share of the memory for weights and cache, if its engine is SGLang. */
    Subject withMemory(double share) {
        if (!(replica.scheduler() instanceof Sglang sglang)) {
            return this;
        }
        SchedulerSettings scheduler =
                KeyRecord.with(Sglang.class, sglang, Map.of("memFractionStatic", Optional.of(share)));
        ReplicaModel limited = KeyRecord.with(ReplicaModel.class, replica, Map.of("scheduler", scheduler));
        return new Subject(limited, sharding, chunk, sequences);
    }

    /** Returns the replica for sequences of at most {@code longest} tokens. */
    ReplicaModel of(int longest) {
        return of(longest, sequences);
    }

    /**
     * Returns the replica for sequences of at most {@code longest} tokens, with at most {@code max} requests in a step.
     */
    ReplicaModel of(int longest, int max) {
        // vLLM before V1 does not chunk prompts, so its steps have room for the longest prompt
        int tokens = replica.scheduler() instanceof SchedulerSpec.Vllm ? Math.max(longest, chunk) : chunk;
        return replica.limited(
                new EngineSchedulers.Limits(Optional.of(Math.min(max, tokens)), Optional.of(tokens), Optional.empty()),
                longest);
    }

    /** Returns the token capacity of the cache of one attention copy. */
    static long kvTokens(ReplicaModel replica) {
        try {
            return replica.kvTokens();
        } catch (StageException e) {
            throw refusal(e);
        }
    }

    /** Returns why a deployment cannot run; all that lack memory have one reason. */
    static UnpredictableRow refusal(StageException problems) {
        Problem first = problems.problems().get(0);
        return new UnpredictableRow(
                first.what().startsWith("not enough memory")
                        ? "weights and one sequence do not fit the memory"
                        : first.where() + " " + first.what());
    }
}
