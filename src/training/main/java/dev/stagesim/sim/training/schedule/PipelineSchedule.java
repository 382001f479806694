package dev.stagesim.sim.training.schedule;

import dev.stagesim.model.NamedConstant;
import dev.stagesim.sim.trace.generate.MicroBatchOrder;
import dev.stagesim.sim.training.schedule.PipelineOrder.Builder;
import java.util.Locale;

/**
 * Pipeline schedules.
 *
 * <p>Sources: GPipe (arXiv 1811.06965), 1F1B and interleaved 1F1B (arXiv 2104.04473), zero bubble H1 and H2 (arXiv 2401.10241),
 * controllable-memory V schedules (arXiv 2405.15362), DualPipe and its V form (arXiv 2412.19437 and its published code).
 */
public enum PipelineSchedule implements NamedConstant {
    GPIPE,
    ONE_F_ONE_B,
    INTERLEAVED,
    ZB_H1,
    ZB_H2,
    ZB_V,
    V_HALF,
    V_MIN,
    DUALPIPE,
    DUALPIPE_V;

    @Override
    public String id() {
        return this == ONE_F_ONE_B ? "1f1b" : name().toLowerCase(Locale.ROOT);
    }

    /** Returns true if input and weight gradients are separate operations. */
    public boolean splitsBackward() {
        return this != GPIPE && this != ONE_F_ONE_B && this != INTERLEAVED;
    }

    /** Returns the number of weight copies per rank. DualPipe has one stage per direction on each rank. */
    public int weightCopies() {
        return this == DUALPIPE ? 2 : 1;
    }

    /** Returns the number of stages per rank and copy of the model, or 0 if {@code virtual} determines it. */
    public int fixedChunks() {
        return switch (this) {
            case ZB_V, V_HALF, V_MIN, DUALPIPE_V -> 2;
            case INTERLEAVED -> 0;
            default -> 1;
        };
    }

    /** Returns why the schedule cannot run, or an empty string. {@code microBatches} includes both directions. */
    public String refusal(int ranks, int microBatches, int virtual) {
        if (ranks < 1 || microBatches < 1 || virtual < 1) {
            return "ranks, micro-batches and virtual stages must be positive";
        }
        if ((long) ranks * virtual * 2 > Op.MAX_STAGES || microBatches > Op.MAX_MICRO_BATCHES) {
            return "at most " + Op.MAX_STAGES / 2 + " stages and " + Op.MAX_MICRO_BATCHES + " micro-batches";
        }
        if (this != INTERLEAVED && virtual > 1) {
            return "only the interleaved schedule has virtual stages";
        }
        return switch (this) {
            case INTERLEAVED ->
                microBatches % ranks == 0
                        ? ""
                        : "the number of micro-batches must be a multiple of the number of ranks";
            case DUALPIPE ->
                ranks % 2 != 0
                        ? "the number of ranks must be even"
                        : microBatches % 2 != 0 || microBatches < 2 * ranks
                                ? "the number of micro-batches must be even and at least twice the number of ranks"
                                : "";
            case DUALPIPE_V ->
                microBatches < 2 * ranks
                        ? "the number of micro-batches must be at least twice the number of ranks"
                        : "";
            default -> "";
        };
    }

    /**
     * Returns the order of operations on each rank.
     *
     * @param microBatches micro-batches per step, including both directions of DualPipe
     * @param virtual stages per rank of the interleaved schedule
     */
    public PipelineOrder order(int ranks, int microBatches, int virtual) {
        String refusal = refusal(ranks, microBatches, virtual);
        if (!refusal.isEmpty()) {
            throw new IllegalArgumentException(id() + ": " + refusal);
        }
        if (this == ZB_V || this == V_HALF || this == V_MIN) {
            return GreedyV.order(this, ranks, microBatches);
        }
        int[][] ops = new int[ranks][];
        for (int rank = 0; rank < ranks; rank++) {
            Builder out = new Builder();
            switch (this) {
                case GPIPE -> inOrder(MicroBatchOrder.GPIPE, out, rank, ranks, microBatches);
                case INTERLEAVED -> interleaved(out, rank, ranks, microBatches, virtual);
                case ZB_H1 -> zeroBubble(out, rank, microBatches, Math.min(microBatches, ranks - 1 - rank), rank);
                case ZB_H2 ->
                    zeroBubble(out, rank, microBatches, Math.min(microBatches, 2 * (ranks - 1 - rank)), 2 * rank);
                case DUALPIPE -> DualPipe.order(out, rank, ranks, microBatches / 2, false);
                case DUALPIPE_V -> DualPipe.order(out, rank, 2 * ranks, microBatches, true);
                default -> inOrder(MicroBatchOrder.ONE_F_ONE_B, out, rank, ranks, microBatches);
            }
            ops[rank] = out.toArray();
        }
        int stages = this == DUALPIPE_V ? 2 * ranks : ranks * virtual;
        boolean both = this == DUALPIPE;
        return new PipelineOrder(id(), stages, both ? microBatches / 2 : microBatches, both ? 2 : 1, ops);
    }

    private static void inOrder(MicroBatchOrder order, Builder out, int rank, int ranks, int microBatches) {
        for (MicroBatchOrder.Pass pass : order.passes(rank, ranks, microBatches)) {
            out.add(Op.of(pass.isForward() ? Op.F : Op.BW, 0, pass.batch(), rank));
        }
    }

    private static void interleaved(Builder out, int rank, int ranks, int microBatches, int virtual) {
        int all = microBatches * virtual;
        int warmUp = Math.min(all, 2 * (ranks - rank - 1) + (virtual - 1) * ranks);
        for (int k = 0; k < warmUp; k++) {
            out.add(virtualOp(Op.F, k, rank, ranks, virtual));
        }
        for (int k = 0; k < all; k++) {
            if (warmUp + k < all) {
                out.add(virtualOp(Op.F, warmUp + k, rank, ranks, virtual));
            }
            out.add(virtualOp(Op.BW, k, rank, ranks, virtual));
        }
    }

    private static int virtualOp(int kind, int k, int rank, int ranks, int virtual) {
        int turn = k % (ranks * virtual) / ranks;
        int chunk = kind == Op.F ? turn : virtual - 1 - turn;
        int microBatch = k / (ranks * virtual) * ranks + k % ranks;
        return Op.of(kind, 0, microBatch, chunk * ranks + rank);
    }

    private static void zeroBubble(Builder out, int rank, int microBatches, int warmUp, int firstWeights) {
        for (int i = 0; i < warmUp; i++) {
            out.add(Op.of(Op.F, 0, i, rank));
        }
        int done = 0;
        for (int i = 0; i < microBatches - warmUp; i++) {
            out.add(Op.of(Op.F, 0, warmUp + i, rank));
            out.add(Op.of(Op.B, 0, i, rank));
            if (i >= firstWeights) {
                out.add(Op.of(Op.W, 0, done++, rank));
            }
        }
        for (int i = microBatches - warmUp; i < microBatches; i++) {
            out.add(Op.of(Op.B, 0, i, rank));
            if (done < i + 1) {
                out.add(Op.of(Op.W, 0, done++, rank));
            }
        }
        while (done < microBatches) {
            out.add(Op.of(Op.W, 0, done++, rank));
        }
    }
}
