package dev.stagesim.settings;

import dev.stagesim.model.Key;
import java.util.List;

/** What the optimiser tries: the section {@code search}. */
public record SearchSettings(
        @Key(doc = "Devices that share a layer.", unit = "devices", def = "[1, 2, 4, 8]", min = "1")
                List<Integer> tensorParallelSizes,
        @Key(doc = "Groups of devices that share the layers.", unit = "stages", def = "[1]", min = "1")
                List<Integer> pipelineStages,
        @Key(doc = "Schedulers of a replica.", def = "[vllm, sarathi]") List<Policy> schedulers,
        @Key(doc = "Most requests in a batch.", unit = "requests", def = "[32, 64, 128, 256]", min = "1")
                List<Integer> batchSizes,
        @Key(doc = "Token budgets of a batch, for sarathi.", unit = "tokens", def = "[256, 512, 1024, 2048]", min = "1")
                List<Integer> chunkSizes,
        @Key(doc = "Shares of what a node can carry that it is to carry.", def = "[0.5, 0.8]", min = "0", max = "1")
                List<Double> loads,
        @Key(doc = "Sequences of a training step on one copy of the model.", def = "[1, 2, 4, 8]", min = "1")
                List<Integer> microbatches,
        @Key(doc = "Nodes that training may use.", unit = "nodes", def = "[1, 2, 4, 8, 16, 32]", min = "1")
                List<Integer> trainingNodes,
        @Key(doc = "Requests simulated for each candidate.", unit = "requests", def = "200", min = "20") int requests,
        @Key(doc = "Rows of losers in the report; the table has all.", def = "30", min = "0") int reportRows) {
    /** Schedulers that the optimiser tries. */
    public enum Policy {
        /** Whole prompts first. */
        VLLM,
        /** Chunks of prompts beside decodes. */
        SARATHI
    }
}
