package dev.stagesim.sim.workload;

import dev.stagesim.sim.core.RealMath;

/** Cumulative weights of Zipf's law over a finite range. */
final class ZipfTable {
    private ZipfTable() {}

    /** Running sums of {@code i^-theta} for i from 1 to {@code count}, scaled so that the last one is 1. */
    static double[] sums(int count, double theta) {
        RealMath math = new RealMath();
        double[] sums = new double[count];
        double sum = 0;
        for (int i = 0; i < count; i++) {
            sum += math.pow(i + 1.0, -theta);
            sums[i] = sum;
        }
        for (int i = 0; i < count; i++) {
            sums[i] /= sum;
        }
        return sums;
    }

    /** Index of the first sum greater than {@code u}, which is in [0, 1). */
    static int find(double[] sums, double u) {
        int low = 0;
        int high = sums.length - 1;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (sums[middle] > u) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        return low;
    }
}
