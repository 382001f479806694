package dev.stagesim.sim.kernels;

import dev.stagesim.model.card.ModelCard;
import dev.stagesim.model.hardware.HardwareCard;

/**
 * Device memory that vLLM reserves in addition to weights and KV cache, as specified in {@code specs/vllm-v1.md}: the
 * peak of its profiling step, libraries, and captured graphs.
 *
 * @param tensor devices that share each layer
 * @param stages pipeline stages
 */
public record ProfiledMemory(ModelCard model, HardwareCard hardware, int tensor, int stages) {
    /** Bytes per activation element. */
    private static final long VALUE = 2;

    private static final double GIB = 1L << 30;
    private static final double ALONE_GIB = 0.25;
    private static final double LINKED_GIB = 2.1;
    private static final double UNLINKED_GIB = 0.6;

    /** Hidden states, residuals, norm outputs and layer outputs. */
    private static final int STATES = 4;

    private static final double GRAPH_LAYER_BYTES = 0.25e6;

    /** Methods of the sampler to find the most likely tokens. */
    public enum Sampler {
        SELECT(14), // In place, by a kernel with one row of logits per multiprocessor; vLLM 0.17 and later.
        SORT(38); // By sorting all logits; vLLM up to 0.16.

        private final long logitBytes;

        Sampler(long logitBytes) {
            this.logitBytes = logitBytes;
        }
    }

    /**
     * Bytes of the peak of a step, of libraries, and of captured graphs.
     */
    public record Parts(long activations, long libraries, long graphs) {
        /**
         * Returns the bytes that the engine subtracts from the KV cache.
         *
         * @param estimatesGraphs whether the engine estimates its graphs before it sizes the cache
         */
        public long bytes(boolean estimatesGraphs) {
            return activations + libraries + (estimatesGraphs ? graphs : 0);
        }
    }

    /**
     * Total bytes, for steps of at most {@code tokens} tokens and {@code sequences} sequences.
     *
     * @param capturesGraphs whether the engine estimates its graphs before it sizes the cache
     */
    public long bytes(int tokens, int sequences, Sampler sampler, boolean capturesGraphs) {
        long rest = activations(tokens, sequences, sampler) + libraries();
        return capturesGraphs ? rest + graphs(GraphCapture.ofDefaults(sequences, tokens, 0, 1)) : rest;
    }

    /** Peak of a step: its widest layer, or the sampler with one or two copies of all logits. */
    public long activations(int tokens, int sequences, Sampler sampler) {
        long wide = (long) (VALUE * model.shape().mlpMatrices() * (double) denseWidth() / tensor);
        long layer = tokens * (VALUE * STATES * model.shape().hiddenSize() + wide);
        return Math.max(layer, sampling(tokens, sequences, sampler)) + experts(tokens);
    }

    private long sampling(int tokens, int sequences, Sampler sampler) {
        long vocabulary = model.shape().vocabSize();
        long rows = sampler == Sampler.SELECT ? hardware.kernels().multiprocessors() : 0;
        return Math.min(sequences, tokens) * vocabulary * sampler.logitBytes
                + rows * vocabulary * Float.BYTES
                + 2 * VALUE * tokens * model.shape().hiddenSize();
    }

    private int denseWidth() {
        return !model.isMixtureOfExperts() || model.experts().firstDenseLayers().orElse(0) > 0
                ? model.shape().ffnDim()
                : model.experts().sharedFfnDim().orElse(0);
    }

    /** Permanent workspace of the experts: inputs and outputs of both products. */
    private long experts(int tokens) {
        if (!model.isMixtureOfExperts() || model.expertPrecision().bytes() < 1) {
            return 0;
        }
        int inner = (model.experts().moeFfnDim().orElseThrow() + tensor - 1) / tensor;
        long hidden = model.shape().hiddenSize();
        long widest = Math.max(inner, hidden) + Math.max(2L * inner, hidden);
        return VALUE * tokens * model.experts().expertsPerToken().orElseThrow() * widest;
    }

    /** Memory of the driver's kernels and of the collectives' buffers. */
    public long libraries() {
        return (long)
                (GIB * (tensor == 1 ? ALONE_GIB : hardware.scaleup().scaleupUniGbs() > 0 ? LINKED_GIB : UNLINKED_GIB));
    }

    /** Memory of the graphs, which grows with the layers of a stage. */
    public long graphs(GraphCapture captured) {
        return (long) (GRAPH_LAYER_BYTES * captured.count() * model.shape().numLayers() / stages);
    }
}
