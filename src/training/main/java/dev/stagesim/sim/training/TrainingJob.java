package dev.stagesim.sim.training;

/**
 * Batch, precision and software properties of a training job.
 *
 * @param sequence tokens per sequence
 * @param globalBatch sequences per step
 * @param precision precision of the products
 * @param kernels kernels of a layer
 * @param overlap communication that overlaps with computation
 * @param exchange exchange of tokens with experts
 * @param storage storage of states and activations
 */
public record TrainingJob(
        int sequence,
        int globalBatch,
        TrainingMachine.Precision precision,
        Kernels kernels,
        Overlap overlap,
        Exchange exchange,
        Storage storage) {
    /**
     * Kernels of a layer.
     *
     * @param isFlash true with fused attention
     * @param attentionShare rate of fused attention relative to kernels tuned for the device; 0.6 for kernels of an earlier generation
     * @param elementwise memory traffic of element-wise kernels relative to fused kernels; 1.6 without fusion
     * @param host host seconds to launch the forward pass
     */
    public record Kernels(boolean isFlash, double attentionShare, double elementwise, double host) {
        /** Fused kernels without host time. */
        public static final Kernels FUSED = new Kernels(true, 1, 1, 0);
    }

    /**
     * Communication that overlaps with computation.
     *
     * @param tensor true if tensor-parallel collectives overlap with products
     * @param data true if communication of gradients and weights overlaps with computation
     * @param expert true if the exchange with experts overlaps with another micro-batch
     */
    public record Overlap(boolean tensor, boolean data, boolean expert) {
        public static final Overlap NONE = new Overlap(false, false, false);
    }

    /**
     * Exchange of tokens with experts.
     *
     * @param isOncePerDomain true if a token is sent only once to each fast domain, independent of the number of its experts there
     * @param maxDomains maximum number of domains with experts of one token
     * @param dispatchBytes bytes per value to the experts; values return in 2 bytes
     */
    public record Exchange(boolean isOncePerDomain, int maxDomains, double dispatchBytes) {
        /** Returns an exchange of 16-bit values with experts in any number of domains. */
        public static Exchange unlimited(boolean isOncePerDomain) {
            return new Exchange(isOncePerDomain, Integer.MAX_VALUE, 2);
        }
    }

    /** Sharding of the optimizer over replicas. */
    public enum Sharding {
        /** Weights are gathered in large buckets. */
        BUCKETS,
        /** The optimizer step copies gradients, and pipeline stages keep sent activations until the backward pass. */
        DEEPSPEED,
        /** The owner of each tensor broadcasts it to all replicas, one tensor at a time. */
        TENSORS
    }

    /**
     * Storage of states and activations.
     *
     * @param gradientBytes bytes per accumulated gradient
     * @param isFloatMaster true if weights are stored in 32 bits only, as in FSDP
     * @param momentBytes bytes per value of each of the two optimizer moments
     * @param hasLowWeights true if weights are stored only in 8 bits, with a transposed copy, instead of in addition to 16 bits
     * @param hasLowActivations true if inputs of activation functions are kept in 8 bits
     * @param logitBytes bytes per logit during the loss: 6 for 16-bit logits with a gradient in 32 bits; 14 for PyTorch's unfused loss, which
     *     also keeps the softmax output and its gradient in 32 bits
     * @param sharding sharding of the optimizer over replicas
     */
    public record Storage(
            double gradientBytes,
            boolean isFloatMaster,
            double momentBytes,
            boolean hasLowWeights,
            boolean hasLowActivations,
            double logitBytes,
            Sharding sharding) {
        /** 32-bit moments and gradients, 16-bit weights and activations. */
        public static final Storage DEFAULT = new Storage(4, false, 4, false, false, 6, Sharding.BUCKETS);
    }

    /** Returns a copy with a different sequence length and batch size. */
    public TrainingJob batch(int tokens, int sequences) {
        return new TrainingJob(tokens, sequences, precision, kernels, overlap, exchange, storage);
    }

    /** Returns the bytes per weight on a device. */
    double weightBytes() {
        boolean isLow = precision != TrainingMachine.Precision.BITS16;
        return !isLow || storage.hasLowWeights() ? 2 : 3;
    }

    /** Returns the bytes per weight in an all-gather over replicas. */
    double gatheredBytes() {
        return storage.hasLowWeights() ? 1 : 2;
    }

    /** Returns the optimizer's bytes per weight: a 32-bit copy and two moments. */
    double optimizerBytes() {
        return 4 + 2 * storage.momentBytes();
    }

    /**
     * Returns additional bytes per gradient on the replica that owns it. DeepSpeed flattens 16-bit gradients and copies them to 32 bits.
     */
    double copiedGradientBytes() {
        return storage.sharding() == Sharding.DEEPSPEED && storage.gradientBytes() == 2 ? 6 : 0;
    }

    /** Returns the bytes per gradient on each replica. DeepSpeed accumulates in 32 bits in addition to 16-bit gradients. */
    double replicaGradientBytes() {
        return storage.sharding() == Sharding.DEEPSPEED && storage.gradientBytes() == 4 ? 6 : storage.gradientBytes();
    }

    /** Returns the memory traffic per weight of an optimizer step in bytes: states read and written, gradient, 16-bit weight. */
    double optimizerTraffic() {
        return 2 * optimizerBytes() + 4 + 2;
    }

    /** Host seconds per forward layer: eager Megatron of 2022. */
    public static final double HOST_EAGER = 0.93e-3;
    /** Host seconds per forward layer: current fused layers. */
    public static final double HOST_FUSED = 0.22e-3;
    /** Host seconds per forward layer: compiled. */
    public static final double HOST_COMPILED = 0.1e-3;
}
