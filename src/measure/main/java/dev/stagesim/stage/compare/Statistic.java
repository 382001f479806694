package dev.stagesim.stage.compare;

import dev.stagesim.stats.Bootstrap;
import java.util.List;

/** A row of a percentile table. */
record Statistic(String name, double quantile) {
    /** Mean, percentiles and maximum, in table order. The mean has no quantile. */
    static final List<Statistic> ALL = List.of(
            new Statistic("mean", -1),
            new Statistic("p50", 0.5),
            new Statistic("p75", 0.75),
            new Statistic("p90", 0.9),
            new Statistic("p95", 0.95),
            new Statistic("p99", 0.99),
            new Statistic("p99.9", 0.999),
            new Statistic("max", 1));

    /** Returns the statistic of a published aggregate: {@code mean}, {@code max} or {@code p<percent>}. */
    static Statistic of(String name) {
        return switch (name) {
            case "mean" -> ALL.get(0);
            case "max" -> new Statistic("max", 1);
            default -> new Statistic(name, Double.parseDouble(name.substring(1)) / 100);
        };
    }

    boolean isMean() {
        return quantile < 0;
    }

    Bootstrap.Statistic forBootstrap() {
        return isMean() ? Bootstrap.Statistic.MEAN : new Bootstrap.Statistic(quantile);
    }

    /** Returns the display name: {@code mean}, {@code P50}, {@code max}. */
    String title() {
        return name.startsWith("p") ? "P" + name.substring(1) : name;
    }
}
