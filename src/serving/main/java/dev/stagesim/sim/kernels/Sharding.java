package dev.stagesim.sim.kernels;

/**
 * Distribution of a model over devices.
 *
 * @param tensor devices that share each attention layer
 * @param stages pipeline stages
 * @param attentionCopies data-parallel attention replicas that share the experts
 * @param expertTensor devices that share each expert
 * @param expertParts expert-parallel groups
 */
public record Sharding(int tensor, int stages, int attentionCopies, int expertTensor, int expertParts) {
    /** Pure tensor parallelism, experts included. */
    public static Sharding tensor(int devices, int stages) {
        return new Sharding(devices, stages, 1, devices, 1);
    }

    /**
     * Returns true if the devices of an attention copy divide its tokens for the experts. Each device then has whole shared
     * experts.
     */
    public boolean isSequenceParallel() {
        return attentionCopies > 1 && expertParts > 1;
    }

    /** Number of devices that compute one layer. */
    public int devices() {
        return tensor * attentionCopies;
    }
}
