package dev.stagesim.feature.cluster.autoscaler;

import dev.stagesim.model.Key;
import dev.stagesim.model.Variant;

/** AIBrix's pod autoscaler: in proportion to the use of an instance, outside a tolerance and within rates. */
final class Apa implements Scaler {
    /** Its section. */
    @Variant(
            "apa | As AIBrix's: ceil(instances x use / target) where the use of an instance is outside the tolerance, at most"
                    + " max_up times and at least a max_down-th as many as there are.")
    public record Settings(
            @Key("What is looked at. | kv") ScalerSettings.Metric metric,
            @Key("Target value of it for an instance. | 0.5 | 0.000001..1000000") double target,
            @Key("Tolerated share above the target. | 0.1 | 0..1000") double upTolerance,
            @Key("Tolerated share below it. | 0.1 | 0..1") double downTolerance,
            @Key("Maximum factor of one step up. | 2 | >1..1000000") double maxUp,
            @Key("Maximum factor of one step down. | 2 | >1..1000000") double maxDown,
            @Key("Time between two looks. | 10 | s | 0.1..86400") double intervalS)
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
    public double nextTime(double at) {
        return at + settings.intervalS();
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
