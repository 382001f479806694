package dev.stagesim.sim.kernels;

/**
 * How a model is laid over devices.
 *
 * @param tensor devices that share each attention layer
 * @param stages groups of devices that share the layers
 * @param attentionCopies attention layers that work on requests of their own and share the experts
 * @param expertTensor devices that share each expert
 * @param expertParts groups that have experts of their own
 */
public record Sharding(int tensor, int stages, int attentionCopies, int expertTensor, int expertParts) {
    /** Every layer, experts included, shared by the same devices. */
    public static Sharding tensor(int devices, int stages) {
        return new Sharding(devices, stages, 1, devices, 1);
    }

    /** Devices that work on one layer. */
    public int devices() {
        return tensor * attentionCopies;
    }
}
