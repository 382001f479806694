package dev.stagesim.sim.training;

/**
 * What is trained and with which software.
 *
 * @param sequence tokens of a sequence
 * @param globalBatch sequences of a step
 * @param precision precision of the products
 * @param gradientBytes bytes of a gradient while it is accumulated
 * @param isFlash fused attention
 * @param attentionShare rate of fused attention beside that of kernels tuned for the device: 0.6 for those of an earlier generation
 * @param between traffic between products beside fused kernels: 1.6 where every operation is a kernel of its own
 * @param isFloatMaster whether the weights themselves are kept in 32 bits, as FSDP does
 * @param host seconds that the host needs to launch the forward of a layer
 * @param overlapsTensor whether tensor-parallel collectives overlap with products
 * @param overlapsData whether gradients and weights move behind compute
 * @param overlapsExpert whether the exchange of experts overlaps with another micro-batch
 * @param exchange how tokens get to their experts
 * @param kept how states and activations are kept
 */
public record TrainingJob(
        int sequence,
        int globalBatch,
        TrainingMachine.Precision precision,
        double gradientBytes,
        boolean isFlash,
        double attentionShare,
        double between,
        boolean isFloatMaster,
        double host,
        boolean overlapsTensor,
        boolean overlapsData,
        boolean overlapsExpert,
        Exchange exchange,
        Kept kept) {
    /**
     * How tokens get to their experts and back.
     *
     * @param isOnceADomain whether a token goes to a fast domain once, however many of its experts are there
     * @param mostDomains domains that the experts of a token are in at most
     * @param dispatchBytes bytes of a value on the way there; two on the way back
     */
    public record Exchange(boolean isOnceADomain, int mostDomains, double dispatchBytes) {
        /** Experts anywhere, values in 16 bits. */
        public static Exchange usual(boolean isOnceADomain) {
            return new Exchange(isOnceADomain, Integer.MAX_VALUE, 2);
        }
    }

    /** How replicas divide the optimizer. */
    public enum Sharding {
        /** Weights are gathered in large buckets. */
        BUCKETS,
        /** The step copies gradients, and a pipeline keeps what a stage sent until its backward. */
        DEEPSPEED,
        /** The owner of each tensor sends it to all others, one after the other. */
        TENSORS
    }

    /**
     * How states and activations are kept.
     *
     * @param momentBytes bytes of each of the optimizer's two moments
     * @param hasLowWeights weights in 8 bits only, as they are and transposed, instead of beside 16 bits
     * @param hasLowActivations inputs of activation functions in 8 bits
     * @param logitBytes bytes of a logit at the loss
     * @param sharding how replicas divide the optimizer
     */
    public record Kept(
            double momentBytes,
            boolean hasLowWeights,
            boolean hasLowActivations,
            double logitBytes,
            Sharding sharding) {
        /** Moments in 32 bits, weights and activations in 16; logits in 16 and, with their gradient, in 32 bits. */
        public static final Kept USUAL = by(Sharding.BUCKETS);

        /** The usual with another way to divide the optimizer. */
        public static Kept by(Sharding sharding) {
            return new Kept(4, false, false, 6, sharding);
        }

        /**
         * PyTorch's loss as it is: logits in 16 bits, and in 32 bits what the softmax keeps, the gradient of that and the gradient
         * of the logits.
         */
        public static final Kept PLAIN_LOSS = new Kept(4, false, false, 14, Sharding.BUCKETS);
    }

    /** States and activations kept as usual. */
    public TrainingJob(
            int sequence,
            int globalBatch,
            TrainingMachine.Precision precision,
            double gradientBytes,
            boolean isFlash,
            double attentionShare,
            double between,
            boolean isFloatMaster,
            double host,
            boolean overlapsTensor,
            boolean overlapsData,
            boolean overlapsExpert,
            boolean sendsOnceANode) {
        this(
                sequence,
                globalBatch,
                precision,
                gradientBytes,
                isFlash,
                attentionShare,
                between,
                isFloatMaster,
                host,
                overlapsTensor,
                overlapsData,
                overlapsExpert,
                Exchange.usual(sendsOnceANode),
                Kept.USUAL);
    }

    /** This job with other ways to keep states and activations. */
    public TrainingJob keeping(Kept other) {
        return with(sequence, globalBatch, other);
    }

    /** This job with other sequences. */
    public TrainingJob batch(int tokens, int sequences) {
        return with(tokens, sequences, kept);
    }

    private TrainingJob with(int tokens, int sequences, Kept other) {
        return new TrainingJob(
                tokens,
                sequences,
                precision,
                gradientBytes,
                isFlash,
                attentionShare,
                between,
                isFloatMaster,
                host,
                overlapsTensor,
                overlapsData,
                overlapsExpert,
                exchange,
                other);
    }

    /** Bytes of a weight on a device. */
    double weightBytes() {
        boolean isLow = precision != TrainingMachine.Precision.BITS16;
        return !isLow || kept.hasLowWeights() ? 2 : 3;
    }

    /** Bytes of a weight that replicas gather. */
    double gatheredBytes() {
        return kept.hasLowWeights() ? 1 : 2;
    }

    /** Bytes of a weight's states in the optimizer: itself in 32 bits, and two moments. */
    double optimizerBytes() {
        return 4 + 2 * kept.momentBytes();
    }

    /**
     * Bytes of a gradient on its owner, besides those of all replicas: DeepSpeed's step flattens 16-bit gradients and copies them to
     * 32 bits.
     */
    double copiedGradientBytes() {
        return kept.sharding() == Sharding.DEEPSPEED && gradientBytes == 2 ? 6 : 0;
    }

    /** Bytes of a gradient on a replica: DeepSpeed accumulates in 32 bits beside 16-bit gradients. */
    double heldGradientBytes() {
        return kept.sharding() == Sharding.DEEPSPEED && gradientBytes == 4 ? 6 : gradientBytes;
    }

    /** Bytes that a step of the optimizer moves for a weight: its states read and written, its gradient and itself in 16 bits. */
    double optimizerTraffic() {
        return 2 * optimizerBytes() + 4 + 2;
    }

    /** Host time of a layer's forward: eager Megatron of 2022. */
    public static final double HOST_EAGER = 0.93e-3;
    /** Host time of a layer's forward: fused layers of today. */
    public static final double HOST_FUSED = 0.22e-3;
    /** Host time of a layer's forward: compiled. */
    public static final double HOST_COMPILED = 0.1e-3;
}
