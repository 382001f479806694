package dev.stagesim.sim.training;

import java.util.Arrays;

/**
 * Assignment of layers to pipeline stages. The first stage also has the embedding, the last stage the output head.
 *
 * @param counts number of layers of each stage
 */
public record Layout(int[] counts) {
    /** Returns the number of stages of all ranks. */
    public int stages() {
        return counts.length;
    }

    public int layers(int stage) {
        return counts[stage];
    }

    /** Returns the number of mixture-of-experts layers of a stage. */
    int mixtures(Architecture model, int stage) {
        int first = 0;
        for (int i = 0; i < stage; i++) {
            first += counts[i];
        }
        return model.mixturesBefore(first + counts[stage]) - model.mixturesBefore(first);
    }

    /**
     * Returns a layout that minimises the maximum load of a stage, or an even layout if it is equally good.
     *
     * @param embedding cost of the embedding in layers
     * @param head cost of the output head in layers
     */
    public static Layout balanced(int layers, int stages, double embedding, double head) {
        int[] counts = new int[stages];
        if (layers % stages == 0 && head < 1) {
            Arrays.fill(counts, layers / stages);
            return new Layout(counts);
        }
        double[] load = new double[stages];
        load[0] += embedding;
        load[stages - 1] += head;
        for (int i = 0; i < layers; i++) {
            int leastLoaded = 0;
            for (int stage = 1; stage < stages; stage++) {
                leastLoaded = load[stage] < load[leastLoaded] ? stage : leastLoaded;
            }
            counts[leastLoaded]++;
            load[leastLoaded]++;
        }
        return new Layout(counts);
    }

    /** Returns equal stages; the first stages get the remaining layers. */
    public static Layout even(int layers, int stages) {
        int[] counts = new int[stages];
        for (int i = 0; i < stages; i++) {
            counts[i] = layers / stages + (i < layers % stages ? 1 : 0);
        }
        return new Layout(counts);
    }
}
