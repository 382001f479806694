package dev.stagesim.sim.training.calculon;

/**
 * How an application runs.
 *
 * @param tensor tensor-parallel degree
 * @param pipeline pipeline-parallel degree
 * @param data data-parallel degree
 * @param tensorNetwork network of the tensor-parallel group
 * @param dataNetwork network of the data-parallel group
 * @param batch sequences of a step
 * @param microBatch sequences of a micro-batch
 * @param datatype name of the datatype
 * @param isFused whether the activation function is fused into the product before it
 * @param isMultiQuery one key and value head for all queries
 * @param recompute what is computed again
 * @param interleaving chunks of a processor
 * @param shardsOptimizer whether the optimizer is divided over the data-parallel group
 * @param tensorComm collective of the tensor-parallel group
 * @param tensorOverlap how it overlaps with compute
 * @param redoesGather whether gathered activations are gathered again in backward
 * @param overlapsData whether gradients are reduced behind the backward pass
 * @param offloadsWeights whether weights live in the second memory
 * @param offloadsActivations whether activations do
 * @param offloadsOptimizer whether optimizer states do
 * @param isTraining false for inference
 */
public record Execution(
        long processors,
        long tensor,
        long pipeline,
        long data,
        int tensorNetwork,
        int pipelineNetwork,
        int dataNetwork,
        long batch,
        long microBatch,
        String datatype,
        boolean isFused,
        boolean isMultiQuery,
        Recompute recompute,
        long interleaving,
        boolean shardsOptimizer,
        TensorComm tensorComm,
        TensorOverlap tensorOverlap,
        boolean redoesGather,
        boolean overlapsData,
        boolean offloadsWeights,
        boolean offloadsActivations,
        boolean offloadsOptimizer,
        boolean isTraining) {
    /** What is computed again in backward. */
    public enum Recompute {
        FULL,
        ATTN_ONLY,
        NONE
    }

    /** Collective of a tensor-parallel group; the order is that of a search. */
    public enum TensorComm {
        AR,
        P2P_RS_AG,
        RS_AG
    }

    /** Overlap of tensor-parallel collectives; the order is that of a search. */
    public enum TensorOverlap {
        NONE,
        RING,
        PIPE
    }

    long microBatches() {
        return batch / data / microBatch;
    }

    boolean splitsSequence() {
        return tensorComm == TensorComm.RS_AG;
    }

    boolean splitsTransfers() {
        return tensorComm != TensorComm.AR;
    }

    /** Rejects what contradicts itself. */
    void check() {
        Refusal.unless(
                processors > 0 && tensor > 0 && pipeline > 0 && data > 0 && batch > 0 && microBatch > 0,
                "degrees and batches are positive");
        Refusal.unless(
                processors == tensor * pipeline * data, "tensor * pipeline * data parallelism is not the processors");
        Refusal.unless(batch % data == 0, "the batch is divisible by the data parallelism");
        Refusal.unless(batch / data % microBatch == 0, "the batch of a replica is divisible by the micro-batch");
        Refusal.unless(isTraining || recompute == Recompute.NONE, "only training recomputes");
        Refusal.unless(
                interleaving > 0 && (pipeline > 1 || interleaving == 1),
                "bad pipeline interleaving of " + interleaving);
        Refusal.unless(!shardsOptimizer || data > 1, "optimizer sharding needs data parallelism");
        Refusal.unless(tensorOverlap == TensorOverlap.NONE || tensor > 1, "tensor overlap needs tensor parallelism");
        Refusal.unless(
                !redoesGather || (splitsSequence() && recompute != Recompute.FULL),
                "gathers are redone with rs_ag and without full recomputation");
        Refusal.unless(!overlapsData || (isTraining && data > 1), "data overlap needs training and data parallelism");
        Refusal.unless(!offloadsOptimizer || isTraining, "only training offloads the optimizer");
    }
}
