package dev.stagesim.feature.cluster.autoscaler;

import dev.stagesim.model.Key;
import dev.stagesim.model.Variant;
import java.util.ArrayDeque;

/** Kubernetes' HorizontalPodAutoscaler with its windows and rates, on a metric of each instance. */
public final class Hpa implements Scaler {
    /** Its section. */
    @Variant(
            "hpa | ceil(instances x mean of the metric / target), as Kubernetes' HorizontalPodAutoscaler: instances that start"
                    + " count as 0 on the way up and as the target on the way down.")
    public record Settings(
            @Key("What is looked at. | requests") ScalerSettings.Metric metric,
            @Key("Target value of it for an instance. | 32 | 0.000001..1000000") double target,
            @Key("Tolerated difference from the target. | 0.1 | 0..1") double tolerance,
            @Key("Time between two looks. | 15 | s | 0.1..86400") double intervalS,
            @Key("Window whose lowest recommendation counts on the way up. | 0 | s | 0..86400") double upWindowS,
            @Key("Window whose highest recommendation counts on the way down. | 300 | s | 0..86400") double downWindowS,
            @Key("Maximum number of instances added within a period, if the percentage is not more. | 4 | 0..10000")
                    int upPods,
            @Key(
                            "Maximum share of the instances at the start of a period that are added within it. | 100 | % | 0..100000")
                    double upPercent,
            @Key(
                            "Maximum share of the instances at the start of a period that are removed within it. | 100 | % | 0.000001..100")
                    double downPercent,
            @Key("Period of the two rates. | 15 | s | 0.1..86400") double periodS)
            implements ScalerSettings {
        @Override
        public Scaler make() {
            return new Hpa(this);
        }
    }

    /** A count of instances at a time. */
    private record Count(double at, int count) {}

    private final Settings settings;
    private final ArrayDeque<Count> recommended = new ArrayDeque<>();

    /** What was added or removed, for the rates. */
    private final ArrayDeque<Count> changes = new ArrayDeque<>();

    Hpa(Settings settings) {
        this.settings = settings;
    }

    @Override
    public double nextTime(double at) {
        return at + settings.intervalS();
    }

    @Override
    public int desired(Load load) {
        return load.instances() == 0 ? 0 : limited(load, ratio(load, settings.target(), settings.tolerance()));
    }

    /** The recommendation from means over instances. */
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
        double whole = (load.total() + others) / all / target;
        boolean turns = (ratio < 1) != (whole < 1);
        return turns || Math.abs(whole - 1) <= tolerance ? all : (int) Math.ceil(whole * all);
    }

    /** A recommendation within the windows and the rates. */
    int limited(Load load, int recommendation) {
        int now = load.instances();
        if (recommended.isEmpty()) {
            recommended.addLast(new Count(load.now(), now)); // so that a window holds from the start
        }
        recommended.addLast(new Count(load.now(), recommendation));
        double longest = Math.max(settings.upWindowS(), settings.downWindowS());
        while (recommended.getFirst().at() < load.now() - longest) {
            recommended.removeFirst();
        }
        int up = recommendation;
        int down = recommendation;
        for (Count one : recommended) {
            up = one.at() > load.now() - settings.upWindowS() ? Math.min(up, one.count()) : up;
            down = one.at() > load.now() - settings.downWindowS() ? Math.max(down, one.count()) : down;
        }
        int stable = Math.min(Math.max(now, up), down);
        int wanted = load.limited(rated(load.now(), now, stable));
        if (wanted != now) {
            changes.addLast(new Count(load.now(), wanted - now));
        }
        return wanted;
    }

    private int rated(double at, int now, int wanted) {
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
        if (wanted > now) {
            int share = (int) Math.ceil(start * (1 + settings.upPercent() / 100));
            return Math.max(now, Math.min(wanted, Math.max(start + settings.upPods(), share)));
        }
        int least = (int) Math.floor(start * (1 - settings.downPercent() / 100));
        return Math.min(now, Math.max(wanted, least));
    }
}
