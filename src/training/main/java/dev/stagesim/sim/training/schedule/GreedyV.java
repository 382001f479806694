package dev.stagesim.sim.training.schedule;

import dev.stagesim.sim.training.schedule.PipelineOrder.Builder;

/**
 * Greedy order of the V schedules (Qi et al., Pipeline Parallelism with Controllable Memory, 2024). Rank r has stages r
 * and 2p-1-r. It runs input gradients first, then forward passes while memory is available, and weight gradients when
 * no other operation is ready.
 *
 * <p>Assumes equal times of forward pass, input gradient and weight gradient.
 */
final class GreedyV {
    private final int ranks;
    private final int stages;
    private final int microBatches;
    private final int limit;
    private final int[] forwards;
    private final int[] backwards;
    private final int[] weights;
    private final int[][] forwardEnd;
    private final int[][] backwardEnd;
    private final Builder[] out;

    private GreedyV(int ranks, int microBatches, int limit) {
        this.ranks = ranks;
        this.stages = 2 * ranks;
        this.microBatches = microBatches;
        this.limit = limit;
        forwards = new int[stages];
        backwards = new int[stages];
        weights = new int[stages];
        forwardEnd = new int[stages][microBatches];
        backwardEnd = new int[stages][microBatches];
        out = new Builder[ranks];
    }

    static PipelineOrder order(PipelineSchedule schedule, int ranks, int microBatches) {
        // Maximum number of chunks in memory per rank: two chunks are the activations of one micro-batch.
        int limit =
                switch (schedule) {
                    case V_MIN -> Math.max(2, (2 * ranks + 2) / 3 + 2);
                    case V_HALF -> Math.max(2, ranks + 2);
                    default -> 2 * ranks;
                };
        return new GreedyV(ranks, microBatches, limit).run(schedule);
    }

    private PipelineOrder run(PipelineSchedule schedule) {
        for (int rank = 0; rank < ranks; rank++) {
            out[rank] = new Builder();
        }
        int left = 3 * stages * microBatches;
        for (int time = 0; left > 0; time++) {
            int before = left;
            for (int rank = 0; rank < ranks; rank++) {
                left -= step(rank, time) ? 1 : 0;
            }
            if (before == left && isStuck(time)) {
                throw new IllegalStateException(schedule.id() + " never ends with " + ranks + " ranks");
            }
        }
        int[][] ops = new int[ranks][];
        for (int rank = 0; rank < ranks; rank++) {
            ops[rank] = out[rank].toArray();
        }
        return new PipelineOrder(schedule.id(), stages, microBatches, 1, ops);
    }

    /** Returns true if no operation is running that could make another one ready. */
    private boolean isStuck(int time) {
        for (int stage = 0; stage < stages; stage++) {
            if ((forwards[stage] > 0 && forwardEnd[stage][forwards[stage] - 1] > time)
                    || (backwards[stage] > 0 && backwardEnd[stage][backwards[stage] - 1] > time)) {
                return false;
            }
        }
        return true;
    }

    private boolean step(int rank, int time) {
        int low = rank;
        int high = stages - 1 - rank;
        if (backward(rank, high, time) || backward(rank, low, time)) {
            return true;
        }
        int inMemory = forwards[low] + forwards[high] - weights[low] - weights[high];
        // A forward pass of the lower half starts only if there is also memory for the upper half.
        if ((inMemory < limit && forward(rank, high, time)) || (inMemory + 1 < limit && forward(rank, low, time))) {
            return true;
        }
        return weight(rank, high) || weight(rank, low);
    }

    private boolean forward(int rank, int stage, int time) {
        int i = forwards[stage];
        if (i == microBatches || (stage > 0 && (forwards[stage - 1] <= i || forwardEnd[stage - 1][i] > time))) {
            return false;
        }
        forwardEnd[stage][i] = time + 1;
        forwards[stage]++;
        out[rank].add(Op.of(Op.F, 0, i, stage));
        return true;
    }

    private boolean backward(int rank, int stage, int time) {
        int i = backwards[stage];
        if (i == microBatches || forwards[stage] <= i || forwardEnd[stage][i] > time) {
            return false;
        }
        if (stage < stages - 1 && (backwards[stage + 1] <= i || backwardEnd[stage + 1][i] > time)) {
            return false;
        }
        backwardEnd[stage][i] = time + 1;
        backwards[stage]++;
        out[rank].add(Op.of(Op.B, 0, i, stage));
        return true;
    }

    private boolean weight(int rank, int stage) {
        if (weights[stage] >= backwards[stage]) {
            return false;
        }
        out[rank].add(Op.of(Op.W, 0, weights[stage]++, stage));
        return true;
    }
}
