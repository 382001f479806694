package dev.stagesim.sim.serving.spec;

/**
 * The devices: equal replicas, each a pipeline of stages, each stage a tensor-parallel group of devices.
 *
 * @param replicas copies of the model
 * @param tensorParallel devices that share each layer
 * @param pipelineStages groups that share the layers
 * @param memoryGib memory of one device in GiB
 * @param memoryKey setting that gives this memory
 * @param tflops dense half-precision peak of one device in TFLOP/s, or NaN if unknown
 * @param memoryMargin fraction of memory left unused, 0 to 1
 * @param policy global scheduler
 * @param seed seed of the random global scheduler
 * @param lockStep number of engines, with consecutive numbers, that share experts and run every step together; 1 if engines
 *         are independent
 * @param prefillInterval number of lockstep steps per step that may start prompts; 1 for every step
 */
public record ClusterSpec(
        int replicas,
        int tensorParallel,
        int pipelineStages,
        double memoryGib,
        String memoryKey,
        double tflops,
        double memoryMargin,
        GlobalPolicy policy,
        long seed,
        int lockStep,
        int prefillInterval) {
    /** Returns a copy with groups of {@code engines} engines that share experts and run every step together. */
    public ClusterSpec together(int engines) {
        return new ClusterSpec(
                engines,
                tensorParallel,
                pipelineStages,
                memoryGib,
                memoryKey,
                tflops,
                memoryMargin,
                policy,
                seed,
                engines,
                prefillInterval);
    }

    /** Overload with the whole memory of the hardware card and independent replicas. */
    public ClusterSpec(
            int replicas,
            int tensorParallel,
            int pipelineStages,
            double memoryGib,
            double tflops,
            double memoryMargin,
            GlobalPolicy policy,
            long seed) {
        this(
                replicas,
                tensorParallel,
                pipelineStages,
                memoryGib,
                "hardware.mem_gb",
                tflops,
                memoryMargin,
                policy,
                seed,
                1,
                1);
    }
}
