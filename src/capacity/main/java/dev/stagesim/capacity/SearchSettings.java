package dev.stagesim.capacity;

import dev.stagesim.model.Key;
import java.util.List;

/** Search space of the optimiser: the section {@code search}. */
public record SearchSettings(
        @Key("Tensor parallelism. | [1, 2, 4, 8] | devices | 1..1000000") List<Integer> tensorParallelSizes,
        @Key("Pipeline stages. | [1] | stages | 1..1000000") List<Integer> pipelineStages,
        @Key("Schedulers to try. A scheduler that equals scheduler.kind uses the settings of the section scheduler. | "
                        + "[vllm_v1]")
                List<Policy> schedulers,
        @Key("Maximum requests in a batch. | [32, 64, 128, 256] | requests | 1..1000000") List<Integer> batchSizes,
        @Key("Token budgets of a batch, for all schedulers except vllm. | [512, 2048, 8192] | tokens | "
                        + "1..1000000000")
                List<Integer> chunkSizes,
        @Key("Target utilisations of a node. | [0.5, 0.8] | 0..1") List<Double> loads,
        @Key("Sequences of a training step per model replica. | [1, 2, 4, 8] | 1..1000000000")
                List<Integer> microbatches,
        @Key("Numbers of nodes for training. | [1, 2, 4, 8, 16, 32] | nodes | 1..1000000") List<Integer> trainingNodes,
        @Key("Requests simulated for each candidate. | 200 | requests | 20..100000") int requests,
        @Key("Maximum number of rejected candidates in the report; the table has all. | 30 | 0..1000000000")
                int reportRows) {
    /** Schedulers that the optimiser tries. */
    public enum Policy {
        VLLM_V1, // vLLM V1.
        SGLANG, // SGLang.
        VLLM, // Whole prompts first.
        SARATHI // Chunked prefill together with decodes.
    }
}
