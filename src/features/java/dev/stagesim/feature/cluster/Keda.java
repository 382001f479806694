package dev.stagesim.feature.cluster;

import dev.stagesim.model.Key;
import dev.stagesim.model.Variant;

/** KEDA: from none to one and back by activity, and between by Kubernetes' autoscaler on the sum of the metric. */
final class Keda implements Scaler {
    /** Its section. */
    @Variant(
            "keda | As KEDA: one instance from activity on, none after a time without; above one ceil(sum of the metric /"
                    + " threshold), with the windows and rates of hpa's defaults.")
    public record Settings(
            @Key("What is looked at. | requests") ScalerSettings.Metric metric,
            @Key("What an instance is to have of it. | 32 | >0..") double threshold,
            @Key("The sum above which there is activity. | 0 | 0..") double activation,
            @Key("Time between two looks at whether there is any. | 30 | s | 0.1..86400") double pollingS,
            @Key("Time without any until the last instance goes. | 300 | s | 0..86400") double cooldownS)
            implements ScalerSettings {
        @Override
        public double aim() {
            return threshold;
        }

        @Override
        public boolean wakes() {
            return true;
        }

        @Override
        public Scaler make() {
            return new Keda(this);
        }
    }

    private static final double TOLERANCE = 0.1;
    private static final Hpa.Settings HPA =
            new Hpa.Settings(ScalerSettings.Metric.REQUESTS, 32, TOLERANCE, 15, 0, 300, 4, 100, 100, 15);

    private final Settings settings;
    private final Hpa between = new Hpa(HPA);
    private double polled = Double.NEGATIVE_INFINITY;
    private double active;

    private Keda(Settings settings) {
        this.settings = settings;
    }

    @Override
    public double interval() {
        return Math.min(HPA.intervalS(), settings.pollingS());
    }

    @Override
    public int desired(Load load) {
        if (load.now() - polled >= settings.pollingS()) {
            polled = load.now();
            boolean isActive = load.total() > settings.activation();
            active = isActive ? load.now() : active;
            if (load.instances() == 0) {
                return isActive ? 1 : 0;
            }
            if (load.now() - active >= settings.cooldownS()) {
                return 0;
            }
        }
        if (load.instances() == 0) {
            return 0;
        }
        double ratio = load.total() / settings.threshold() / load.instances();
        int wanted = Math.abs(ratio - 1) <= TOLERANCE
                ? load.instances()
                : (int) Math.ceil(load.total() / settings.threshold());
        return Math.max(1, between.limited(load, Math.max(1, wanted)));
    }
}
