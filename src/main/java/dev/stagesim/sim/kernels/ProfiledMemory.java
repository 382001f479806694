package dev.stagesim.sim.kernels;

import dev.stagesim.model.HardwareCard;
import dev.stagesim.model.ModelCard;

/**
 * Memory of a device that vLLM leaves free beside weights and cache, as {@code specs/vllm-v1.md} counts it: what its profile of the
 * greatest step finds, what libraries hold, and captured graphs.
 *
 * @param tensor devices that share each layer
 * @param stages pipeline stages
 */
public record ProfiledMemory(ModelCard model, HardwareCard hardware, int tensor, int stages) {
    /** Bytes of an activation. */
    private static final long VALUE = 2;

    private static final double GIB = 1L << 30;
    private static final double ALONE_GIB = 0.25;
    private static final double LINKED_GIB = 2.1;
    private static final double UNLINKED_GIB = 0.6;

    /** Hidden states, residuals, what norms make of them and what a layer adds. */
    private static final int STATES = 4;

    private static final double GRAPH_LAYER_BYTES = 0.25e6;

    /** How the sampler finds the most likely tokens. */
    public enum Sampler {
        SELECT(14), // In place, by a kernel that keeps a row of logits a multiprocessor; vLLM from 0.17 on.
        SORT(38); // By sorting all logits; vLLM until 0.16.

        private final long logitBytes;

        Sampler(long logitBytes) {
            this.logitBytes = logitBytes;
        }
    }

    /**
     * Returns all of it, for steps of at most {@code tokens} tokens and {@code sequences} sequences.
     *
     * @param capturesGraphs whether the engine estimates its graphs before it sizes the cache
     */
    public long bytes(int tokens, int sequences, Sampler sampler, boolean capturesGraphs) {
        long rest = activations(tokens, sequences, sampler) + libraries();
        return capturesGraphs ? rest + graphs(GraphCapture.ofDefaults(sequences, tokens, 0, 1)) : rest;
    }

    /** The peak of a step: its widest layer, or the sampler with a copy or two of all logits. */
    public long activations(int tokens, int sequences, Sampler sampler) {
        long wide = (long) (VALUE * model.mlpMatrices() * (double) denseWidth() / tensor);
        long layer = tokens * (VALUE * STATES * model.hiddenSize() + wide);
        return Math.max(layer, sampling(tokens, sequences, sampler)) + experts(tokens);
    }

    private long sampling(int tokens, int sequences, Sampler sampler) {
        long vocabulary = model.vocabSize();
        long rows = sampler == Sampler.SELECT ? hardware.kernels().multiprocessors() : 0;
        return Math.min(sequences, tokens) * vocabulary * sampler.logitBytes
                + rows * vocabulary * Float.BYTES
                + 2 * VALUE * tokens * model.hiddenSize();
    }

    private int denseWidth() {
        return !model.isMixtureOfExperts() || model.firstDenseLayers().orElse(0) > 0
                ? model.ffnDim()
                : model.sharedFfnDim().orElse(0);
    }

    /** Workspace of the experts, which stays: inputs and outputs of both products of each visited one. */
    private long experts(int tokens) {
        if (!model.isMixtureOfExperts() || model.expertPrecision().bytes() < 1) {
            return 0;
        }
        int inner = (model.moeFfnDim().orElseThrow() + tensor - 1) / tensor;
        long hidden = model.hiddenSize();
        long widest = Math.max(inner, hidden) + Math.max(2L * inner, hidden);
        return VALUE * tokens * model.expertsPerToken().orElseThrow() * widest;
    }

    /** What the driver's kernels and the buffers of collectives take. */
    private long libraries() {
        return (long) (GIB * (tensor == 1 ? ALONE_GIB : hardware.scaleupUniGbs() > 0 ? LINKED_GIB : UNLINKED_GIB));
    }

    /** Returns the memory of graphs, which each layer of a stage has. */
    public long graphs(GraphCapture captured) {
        return (long) (GRAPH_LAYER_BYTES * captured.count() * model.numLayers() / stages);
    }
}
