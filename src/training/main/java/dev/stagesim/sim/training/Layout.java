package dev.stagesim.sim.training;

/**
 * How many layers each stage of a pipeline holds, in the order of the stages; the first also embeds, the last has the head.
 *
 * @param counts layers of each stage
 */
public record Layout(int[] counts) {
    /** Stages of all ranks. */
    public int stages() {
        return counts.length;
    }

    public int layers(int stage) {
        return counts[stage];
    }

    int mixtures(Architecture model, int stage) {
        int first = 0;
        for (int i = 0; i < stage; i++) {
            first += counts[i];
        }
        return model.mixturesBefore(first + counts[stage]) - model.mixturesBefore(first);
    }

    /**
     * Layers spread so that the fullest stage is least full, where the embedding and the head weigh as much as so many layers; an even
     * layout where that is as good.
     */
    public static Layout balanced(int layers, int stages, double embedding, double head) {
        int[] counts = new int[stages];
        if (layers % stages == 0 && head < 1) {
            java.util.Arrays.fill(counts, layers / stages);
            return new Layout(counts);
        }
        double[] load = new double[stages];
        load[0] += embedding;
        load[stages - 1] += head;
        for (int i = 0; i < layers; i++) {
            int least = 0;
            for (int stage = 1; stage < stages; stage++) {
                least = load[stage] < load[least] ? stage : least;
            }
            counts[least]++;
            load[least]++;
        }
        return new Layout(counts);
    }

    /** Equal stages; what is left over goes to the first ones. */
    public static Layout even(int layers, int stages) {
        int[] counts = new int[stages];
        for (int i = 0; i < stages; i++) {
            counts[i] = layers / stages + (i < layers % stages ? 1 : 0);
        }
        return new Layout(counts);
    }
}
