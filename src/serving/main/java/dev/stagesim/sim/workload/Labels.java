package dev.stagesim.sim.workload;

import dev.stagesim.sim.core.RandomStream;

/**
 * Attributes of requests other than tokens.
 *
 * @param adapters number of the LoRA adapter of each request, 0 for the base model
 * @param priorities priority of each request; smaller is earlier
 */
public record Labels(int[] adapters, int[] priorities) {
    /** Draws the labels of the first request of each session; later requests inherit them. */
    public static Labels draw(
            SharedTokens tokens,
            int requests,
            int adapters,
            double theta,
            double baseShare,
            double[] weights,
            RandomStream random) {
        Labels labels = new Labels(new int[requests], new int[requests]);
        double[] popularity = adapters == 0 ? new double[0] : ZipfTable.sums(adapters, theta);
        double[] urgency = sums(weights);
        for (int i = 0; i < requests; i++) {
            int first = tokens.conversation(i);
            boolean isBase = random.nextDouble() < baseShare;
            double adapterDraw = random.nextDouble();
            double priorityDraw = random.nextDouble();
            if (first < i) {
                labels.adapters[i] = labels.adapters[first];
                labels.priorities[i] = labels.priorities[first];
                continue;
            }
            labels.adapters[i] = adapters == 0 || isBase ? 0 : 1 + ZipfTable.find(popularity, adapterDraw);
            labels.priorities[i] = urgency.length == 0 ? 0 : ZipfTable.find(urgency, priorityDraw);
        }
        return labels;
    }

    private static double[] sums(double[] weights) {
        double total = 0;
        for (double weight : weights) {
            total += weight;
        }
        double[] sums = new double[weights.length];
        double sum = 0;
        for (int i = 0; i < sums.length; i++) {
            sum += weights[i];
            sums[i] = sum / total;
        }
        return sums;
    }
}
