package dev.stagesim.sim.serving.cluster;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeMap;
import java.util.function.IntToDoubleFunction;

/** Step times as Splitwise has them of measurements: medians by tokens of a batch, straight between them and beyond them. */
public final class SplitwiseTimes {
    private final TreeMap<Integer, List<Double>> samples = new TreeMap<>();

    /** A step with so many tokens took so long. */
    public void add(int tokens, double seconds) {
        samples.computeIfAbsent(tokens, unseen -> new ArrayList<>()).add(seconds);
    }

    /** Numbers of tokens that there are times for. */
    public int size() {
        return samples.size();
    }

    /** Seconds by tokens; of two numbers of tokens at least. */
    public IntToDoubleFunction seconds() {
        int[] tokens = samples.keySet().stream().mapToInt(Integer::intValue).toArray();
        double[] seconds =
                samples.values().stream().mapToDouble(SplitwiseTimes::median).toArray();
        return count -> {
            int found = Arrays.binarySearch(tokens, count);
            int above = Math.min(tokens.length - 1, Math.max(1, found < 0 ? -found - 1 : found));
            double slope = (seconds[above] - seconds[above - 1]) / (tokens[above] - tokens[above - 1]);
            return seconds[above - 1] + slope * (count - tokens[above - 1]);
        };
    }

    private static double median(List<Double> samples) {
        List<Double> sorted = samples.stream().sorted().toList();
        int size = sorted.size();
        return (sorted.get((size - 1) / 2) + sorted.get(size / 2)) / 2;
    }
}
