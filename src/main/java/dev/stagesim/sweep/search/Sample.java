package dev.stagesim.sweep.search;

import dev.stagesim.stats.StudentT;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/** The figures of one question over several seeds. */
record Sample(List<SortedMap<String, Double>> figures) {
    /** Whether a bound holds for the mean, as far as the seeds tell. */
    enum Verdict {
        HOLDS,
        FAILS,
        UNDECIDED
    }

    Sample {
        figures = List.copyOf(figures);
    }

    int seeds() {
        return figures.size();
    }

    /** Means over the seeds, of the figures that all seeds have. */
    SortedMap<String, Double> means() {
        SortedMap<String, Double> means = new TreeMap<>();
        figures.get(0).keySet().forEach(name -> {
            if (figures.stream().allMatch(one -> one.containsKey(name))) {
                means.put(name, mean(name));
            }
        });
        return means;
    }

    double mean(String figure) {
        double sum = 0;
        for (SortedMap<String, Double> one : figures) {
            sum += value(one, figure);
        }
        return sum / figures.size();
    }

    /** A figure that does not exist, such as a latency when nothing was completed, meets no bound. */
    private static double value(SortedMap<String, Double> figures, String name) {
        return figures.getOrDefault(name, Double.NaN);
    }

    /** Half the width of the two-sided interval whose one side has the confidence. */
    double halfWidth(String figure, double confidence) {
        int n = figures.size();
        if (n < 2) {
            return 0;
        }
        double mean = mean(figure);
        double squares = 0;
        for (SortedMap<String, Double> one : figures) {
            double off = value(one, figure) - mean;
            squares += off * off;
        }
        return StudentT.quantile(confidence, n - 1) * Math.sqrt(squares / (n - 1) / n);
    }

    /** Whether all bounds hold with confidence, one fails with confidence, or neither can be said. */
    Verdict verdict(List<Limit> limits, double confidence) {
        boolean all = true;
        for (Limit limit : limits) {
            double mean = mean(limit.figure());
            double half = halfWidth(limit.figure(), confidence);
            if (Double.isNaN(mean) || !limit.holds(limit.upper() ? mean - half : mean + half)) {
                return Verdict.FAILS;
            }
            all &= limit.holds(limit.upper() ? mean + half : mean - half);
        }
        return all ? Verdict.HOLDS : Verdict.UNDECIDED;
    }

    /**
     * The bound that is missed by most, or is nearest to be, with the value and how sure it is: {@code ttft_p99_ms is 612 ±
     * 31, bound <=500}.
     */
    String worst(List<Limit> limits, double confidence) {
        String words = "";
        double most = Double.NEGATIVE_INFINITY;
        for (Limit limit : limits) {
            double mean = mean(limit.figure());
            double half = halfWidth(limit.figure(), confidence);
            double miss = Double.isNaN(mean)
                    ? Double.POSITIVE_INFINITY
                    : limit.miss(limit.upper() ? mean + half : mean - half);
            if (miss > most || words.isEmpty()) {
                most = miss;
                words = limit.figure() + (limit.miss(mean) > 0 ? " is " : " is not surely within its bound, ")
                        + Words.number(mean) + (half > 0 ? " ± " + Words.number(half) : "") + ", bound "
                        + (limit.upper() ? "<=" : ">=") + Words.number(limit.value());
            }
        }
        return words;
    }
}
