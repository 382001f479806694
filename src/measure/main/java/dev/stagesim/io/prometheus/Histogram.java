package dev.stagesim.io.prometheus;

import dev.stagesim.io.prometheus.MetricsText.Sample;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;

/**
 * A histogram with checked counts.
 *
 * @param bounds upper bounds of the buckets, ascending; the last is infinite
 * @param cumulative values up to each bound
 * @param where place of its first bucket
 */
public record Histogram(List<Double> bounds, List<Double> cumulative, double count, double sum, String where) {
    /** Sums and bounds are rounded. */
    private static final double TOLERANCE = 1e-6;

    public Histogram {
        bounds = List.copyOf(bounds);
        cumulative = List.copyOf(cumulative);
    }

    static Histogram of(List<Sample> buckets, Sample count, Sample sum) {
        List<Sample> sorted = new ArrayList<>(buckets);
        sorted.sort(Comparator.comparingDouble(Histogram::bound));
        double before = 0;
        double min = 0;
        double max = 0;
        double low = 0;
        for (Sample bucket : sorted) {
            double in = bucket.value() - before;
            if (!(in >= 0) || Double.isInfinite(bucket.value())) {
                throw refused(
                        bucket,
                        "counts " + bucket.value() + " values, expected at least the " + before
                                + " of the bucket below");
            }
            min += in == 0 ? 0 : in * low;
            max += in == 0 ? 0 : in * bound(bucket);
            low = Math.max(0, bound(bucket));
            before = bucket.value();
        }
        if (bound(sorted.get(sorted.size() - 1)) != Double.POSITIVE_INFINITY || before != count.value()) {
            throw refused(count, "is " + count.value() + ", expected the " + before + " of the bucket +Inf");
        }
        boolean fits = sum.value() >= min * (1 - TOLERANCE) && sum.value() <= max * (1 + TOLERANCE);
        if (!fits || Double.isInfinite(sum.value())) {
            throw refused(sum, "is " + sum.value() + ", expected from " + min + " to " + max + " by its buckets");
        }
        return new Histogram(
                sorted.stream().map(Histogram::bound).toList(),
                sorted.stream().map(Sample::value).toList(),
                count.value(),
                sum.value(),
                sorted.get(0).where());
    }

    private static StageException refused(Sample sample, String what) {
        return StageException.input(Problem.artifact(sample.where(), what));
    }

    private static double bound(Sample bucket) {
        String text = Objects.requireNonNullElse(bucket.labels().get(MetricsText.BOUND), "");
        try {
            double bound = text.equals("+Inf") ? Double.POSITIVE_INFINITY : Double.parseDouble(text);
            if (!Double.isNaN(bound)) {
                return bound;
            }
        } catch (NumberFormatException e) {
            // refused below
        }
        throw refused(bucket, "has the upper bound le=\"" + text + "\", expected a number or +Inf");
    }

    Histogram plus(Histogram other) {
        if (!bounds.equals(other.bounds)) {
            throw StageException.input(Problem.artifact(
                    other.where, "has other buckets than the series at " + where + ", expected the same"));
        }
        double[] sums = new double[bounds.size()];
        Arrays.setAll(sums, i -> cumulative.get(i) + other.cumulative.get(i));
        return new Histogram(bounds, Arrays.stream(sums).boxed().toList(), count + other.count, sum + other.sum, where);
    }

    /** Mean of all values, which the sum gives exactly. */
    public double mean() {
        return sum / count;
    }

    /** Lower and upper bound of the bucket that contains a quantile. */
    public double[] bucketOf(double quantile) {
        int at = 0;
        while (at < bounds.size() - 1 && cumulative.get(at) < quantile * count) {
            at++;
        }
        return new double[] {at == 0 ? 0 : bounds.get(at - 1), bounds.get(at)};
    }
}
