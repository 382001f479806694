package dev.stagesim.settings;

import dev.stagesim.model.Key;
import java.util.List;

/** What the optimiser tries: the section {@code search}. */
public record SearchSettings(
        @Key("Devices that share a layer. | [1, 2, 4, 8] | devices | 1..1000000") List<Integer> tensorParallelSizes,
        @Key("Groups of devices that share the layers. | [1] | stages | 1..1000000") List<Integer> pipelineStages,
        @Key("Schedulers of a replica, with the settings of scheduler where that is one of them. | [vllm_v1]")
                List<Policy> schedulers,
        @Key("Maximum requests in a batch. | [32, 64, 128, 256] | requests | 1..1000000") List<Integer> batchSizes,
        @Key("Token budgets of a batch, but for vllm. | [512, 2048, 8192] | tokens | 1..1000000000")
                List<Integer> chunkSizes,
        @Key("Shares of what a node can carry that it is to carry. | [0.5, 0.8] | 0..1") List<Double> loads,
        @Key("Sequences of a training step on one copy of the model. | [1, 2, 4, 8] | 1..1000000000")
                List<Integer> microbatches,
        @Key("Nodes that training may use. | [1, 2, 4, 8, 16, 32] | nodes | 1..1000000") List<Integer> trainingNodes,
        @Key("Requests simulated for each candidate. | 200 | requests | 20..100000") int requests,
        @Key("Rows of losers in the report; the table has all. | 30 | 0..1000000000") int reportRows) {
    /** Schedulers that the optimiser tries. */
    public enum Policy {
        VLLM_V1, // vLLM of today.
        SGLANG, // SGLang.
        VLLM, // Whole prompts first.
        SARATHI // Chunks of prompts beside decodes.
    }
}
