package dev.stagesim.stage.compare;

import java.util.Arrays;

/**
 * Number of requests in flight over time: {@code level[i]} from {@code time[i]} on, in ns.
 *
 * @param time times at which the level changes, ascending, from 0
 * @param level number of requests that have arrived and are incomplete
 */
record Load(double[] time, double[] level) {
    /** Counts the requests in flight from arrivals and completions. */
    static Load of(double[] arrivals, double[] completions) {
        double[] up = arrivals.clone();
        double[] down = completions.clone();
        Arrays.sort(up);
        Arrays.sort(down);
        double[] time = new double[up.length + down.length + 1];
        double[] level = new double[time.length];
        int u = 0;
        int d = 0;
        for (int i = 1; i < time.length; i++) {
            // a request that ends when another starts does not overlap with it
            boolean ends = u == up.length || down[d] <= up[u];
            time[i] = ends ? down[d++] : up[u++];
            level[i] = u - d;
        }
        return new Load(time, level);
    }

    int maxInFlight() {
        return (int) Arrays.stream(level).max().orElse(0);
    }
}
