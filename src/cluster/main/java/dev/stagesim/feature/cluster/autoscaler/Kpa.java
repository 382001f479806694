package dev.stagesim.feature.cluster.autoscaler;

import dev.stagesim.model.Key;
import dev.stagesim.model.Variant;
import java.util.ArrayDeque;

/** Knative's autoscaler with a stable and a panic window. */
final class Kpa implements Scaler {
    @Variant("kpa | Knative's autoscaler: ceil(windowed mean of the total / target). In panic mode it uses a"
            + " short window and never scales down.")
    record Settings(
            @Key("Metric of an instance. | requests") ScalerSettings.Metric metric,
            @Key("Target value of the metric per instance. | 32 | 0.000001..1000000") double target,
            @Key("Interval between decisions. | 2 | s | 0.1..3600") double intervalS,
            @Key("Stable window. | 60 | s | 1..86400") double stableS,
            @Key("Panic window, relative to the stable window. | 10 | % | 0.000001..100") double panicPercent,
            @Key("Panic mode starts when the panic window requires this multiple of the ready instances. | 2 |"
                            + " 1..1000")
                    double panicThreshold,
            @Key("Maximum growth factor per step. | 1000 | >1..1000000") double maxUp,
            @Key("Maximum shrink factor per step. | 2 | >1..1000000") double maxDown,
            @Key("Time at zero load, after the stable window, until the last instance is removed. | 30 | s |"
                            + " 0..86400")
                    double graceS)
            implements ScalerSettings {
        @Override
        public boolean scalesFromZero() {
            return true;
        }

        @Override
        public Scaler make() {
            return new Kpa(this);
        }
    }

    private record Sample(double at, double total) {}

    private final Settings settings;
    private final ArrayDeque<Sample> samples = new ArrayDeque<>();
    private double panicSince = Double.NEGATIVE_INFINITY;
    private int panicPeak;
    private double idleSince = Double.NaN;

    private Kpa(Settings settings) {
        this.settings = settings;
    }

    @Override
    public int desired(Load load) {
        samples.addLast(new Sample(load.now(), load.total()));
        while (samples.getFirst().at() <= load.now() - settings.stableS()) {
            samples.removeFirst();
        }
        int ready = Math.max(1, load.ready());
        double panicWindow = settings.stableS() * settings.panicPercent() / 100;
        double required = Math.ceil(mean(load.now() - panicWindow) / settings.target());
        int stable = clamp(Math.ceil(mean(Double.NEGATIVE_INFINITY) / settings.target()), ready);
        int panic = clamp(required, ready);
        if (required / ready >= settings.panicThreshold()) {
            panicSince = load.now();
        } else if (load.now() - panicSince >= settings.stableS()) {
            panicSince = Double.NEGATIVE_INFINITY;
            panicPeak = 0;
        }
        if (panicSince > Double.NEGATIVE_INFINITY) {
            panicPeak = Math.max(panicPeak, Math.max(stable, panic));
            return panicPeak;
        }
        return stable > 0 ? busy(stable) : idle(load);
    }

    private int busy(int wanted) {
        idleSince = Double.NaN;
        return wanted;
    }

    /** Keeps the last instance during the grace period. */
    private int idle(Load load) {
        if (Double.isNaN(idleSince)) {
            idleSince = load.now();
        }
        return load.now() - idleSince >= settings.graceS() ? 0 : Math.min(1, load.instances());
    }

    private int clamp(double wanted, int ready) {
        double lower = Math.floor(ready / settings.maxDown());
        double upper = Math.max(1, Math.ceil(settings.maxUp() * ready));
        return (int) Math.min(upper, Math.max(lower, wanted));
    }

    private double mean(double after) {
        double sum = 0;
        int count = 0;
        for (Sample sample : samples) {
            if (sample.at() > after) {
                sum += sample.total();
                count++;
            }
        }
        return sum / count;
    }
}
