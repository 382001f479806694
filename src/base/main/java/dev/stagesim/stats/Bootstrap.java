package dev.stagesim.stats;

import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Percentile bootstrap intervals for the mean, the maximum and quantiles of two samples and of their difference in
 * percent.
 *
 * <p>Resample r draws from stream r of the seed, so results do not depend on the number of threads. A resample is
 * stored as counts over the sorted values; all statistics take one pass, O(n) per resample, without sorting.
 *
 * <p><b>Caveat:</b> intervals of quantiles far in the tail of a small sample are too narrow; see {@link
 * Quantiles#reliable}.
 */
public final class Bootstrap {
    /** A statistic: a quantile in [0, 1], or the mean. */
    public record Statistic(double quantile) {
        public static final Statistic MEAN = new Statistic(-1);

        boolean isMean() {
            return quantile < 0;
        }
    }

    /**
     * Intervals of one statistic.
     *
     * @param a interval of the first sample
     * @param b interval of the second sample
     * @param percent interval of 100 (b - a) / a; the ends are NaN if a is 0 in a resample
     */
    public record Intervals(Interval a, Interval b, Interval percent) {}

    private final int resamples;
    private final double level;
    private final long seed;

    /**
     * Creates a bootstrap.
     *
     * @param resamples number of resamples, at least 2
     * @param level confidence in (0, 1), for example 0.95
     * @param seed seed of the generator
     */
    public Bootstrap(int resamples, double level, long seed) {
        if (resamples < 2 || !(level > 0 && level < 1)) {
            throw new IllegalArgumentException(
                    resamples + " resamples at level " + level + ", expected at least 2 and a level in (0, 1)");
        }
        this.resamples = resamples;
        this.level = level;
        this.seed = seed;
    }

    /** Returns the intervals for paired samples. Values with equal index are resampled together. */
    public List<Intervals> paired(double[] a, double[] b, List<Statistic> statistics) {
        if (a.length != b.length) {
            throw new IllegalArgumentException("paired samples of " + a.length + " and " + b.length);
        }
        return run(new Sample(a), new Sample(b), true, statistics);
    }

    /** Returns the intervals for independent samples. */
    public List<Intervals> independent(double[] a, double[] b, List<Statistic> statistics) {
        return run(new Sample(a), new Sample(b), false, statistics);
    }

    private List<Intervals> run(Sample a, Sample b, boolean paired, List<Statistic> statistics) {
        double[][] ofA = new double[statistics.size()][resamples];
        double[][] ofB = new double[statistics.size()][resamples];
        int[] countsA = new int[a.size()];
        int[] countsB = paired ? countsA : new int[b.size()];
        for (int r = 0; r < resamples; r++) {
            SplitMix random = SplitMix.stream(seed, r);
            draw(random, countsA);
            if (!paired) {
                draw(random, countsB);
            }
            for (int s = 0; s < statistics.size(); s++) {
                ofA[s][r] = a.measure(countsA, statistics.get(s));
                ofB[s][r] = b.measure(countsB, statistics.get(s));
            }
        }
        return IntStream.range(0, statistics.size())
                .mapToObj(s -> intervals(ofA[s], ofB[s]))
                .toList();
    }

    private Intervals intervals(double[] a, double[] b) {
        double[] percent = new double[resamples];
        for (int r = 0; r < resamples; r++) {
            percent[r] = 100 * (b[r] - a[r]) / a[r];
        }
        return new Intervals(interval(a), interval(b), interval(percent));
    }

    private Interval interval(double[] statistics) {
        double[] sorted = Quantiles.sorted(statistics);
        double tail = (1 - level) / 2;
        return new Interval(Quantiles.ofSorted(sorted, tail), Quantiles.ofSorted(sorted, 1 - tail));
    }

    private static void draw(SplitMix random, int[] counts) {
        Arrays.fill(counts, 0);
        for (int i = 0; i < counts.length; i++) {
            counts[random.nextInt(counts.length)]++;
        }
    }

    /** Values in ascending order with their original positions. */
    private static final class Sample {
        private final double[] sorted;
        private final int[] place;

        Sample(double[] values) {
            boolean ascending = ascending(values);
            IntStream places = IntStream.range(0, values.length);
            this.place = ascending
                    ? places.toArray()
                    : places.boxed()
                            .sorted(Comparator.comparingDouble(i -> values[i]))
                            .mapToInt(Integer::intValue)
                            .toArray();
            this.sorted = ascending ? values : Quantiles.sorted(values);
        }

        private static boolean ascending(double[] values) {
            for (int i = 1; i < values.length; i++) {
                if (Double.compare(values[i - 1], values[i]) > 0) {
                    return false;
                }
            }
            return true;
        }

        int size() {
            return sorted.length;
        }

        double measure(int[] counts, Statistic statistic) {
            if (statistic.isMean()) {
                double sum = 0;
                for (int i = 0; i < sorted.length; i++) {
                    sum += counts[place[i]] * sorted[i];
                }
                return sum / sorted.length;
            }
            double position = Quantiles.position(sorted.length, statistic.quantile());
            int below = (int) position;
            double weight = position - below;
            return atRank(counts, below, weight);
        }

        private double atRank(int[] counts, int rank, double weight) {
            int seen = 0;
            for (int i = 0; i < sorted.length; i++) {
                seen += counts[place[i]];
                if (seen > rank) {
                    return weight == 0 || seen > rank + 1
                            ? sorted[i]
                            : sorted[i] + weight * (after(counts, i) - sorted[i]);
                }
            }
            throw new IllegalStateException("rank " + rank + " of " + seen);
        }

        private double after(int[] counts, int index) {
            int i = index + 1;
            while (counts[place[i]] == 0) {
                i++;
            }
            return sorted[i];
        }
    }
}
