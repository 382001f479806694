package dev.stagesim.sim.capacity;

/**
 * The inputs of the semi-empirical model that describe the job.
 *
 * @param inference true for inference, false for training
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
    long sequence() {
        return prompt + generate;
    }
}
