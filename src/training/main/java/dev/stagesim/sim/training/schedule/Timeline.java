package dev.stagesim.sim.training.schedule;

import java.util.Arrays;

/**
 * Start and end times of the operations of a pipeline order.
 *
 * <p>An operation starts when its rank is free and its inputs are available. A forward pass needs the previous stage. A backward pass needs
 * the forward pass of its stage and the backward pass of the next stage. A weight gradient needs the input gradient. Inputs from another
 * rank arrive after a transfer. Time and memory are O(ranks x operations).
 *
 * @param start start time of each operation of each rank
 * @param end end time of each operation of each rank; overlapped operations have equal times
 * @param makespan end time of the last operation
 */
public record Timeline(double[][] start, double[][] end, double makespan) {
    private static final double NOT_YET = -1;

    /** Returns the time during which each rank computes. */
    public double[] busy(PipelineOrder order) {
        double[] busy = new double[start.length];
        for (int rank = 0; rank < start.length; rank++) {
            for (int i = 0; i < start[rank].length; i++) {
                busy[rank] += Op.isJoined(order.ops()[rank][i]) ? 0 : end[rank][i] - start[rank][i];
            }
        }
        return busy;
    }

    /** Simulates {@code order}. */
    public static Timeline of(PipelineOrder order, StageTimes times) {
        return new Run(order, times).finish();
    }

    /** State of one evaluation. */
    private static final class Run {
        private final PipelineOrder order;
        private final StageTimes times;
        private final double[][] start;
        private final double[][] end;
        private final double[] forwardEnd;
        private final double[] backwardEnd;
        private final int[] forwardRank;
        private final int[] next;
        private final double[] free;

        Run(PipelineOrder order, StageTimes times) {
            this.order = order;
            this.times = times;
            int ranks = order.ranks();
            start = new double[ranks][];
            end = new double[ranks][];
            next = new int[ranks];
            free = new double[ranks];
            int slots = order.directions() * order.stages() * order.microBatches();
            forwardEnd = new double[slots];
            backwardEnd = new double[slots];
            Arrays.fill(forwardEnd, NOT_YET);
            Arrays.fill(backwardEnd, NOT_YET);
            forwardRank = new int[order.directions() * order.stages()];
            for (int rank = 0; rank < ranks; rank++) {
                start[rank] = new double[order.ops()[rank].length];
                end[rank] = new double[order.ops()[rank].length];
                for (int op : order.ops()[rank]) {
                    forwardRank[stageSlot(op)] = rank;
                }
            }
        }

        private int stageSlot(int op) {
            return Op.direction(op) * order.stages() + Op.stage(op);
        }

        private int slot(int op, int stageOffset) {
            return (stageSlot(op) + stageOffset) * order.microBatches() + Op.microBatch(op);
        }

        Timeline finish() {
            boolean hasProgress = true;
            while (hasProgress) {
                hasProgress = false;
                for (int rank = 0; rank < order.ranks(); rank++) {
                    while (next[rank] < order.ops()[rank].length && advance(rank)) {
                        hasProgress = true;
                    }
                }
            }
            double makespan = 0;
            for (int rank = 0; rank < order.ranks(); rank++) {
                if (next[rank] < order.ops()[rank].length) {
                    throw new IllegalStateException("the order of " + order.schedule() + " never ends: rank " + rank
                            + " waits for " + Op.name(order.ops()[rank][next[rank]]));
                }
                makespan = Math.max(makespan, free[rank]);
            }
            return new Timeline(start, end, makespan);
        }

        /** Runs the next operation of the rank, or an overlapped pair, if its inputs are available. */
        private boolean advance(int rank) {
            int at = next[rank];
            int op = order.ops()[rank][at];
            double ready = ready(op, rank);
            boolean isPair = Op.isJoined(op);
            if (isPair && ready >= 0) {
                double second = ready(order.ops()[rank][at + 1], rank);
                ready = second < 0 ? NOT_YET : Math.max(ready, second);
            }
            if (ready < 0) {
                return false;
            }
            double from = Math.max(ready, free[rank]);
            double to = from + (isPair ? times.pair()[Op.stage(op)] : duration(op));
            place(rank, at, from, to);
            if (isPair) {
                place(rank, at + 1, from, to);
            }
            next[rank] = at + (isPair ? 2 : 1);
            free[rank] = to;
            return true;
        }

        private void place(int rank, int at, double from, double to) {
            int op = order.ops()[rank][at];
            start[rank][at] = from;
            end[rank][at] = to;
            if (Op.kind(op) == Op.F) {
                forwardEnd[slot(op, 0)] = to;
            } else if (Op.kind(op) != Op.W) {
                backwardEnd[slot(op, 0)] = to;
            }
        }

        private double duration(int op) {
            int stage = Op.stage(op);
            return switch (Op.kind(op)) {
                case Op.F -> times.forward()[stage];
                case Op.B -> times.inputGradient()[stage];
                case Op.W -> times.weightGradient()[stage];
                default -> times.inputGradient()[stage] + times.weightGradient()[stage];
            };
        }

        /** Returns the time at which the inputs are available, or {@link #NOT_YET}. */
        private double ready(int op, int rank) {
            if (Op.kind(op) == Op.W) {
                return backwardEnd[slot(op, 0)];
            }
            if (Op.kind(op) == Op.F) {
                return Op.stage(op) == 0 ? 0 : from(forwardEnd, op, -1, rank);
            }
            double forward = forwardEnd[slot(op, 0)];
            if (forward < 0 || Op.stage(op) == order.stages() - 1) {
                return forward;
            }
            double after = from(backwardEnd, op, 1, rank);
            return after < 0 ? NOT_YET : Math.max(forward, after);
        }

        private double from(double[] ends, int op, int stageOffset, int rank) {
            double value = ends[slot(op, stageOffset)];
            return value < 0
                    ? NOT_YET
                    : value + (forwardRank[stageSlot(op) + stageOffset] == rank ? 0 : times.transfer());
        }
    }
}
