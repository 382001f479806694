package dev.stagesim.sim.training.schedule;

import dev.stagesim.sim.training.schedule.PipelineOrder.Builder;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Order of operations of one rank in the DualPipe schedule.
 *
 * <p>Phase 0 is the direction that starts at the nearer end. In the V form a rank has stages r and p-1-r of one pipeline of p
 * stages, and phase 1 is the second half of the path of each micro-batch.
 */
final class DualPipe {
    private final Builder out;
    private final int rank;
    private final int stages;
    private final boolean isV;
    private final boolean isUpper;
    private final int[] forwards = new int[2];
    private final int[] backwards = new int[2];
    private final Deque<Integer> weights = new ArrayDeque<>();

    private DualPipe(Builder out, int rank, int stages, boolean isV) {
        this.out = out;
        this.rank = rank;
        this.stages = stages;
        this.isV = isV;
        this.isUpper = rank >= stages / 2;
    }

    /** Adds the eight steps of the published schedule, for {@code half} micro-batches per phase. */
    static void order(Builder out, int rank, int stages, int half, boolean isV) {
        new DualPipe(out, rank, stages, isV).steps(half);
    }

    private void steps(int half) {
        int near = Math.min(rank, stages - 1 - rank);
        int inner = stages / 2 - near - 1;
        for (int i = 0; i < 2 * inner; i++) {
            out.add(forward(0));
        }
        for (int i = 0; i <= near; i++) {
            out.add(forward(0));
            out.add(forward(1));
        }
        for (int i = 0; i < inner; i++) {
            splitBackward(1);
            weight();
            out.add(forward(1));
        }
        for (int i = 0; i < half - stages + near + 1; i++) {
            if (i == 0 && inner == 0) {
                out.add(forward(0));
                out.add(backward(1, Op.BW));
            } else {
                out.pair(forward(0), backward(1, Op.BW));
            }
            out.pair(forward(1), backward(0, Op.BW));
        }
        for (int i = 0; i < inner; i++) {
            out.add(backward(1, Op.BW));
            out.pair(forward(1), backward(0, Op.BW));
        }
        drain(near, inner);
    }

    private void drain(int near, int inner) {
        int turns = near + 1;
        boolean isSplit = false;
        for (int i = 0; i < turns; i++) {
            isSplit |= i == turns / 2 && near % 2 == 1;
            wholeOrSplit(1, isSplit);
            isSplit |= i == turns / 2 && near % 2 == 0;
            wholeOrSplit(0, isSplit);
        }
        for (int i = 0; i < inner; i++) {
            weight();
            splitBackward(0);
        }
        while (!weights.isEmpty()) {
            weight();
        }
    }

    private void wholeOrSplit(int phase, boolean isSplit) {
        if (isSplit) {
            splitBackward(phase);
        } else {
            out.add(backward(phase, Op.BW));
        }
    }

    private void splitBackward(int phase) {
        int op = backward(phase, Op.B);
        out.add(op);
        weights.add(Op.of(Op.W, Op.direction(op), Op.microBatch(op), Op.stage(op)));
    }

    private void weight() {
        out.add(weights.remove());
    }

    private int forward(int phase) {
        return op(Op.F, phase, forwards[phase]++);
    }

    private int backward(int phase, int kind) {
        return op(kind, phase, backwards[phase]++);
    }

    private int op(int kind, int phase, int microBatch) {
        if (isV) {
            return Op.of(kind, 0, microBatch, phase == 0 ? rank : stages - 1 - rank);
        }
        int direction = isUpper ? 1 - phase : phase;
        return Op.of(kind, direction, microBatch, direction == 0 ? rank : stages - 1 - rank);
    }
}
