package dev.stagesim.sim.capacity;

/**
 * What is to be run, as far as the semi-empirical model looks at it.
 *
 * @param inference whether it is inference; else it is training
 * @param prompt prompt tokens of a sequence
 * @param generate output tokens of a sequence
 * @param countsOutput whether only output tokens count in the throughput of inference
 * @param tensorParallel devices that share a layer
 * @param pipelineStages groups of devices that share the layers
 * @param dataParallel copies of the model
 * @param hiddenSize width of the model
 */
public record CapacityJob(
        boolean inference,
        long prompt,
        long generate,
        boolean countsOutput,
        long tensorParallel,
        long pipelineStages,
        long dataParallel,
        long hiddenSize,
        long layers) {
    public long sequence() {
        return prompt + generate;
    }
}
