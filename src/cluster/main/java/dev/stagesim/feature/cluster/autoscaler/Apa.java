package dev.stagesim.feature.cluster.autoscaler;

import dev.stagesim.model.Key;
import dev.stagesim.model.Variant;

/** AIBrix's pod autoscaler. */
final class Apa implements Scaler {
    @Variant("apa | AIBrix's autoscaler: ceil(instances x metric per instance / target) if the metric is"
            + " outside the tolerance. One step changes the number of instances at most by the factor max_up"
            + " or 1 / max_down.")
    record Settings(
            @Key("Metric of an instance. | kv") ScalerSettings.Metric metric,
            @Key("Target value of the metric per instance. | 0.5 | 0.000001..1000000") double target,
            @Key("Tolerance above the target, as a share of it. | 0.1 | 0..1000") double upTolerance,
            @Key("Tolerance below the target, as a share of it. | 0.1 | 0..1") double downTolerance,
            @Key("Maximum growth factor per step. | 2 | >1..1000000") double maxUp,
            @Key("Maximum shrink factor per step. | 2 | >1..1000000") double maxDown,
            @Key("Interval between decisions. | 10 | s | 0.1..86400") double intervalS)
            implements ScalerSettings {
        @Override
        public Scaler make() {
            return new Apa(this);
        }
    }

    private final Settings settings;

    private Apa(Settings settings) {
        this.settings = settings;
    }

    @Override
    public int desired(Load load) {
        int all = load.instances();
        if (load.ready() == 0) {
            return all;
        }
        double ratio = load.total() / load.ready() / settings.target();
        int wanted = (int) Math.min(Integer.MAX_VALUE, Math.ceil(all * ratio));
        if (ratio > 1 + settings.upTolerance()) {
            return (int) Math.min(wanted, Math.ceil(settings.maxUp() * all));
        }
        return ratio < 1 - settings.downTolerance()
                ? Math.max(wanted, (int) Math.floor(all / settings.maxDown()))
                : all;
    }
}
