package dev.stagesim.feature.cluster.autoscaler;

import dev.stagesim.model.Key;
import dev.stagesim.model.Variant;
import java.util.ArrayDeque;

/** Kubernetes' HorizontalPodAutoscaler with stabilisation windows and rate limits. */
public final class Hpa implements Scaler {
    @Variant("hpa | Kubernetes' HorizontalPodAutoscaler: ceil(instances x mean of the metric / target)."
            + " Starting instances count as 0 when scaling up and as the target when scaling down.")
    public record Settings(
            @Key("Metric of an instance. | requests") ScalerSettings.Metric metric,
            @Key("Target value of the metric per instance. | 32 | 0.000001..1000000") double target,
            @Key("Tolerance around the target, as a share of it. | 0.1 | 0..1") double tolerance,
            @Key("Interval between decisions. | 15 | s | 0.1..86400") double intervalS,
            @Key("Stabilisation window for scaling up: its lowest recommendation applies. | 0 | s | 0..86400")
                    double upWindowS,
            @Key("Stabilisation window for scaling down: its highest recommendation applies. | 300 | s |" + " 0..86400")
                    double downWindowS,
            @Key("Maximum instances added per period, unless up_percent allows more. | 4 | 0..10000") int upPods,
            @Key("Maximum instances added per period, relative to those at its start. | 100 | %" + " | 0..100000")
                    double upPercent,
            @Key("Maximum instances removed per period, relative to those at its start. | 100 |" + " % | 0.000001..100")
                    double downPercent,
            @Key("Period of the rate limits. | 15 | s | 0.1..86400") double periodS)
            implements ScalerSettings {
        @Override
        public Scaler make() {
            return new Hpa(this);
        }
    }

    /** Number of instances at a time. */
    private record Count(double at, int count) {}

    private final Settings settings;
    private final ArrayDeque<Count> recommended = new ArrayDeque<>();

    /** Changes of the number of instances, for the rate limits. */
    private final ArrayDeque<Count> changes = new ArrayDeque<>();

    Hpa(Settings settings) {
        this.settings = settings;
    }

    @Override
    public int desired(Load load) {
        return load.instances() == 0 ? 0 : stabilised(load, ratio(load, settings.target(), settings.tolerance()));
    }

    /** Returns the recommendation without windows and rate limits. */
    private static int ratio(Load load, double target, double tolerance) {
        int all = load.instances();
        if (load.ready() == 0) {
            return all;
        }
        double ratio = load.total() / load.ready() / target;
        if (Math.abs(ratio - 1) <= tolerance) {
            return all;
        }
        if (load.starting() == 0) {
            return (int) Math.ceil(ratio * all);
        }
        double others = ratio < 1 ? load.starting() * target : 0;
        double ratioOfAll = (load.total() + others) / all / target;
        boolean reversesDirection = (ratio < 1) != (ratioOfAll < 1);
        return reversesDirection || Math.abs(ratioOfAll - 1) <= tolerance ? all : (int) Math.ceil(ratioOfAll * all);
    }

    /** Applies the stabilisation windows and the rate limits to a recommendation. */
    int stabilised(Load load, int recommendation) {
        int now = load.instances();
        if (recommended.isEmpty()) {
            recommended.addLast(new Count(load.now(), now)); // initial number, so that a window applies from the start
        }
        recommended.addLast(new Count(load.now(), recommendation));
        double longest = Math.max(settings.upWindowS(), settings.downWindowS());
        while (recommended.getFirst().at() < load.now() - longest) {
            recommended.removeFirst();
        }
        int up = recommendation;
        int down = recommendation;
        for (Count entry : recommended) {
            up = entry.at() > load.now() - settings.upWindowS() ? Math.min(up, entry.count()) : up;
            down = entry.at() > load.now() - settings.downWindowS() ? Math.max(down, entry.count()) : down;
        }
        int stable = Math.min(Math.max(now, up), down);
        int desired = load.clamped(rateLimited(load.now(), now, stable));
        if (desired != now) {
            changes.addLast(new Count(load.now(), desired - now));
        }
        return desired;
    }

    private int rateLimited(double at, int now, int desired) {
        int added = 0;
        int removed = 0;
        while (!changes.isEmpty() && changes.getFirst().at() <= at - settings.periodS()) {
            changes.removeFirst();
        }
        for (Count change : changes) {
            added += Math.max(0, change.count());
            removed -= Math.min(0, change.count());
        }
        int start = now - added + removed;
        if (desired > now) {
            int share = (int) Math.ceil(start * (1 + settings.upPercent() / 100));
            return Math.max(now, Math.min(desired, Math.max(start + settings.upPods(), share)));
        }
        int lower = (int) Math.floor(start * (1 - settings.downPercent() / 100));
        return Math.min(now, Math.max(desired, lower));
    }
}
