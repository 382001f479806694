package dev.stagesim.sweep.search;

import dev.stagesim.stats.StudentT;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.DoubleStream;

/** The metrics of one candidate and load over several seeds. */
record Sample(List<SortedMap<String, Double>> figures) {
    /** Whether the seeds so far meet a bound. */
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

    /**
     * Returns whether all seeds, and with confidence the means, meet all bounds; fails if a seed violates one. Otherwise the
     * means are not decided.
     */
    Decision decision(List<Limit> limits, double confidence) {
        boolean all = true;
        for (Limit limit : limits) {
            if (!figures.stream().allMatch(seedFigures -> limit.holds(value(seedFigures, limit.figure())))) {
                return Decision.FAILS;
            }
            all &= limit.holds(confident(limit, confidence));
        }
        return all ? Decision.HOLDS : Decision.UNDECIDED;
    }

    /** Returns the end of the interval of the mean that is closer to the bound. */
    private double confident(Limit limit, double confidence) {
        double half = halfWidth(limit.figure(), confidence);
        return mean(limit.figure()) + (limit.upper() ? half : -half);
    }

    /** Returns the value of the worst seed; NaN if a seed has none. */
    private double worst(Limit limit) {
        DoubleStream values = figures.stream().mapToDouble(seedFigures -> value(seedFigures, limit.figure()));
        return (limit.upper() ? values.max() : values.min()).orElse(Double.NaN);
    }

    /**
     * Returns the bound with the largest violation, or the smallest distance, with the value of the worst seed, or the
     * uncertainty of the mean: {@code ttft_p99_ms is 612 in the worst of 3 seeds, bound <=500}.
     */
    String worst(List<Limit> limits, double confidence) {
        String words = "";
        double maxMiss = Double.NEGATIVE_INFINITY;
        for (Limit limit : limits) {
            double worst = worst(limit);
            boolean isViolated = !limit.holds(worst);
            double miss = limit.relativeViolation(isViolated ? worst : confident(limit, confidence));
            if (Double.isNaN(miss)) {
                miss = Double.POSITIVE_INFINITY;
            }
            if (miss > maxMiss || words.isEmpty()) {
                maxMiss = miss;
                words = limit.figure()
                        + (isViolated
                                ? " is " + NumberText.number(worst)
                                        + (seeds() > 1 ? " in the worst of " + seeds() + " seeds" : "")
                                : " may violate its bound, " + NumberText.number(mean(limit.figure())) + " ± "
                                        + NumberText.number(halfWidth(limit.figure(), confidence)))
                        + ", bound " + (limit.upper() ? "<=" : ">=") + NumberText.number(limit.value());
            }
        }
        return words;
    }
}
