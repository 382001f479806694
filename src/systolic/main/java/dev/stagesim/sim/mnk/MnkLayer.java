package dev.stagesim.sim.mnk;

import java.util.List;

/**
 * One layer: {@code count} products of {@code m x k} and {@code k x n}, or a lookup table.
 *
 * @param name name, used verbatim
 * @param m inputs, the minibatch
 * @param n output dimension
 * @param k input dimension; for an embedding, the rows of its table
 * @param count equal products, each with separate weights if there are weights
 */
public record MnkLayer(String name, int m, int n, int k, Parallelism parallelism, LayerType type, int count) {
    /** Returns the product that each processor computes in a pass over weights; remainders of divisions are dropped. */
    public Gemm gemm(Pass pass, Cluster cluster) {
        int rows = m / parallelism.inputShares(cluster);
        int columns = n / parallelism.outputShares(cluster);
        return switch (pass) {
            case FORWARD -> new Gemm(rows, k, columns);
            case INPUT_GRADIENT -> new Gemm(rows, columns, k);
            case WEIGHT_GRADIENT -> new Gemm(k, rows, columns);
        };
    }

    /** Returns the products of each processor in a pass; none for a lookup table. */
    public List<Work> work(Pass pass, Cluster cluster) {
        if (type == LayerType.GEMM) {
            return List.of(new Work(gemm(pass, cluster), count));
        }
        if (type == LayerType.EMBEDDING) {
            return List.of();
        }
        // heads and samples are distributed over all processors, for every parallelism
        long share = count / cluster.processors();
        return switch (pass) {
            case FORWARD -> List.of(new Work(new Gemm(m, k, n), share));
            case INPUT_GRADIENT -> List.of(new Work(new Gemm(m, n, k), share), new Work(new Gemm(k, m, n), share));
            case WEIGHT_GRADIENT -> List.of();
        };
    }

    /**
     * Returns the values that a lookup moves on each processor: the rows read in the forward pass, or the gradients
     * added in the backward pass.
     */
    public long lookedUp(Pass pass, Cluster cluster) {
        if (type != LayerType.EMBEDDING || pass == Pass.INPUT_GRADIENT) {
            return 0;
        }
        return (long) (m / parallelism.inputShares(cluster)) * (n / parallelism.outputShares(cluster));
    }

    /** Returns true if all shares are whole. */
    public boolean isDivisible(Cluster cluster) {
        return type.isAttention()
                ? count % cluster.processors() == 0
                : m % parallelism.inputShares(cluster) == 0 && n % parallelism.outputShares(cluster) == 0;
    }

    /** Returns true if some processor has no share of the layer. */
    public boolean isEmptyShare(Cluster cluster) {
        return type.isAttention()
                ? count < cluster.processors()
                : m < parallelism.inputShares(cluster) || n < parallelism.outputShares(cluster);
    }

    /** Returns the collective after a pass. */
    Collective collective(Pass pass, Cluster cluster, int bytesPerValue) {
        return switch (pass) {
            case FORWARD -> gathered(cluster, bytesPerValue);
            case INPUT_GRADIENT ->
                parallelism == Parallelism.DATA || type != LayerType.GEMM
                        ? Collective.NONE
                        : exchange("REDUCESCATTER", (long) m * k, bytesPerValue, parallelism.inputShares(cluster));
            case WEIGHT_GRADIENT ->
                parallelism == Parallelism.MODEL || type.isAttention()
                        ? Collective.NONE
                        : exchange("ALLREDUCE", (long) n * k, bytesPerValue, parallelism.outputShares(cluster));
        };
    }

    private Collective gathered(Cluster cluster, int bytesPerValue) {
        return parallelism == Parallelism.DATA || type == LayerType.SCORE
                ? Collective.NONE
                : exchange("ALLGATHER", (long) m * n, bytesPerValue, cluster.processors());
    }

    private Collective exchange(String type, long values, int bytesPerValue, int shares) {
        long bytes = Math.multiplyExact(Math.multiplyExact(values, count), (long) bytesPerValue);
        return new Collective(type, bytes / shares);
    }
}
