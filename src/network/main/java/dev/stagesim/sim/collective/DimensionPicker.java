package dev.stagesim.sim.collective;

import dev.stagesim.sim.collective.procedure.CollectiveKind;
import dev.stagesim.sim.collective.procedure.Phase;
import dev.stagesim.sim.collective.spec.DimensionOrder;

/**
 * Chooses the order of dimensions for the next chunk of an NPU. Equal sequences of collectives lead to equal choices.
 */
final class DimensionPicker {
    private final DimensionOrder order;
    private final double[] load;
    private int turn;

    DimensionPicker(DimensionOrder order, int dimensions) {
        this.order = order;
        this.load = new double[dimensions];
    }

    /** The phases of the next chunk. */
    Phase[] next(PhaseOrders orders) {
        int[] parts = orders.parts();
        boolean isFixed = parts.length < 2 || orders.kind() == CollectiveKind.ALL_TO_ALL;
        return switch (order.kind()) {
            case ASCENDING -> orders.ascending();
            case ROUND_ROBIN -> isFixed ? orders.ascending() : orders.in(rotated(parts));
            case THEMIS -> count(isFixed ? orders.ascending() : orders.in(byLoad(parts)));
        };
    }

    private int[] rotated(int[] parts) {
        int[] rotated = new int[parts.length];
        for (int i = 0; i < parts.length; i++) {
            rotated[i] = parts[(turn + i) % parts.length];
        }
        turn = (turn + 1) % parts.length;
        return rotated;
    }

    /** Sorts dimensions by load. Equal loads are in ascending order of the dimension. */
    private int[] byLoad(int[] parts) {
        int[] sorted = parts.clone();
        for (int i = 1; i < sorted.length; i++) {
            int dimension = sorted[i];
            int hole = i;
            while (hole > 0 && load[sorted[hole - 1]] > load[dimension]) {
                sorted[hole] = sorted[hole - 1];
                hole--;
            }
            sorted[hole] = dimension;
        }
        return sorted;
    }

    private Phase[] count(Phase[] phases) {
        for (Phase phase : phases) {
            if (!phase.ring().isGroup()) {
                load[phase.dimension()] += bytes(phase) / order.bytesPerNs().get(phase.dimension());
            }
        }
        return phases;
    }

    /** Minimum bytes that an NPU sends in a phase. */
    private static double bytes(Phase phase) {
        int n = phase.ring().size();
        double share = (double) phase.size() / n * (n - 1);
        return switch (phase.kind()) {
            case ALL_REDUCE -> 2 * share;
            case ALL_GATHER -> (double) phase.size() * (n - 1);
            case REDUCE_SCATTER, ALL_TO_ALL -> share;
        };
    }
}
