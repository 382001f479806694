package dev.stagesim.feature.cluster.autoscaler;

import dev.stagesim.model.Key;
import dev.stagesim.model.KeyRecord;
import dev.stagesim.model.Variant;

/**
 * KEDA: activates and deactivates the pool by activity, and scales an active pool with {@link Hpa} on the sum of the
 * metric.
 */
public final class Keda implements Scaler {
    @Variant("keda | KEDA: one instance when there is activity, none after the cooldown; in between ceil(sum"
            + " of the metric / threshold) with the default windows and rate limits of hpa.")
    public record Settings(
            @Key("Metric of an instance. | requests") ScalerSettings.Metric metric,
            @Key("Target value of the metric per instance. | 32 | 0.000001..1000000") double threshold,
            @Key("Sum of the metric above which the pool is active. | 0 | 0..1000000") double activation,
            @Key("Interval between activity checks. | 30 | s | 0.1..86400") double pollingS,
            @Key("Time without activity until the last instance is removed, if scaling.min is 0. | 300 | s |"
                            + " 0..86400")
                    double cooldownS)
            implements ScalerSettings {
        @Override
        public double target() {
            return threshold;
        }

        @Override
        public double intervalS() {
            return pollingS;
        }

        @Override
        public boolean scalesFromZero() {
            return true;
        }

        @Override
        public Scaler make() {
            return new Keda(this);
        }
    }

    private static final Hpa.Settings HPA = KeyRecord.defaults(Hpa.Settings.class);

    private final Settings settings;
    private final Hpa above = new Hpa(HPA);
    private double look = HPA.intervalS();
    private double poll;
    private double active;

    private Keda(Settings settings) {
        this.settings = settings;
        poll = settings.pollingS();
    }

    @Override
    public double nextTime(double at, double interval) {
        return Math.min(look, poll);
    }

    @Override
    public int desired(Load load) {
        boolean isPoll = load.now() >= poll;
        boolean isLook = load.now() >= look;
        boolean isActive = load.total() > settings.activation();
        poll += isPoll ? settings.pollingS() : 0;
        look += isLook ? HPA.intervalS() : 0;
        active = isPoll && isActive ? load.now() : active;
        if (load.instances() == 0) {
            return isPoll && isActive ? 1 : 0;
        }
        if (isPoll && load.min() == 0 && load.now() - active >= settings.cooldownS()) {
            return 0;
        }
        return isLook ? between(load) : load.instances();
    }

    private int between(Load load) {
        double ratio = load.total() / settings.threshold() / load.instances();
        int wanted = Math.abs(ratio - 1) <= HPA.tolerance()
                ? load.instances()
                : (int) Math.ceil(load.total() / settings.threshold());
        return Math.max(1, above.stabilised(load, Math.max(1, wanted)));
    }
}
