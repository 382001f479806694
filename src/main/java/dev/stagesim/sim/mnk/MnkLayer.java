package dev.stagesim.sim.mnk;

/**
 * One layer: {@code m} inputs of {@code k} values times a {@code k x n} weight.
 *
 * @param name name, kept verbatim
 * @param m inputs, the minibatch
 * @param n output dimension
 * @param k input dimension
 * @param parallelism how it is spread
 */
public record MnkLayer(String name, int m, int n, int k, Parallelism parallelism) {
    /** The product that each processor computes in a pass; what does not divide is cut off. */
    public Gemm gemm(Pass pass, Cluster cluster) {
        int rows = m / parallelism.inputShares(cluster);
        int columns = n / parallelism.outputShares(cluster);
        return switch (pass) {
            case FORWARD -> new Gemm(rows, k, columns);
            case INPUT_GRADIENT -> new Gemm(rows, columns, k);
            case WEIGHT_GRADIENT -> new Gemm(k, rows, columns);
        };
    }

    /** Whether all shares are whole. */
    public boolean isDivisible(Cluster cluster) {
        return m % parallelism.inputShares(cluster) == 0 && n % parallelism.outputShares(cluster) == 0;
    }

    /** What is exchanged after a pass. */
    public Collective collective(Pass pass, Cluster cluster, int bytesPerValue) {
        return switch (pass) {
            case FORWARD ->
                parallelism == Parallelism.DATA
                        ? Collective.NONE
                        : new Collective("ALLGATHER", share((long) m * n, bytesPerValue, cluster.processors()));
            case INPUT_GRADIENT ->
                parallelism == Parallelism.DATA
                        ? Collective.NONE
                        : new Collective(
                                "REDUCESCATTER", share((long) m * k, bytesPerValue, parallelism.inputShares(cluster)));
            case WEIGHT_GRADIENT ->
                parallelism == Parallelism.MODEL
                        ? Collective.NONE
                        : new Collective(
                                "ALLREDUCE", share((long) n * k, bytesPerValue, parallelism.outputShares(cluster)));
        };
    }

    private static long share(long values, int bytesPerValue, int shares) {
        return Math.multiplyExact(values, bytesPerValue) / shares;
    }
}
