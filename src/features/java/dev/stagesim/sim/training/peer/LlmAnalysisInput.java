package dev.stagesim.sim.training.peer;

import java.util.OptionalLong;

/**
 * Arguments of llm-analysis.
 *
 * @param gpu the device
 * @param embeddingBits bits of an embedding weight
 * @param parallel degrees
 * @param flopsEfficiency share of the peak
 * @param hbmEfficiency share of the memory bandwidth
 * @param intraEfficiency share of the bandwidth inside a node
 * @param interEfficiency share of the bandwidth between nodes
 */
public record LlmAnalysisInput(
        Model model,
        Gpu gpu,
        int weightBits,
        int activationBits,
        int embeddingBits,
        Parallel parallel,
        double flopsEfficiency,
        double hbmEfficiency,
        double intraEfficiency,
        double interEfficiency,
        Training training) {
    /**
     * A model.
     *
     * @param heads query heads
     * @param kvHeads key-value heads
     * @param hidden width of the residual stream
     * @param feedForward feed-forward width
     * @param expansion feed-forward width over hidden
     * @param maxSequence longest sequence
     * @param experts experts, 1 for a dense model
     * @param topK experts of a token
     * @param isGated gated feed-forward
     */
    public record Model(
            long layers,
            long heads,
            long kvHeads,
            long hidden,
            double feedForward,
            double expansion,
            long vocabulary,
            OptionalLong maxSequence,
            long experts,
            long topK,
            boolean isGated) {}

    /**
     * A device; rates in GB/s and TFLOP/s.
     *
     * @param memoryGb memory, 1024^3 bytes
     * @param hbm memory bandwidth
     * @param intra bandwidth inside a node
     * @param latency seconds of the shortest message inside a node
     * @param fp16 16-bit peak
     * @param i8 8-bit peak
     * @param i4 4-bit peak
     * @param inter bandwidth between nodes
     */
    public record Gpu(
            double memoryGb,
            double hbm,
            double intra,
            double latency,
            double fp16,
            double i8,
            double i4,
            double inter) {}

    /**
     * Degrees of parallelism.
     *
     * @param tensor tensor parallelism
     * @param pipeline pipeline parallelism
     * @param data sharded data parallelism
     * @param replicas replicated data parallelism
     * @param sequence sequence parallelism
     * @param expert expert parallelism
     */
    public record Parallel(long tensor, long pipeline, long data, long replicas, long sequence, long expert) {}

    /**
     * What is trained; 0 stands for a batch or a number of bits that is not given.
     *
     * @param batch sequences of a device
     * @param accumulation accumulation steps
     * @param globalBatch sequences of a step
     * @param sequence tokens of a sequence
     * @param totalTokens tokens of the training
     * @param recompute 0 none, 1 attention core, 2 attention, 3 norms and attention, 4 all
     * @param zero ZeRO stage
     * @param prefetchesForward whether the next layer is gathered in forward
     * @param prefetchesBackward whether the next layer is gathered in backward
     * @param normBytes bytes of a norm's activation
     * @param masterBytes bytes of a master weight and a gradient
     * @param optimizerBytes bytes of all optimizer states of a parameter
     * @param usesFlash flash attention
     * @param dropsScores dropout on attention scores
     * @param recomputesGelu whether the activation function is computed again
     * @param quantBits bits of all feed-forward activations, before the three that follow
     * @param firstBits bits of the first product's input
     * @param geluBits bits of the activation function's input
     * @param secondBits bits of the second product's input
     */
    public record Training(
            long batch,
            long accumulation,
            long globalBatch,
            OptionalLong sequence,
            OptionalLong totalTokens,
            int recompute,
            int zero,
            boolean prefetchesForward,
            boolean prefetchesBackward,
            long normBytes,
            double masterBytes,
            double optimizerBytes,
            boolean usesFlash,
            boolean dropsScores,
            boolean recomputesGelu,
            int quantBits,
            int firstBits,
            int geluBits,
            int secondBits) {}
}
