package dev.stagesim.sim.network.packet;

import java.util.Arrays;

/** One kind of figure of every flow, by slot; grows as slots do. */
final class FlowFigures {
    private FlowFigures() {}

    static long[] atLeast(long[] figures, int slot) {
        return slot < figures.length ? figures : Arrays.copyOf(figures, Math.max(64, 2 * slot));
    }

    static double[] atLeast(double[] figures, int slot) {
        return slot < figures.length ? figures : Arrays.copyOf(figures, Math.max(64, 2 * slot));
    }

    static int[] atLeast(int[] figures, int slot) {
        return slot < figures.length ? figures : Arrays.copyOf(figures, Math.max(64, 2 * slot));
    }

    static boolean[] atLeast(boolean[] figures, int slot) {
        return slot < figures.length ? figures : Arrays.copyOf(figures, Math.max(64, 2 * slot));
    }
}
