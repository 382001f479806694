package dev.stagesim.sim.serving;

/**
 * The machines: equal replicas, each a pipeline of stages, each stage a tensor-parallel group of devices.
 *
 * @param replicas copies of the model
 * @param tensorParallel devices that share each layer
 * @param pipelineStages groups that share the layers
 * @param memoryGib memory of one device in GiB
 * @param memoryKey the setting that says so
 * @param tflops dense half-precision peak of one device in TFLOP/s; not a number when it is not known
 * @param memoryMargin fraction of memory left unused, 0 to 1
 * @param policy global scheduler
 * @param seed seed of the random global scheduler
 * @param lockStep engines that share experts and run every step together, their numbers in a row; 1 where each runs by itself
 * @param prefillInterval steps from one that may begin prompts to the next, for engines in lock step; 1 for every step
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
    /** So many engines that share experts and run every step together. */
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

    /** With all of the memory that the hardware's card states, and replicas that run by themselves. */
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
