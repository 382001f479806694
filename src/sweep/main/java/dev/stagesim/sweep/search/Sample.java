package dev.stagesim.sweep.search;

import dev.stagesim.stats.StudentT;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/** The metrics of one candidate and load over several seeds. */
record Sample(List<SortedMap<String, Double>> figures) {
    /** Whether the mean meets a bound, given the seeds so far. */
    enum Decision {
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

    /** Returns the means over the seeds of the metrics that all seeds have. */
    SortedMap<String, Double> means() {
        SortedMap<String, Double> means = new TreeMap<>();
        figures.get(0).keySet().forEach(name -> {
            if (figures.stream().allMatch(seedFigures -> seedFigures.containsKey(name))) {
                means.put(name, mean(name));
            }
        });
        return means;
    }

    double mean(String figure) {
        double sum = 0;
        for (SortedMap<String, Double> seedFigures : figures) {
            sum += value(seedFigures, figure);
        }
        return sum / figures.size();
    }

    /** A missing metric, such as a latency without completed requests, meets no bound. */
    private static double value(SortedMap<String, Double> figures, String name) {
        return figures.getOrDefault(name, Double.NaN);
    }

    /** Returns half the width of a two-sided interval. Each side alone has the given confidence. */
    double halfWidth(String figure, double confidence) {
        int n = figures.size();
        if (n < 2) {
            return 0;
        }
        double mean = mean(figure);
        double squares = 0;
        for (SortedMap<String, Double> seedFigures : figures) {
            double off = value(seedFigures, figure) - mean;
            squares += off * off;
        }
        return StudentT.quantile(confidence, n - 1) * Math.sqrt(squares / (n - 1) / n);
    }

    /** Returns whether all bounds are met with confidence, one is violated with confidence, or neither is decided. */
    Decision decision(List<Limit> limits, double confidence) {
        boolean all = true;
        for (Limit limit : limits) {
            double mean = mean(limit.figure());
            double half = halfWidth(limit.figure(), confidence);
            if (Double.isNaN(mean) || !limit.holds(limit.upper() ? mean - half : mean + half)) {
                return Decision.FAILS;
            }
            all &= limit.holds(limit.upper() ? mean + half : mean - half);
        }
        return all ? Decision.HOLDS : Decision.UNDECIDED;
    }

    /**
     * Returns the bound with the largest violation, or the smallest distance, with the value and its uncertainty:
     * {@code ttft_p99_ms is 612 ± 31, bound <=500}.
     */
    String worst(List<Limit> limits, double confidence) {
        String words = "";
        double maxMiss = Double.NEGATIVE_INFINITY;
        for (Limit limit : limits) {
            double mean = mean(limit.figure());
            double half = halfWidth(limit.figure(), confidence);
            double miss = Double.isNaN(mean)
                    ? Double.POSITIVE_INFINITY
                    : limit.relativeViolation(limit.upper() ? mean + half : mean - half);
            if (miss > maxMiss || words.isEmpty()) {
                maxMiss = miss;
                words = limit.figure()
                        + (limit.relativeViolation(mean) > 0 ? " is " : " may violate its bound, ")
                        + NumberText.number(mean) + (half > 0 ? " ± " + NumberText.number(half) : "") + ", bound "
                        + (limit.upper() ? "<=" : ">=") + NumberText.number(limit.value());
            }
        }
        return words;
    }
}
