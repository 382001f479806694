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
 * @param sendsOnceANode whether a token goes to a node once, however many of its experts are there
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
        boolean sendsOnceANode) {
    /** Host time of a layer's forward: eager Megatron of 2022. */
    public static final double HOST_EAGER = 0.93e-3;
    /** Host time of a layer's forward: fused layers of today. */
    public static final double HOST_FUSED = 0.22e-3;
    /** Host time of a layer's forward: compiled. */
    public static final double HOST_COMPILED = 0.1e-3;

    /** This job with other sequences. */
    public TrainingJob batch(int tokens, int sequences) {
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
                sendsOnceANode);
    }
}
