package dev.stagesim.sim.serving.spec;

/**
 * The dimensions of a decoder-only transformer that determine its size and its attention cost.
 *
 * @param layers transformer blocks
 * @param queryHeads query heads
 * @param kvHeads key/value heads; fewer than query heads means grouped-query attention
 * @param embedding width of the residual stream
 * @param headDim width of one head
 * @param mlpHidden hidden width of the MLP
 * @param gatedMlp true if the MLP has a gate projection
 * @param postAttentionNorm true if a second norm follows attention
 */
public record ModelShape(
        int layers,
        int queryHeads,
        int kvHeads,
        int embedding,
        int headDim,
        int mlpHidden,
        boolean gatedMlp,
        boolean postAttentionNorm) {

    /** Returns a shape with heads that divide the embedding evenly. */
    public static ModelShape evenHeads(
            int layers,
            int queryHeads,
            int kvHeads,
            int embedding,
            int mlpHidden,
            boolean gatedMlp,
            boolean postAttentionNorm) {
        return new ModelShape(
                layers, queryHeads, kvHeads, embedding, embedding / queryHeads, mlpHidden, gatedMlp, postAttentionNorm);
    }

    /** Returns true if several query heads share a key/value head. */
    public boolean groupedQuery() {
        return queryHeads > kvHeads;
    }

    /** Returns the weights of one block on one of {@code tensorParallel} devices, without embeddings, norms and biases. */
    public long parametersPerLayer(int tensorParallel) {
        long q = queryHeads / tensorParallel;
        long kv = kvHeadsPerDevice(tensorParallel);
        long attention = (long) embedding * headDim * (q + 2 * kv) + (long) embedding * headDim * q;
        long matrices = gatedMlp ? 3 : 2;
        return attention + matrices * embedding * mlpHidden / tensorParallel;
    }

    /** Returns the key/value heads of a device; heads are replicated if there are fewer heads than devices. */
    int kvHeadsPerDevice(int tensorParallel) {
        return (kvHeads + tensorParallel - 1) / tensorParallel;
    }
}
