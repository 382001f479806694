package dev.stagesim.feature.cluster.autoscaler;

import dev.stagesim.model.Key;
import dev.stagesim.model.Variant;
import java.util.ArrayDeque;

/** Knative's autoscaler: means over a stable and a panic window. */
final class Kpa implements Scaler {
    /** Its section. */
    @Variant(
            "kpa | As Knative's autoscaler: ceil(mean of the sum over a window / target); in panic by the mean over a short"
                    + " window, and never fewer.")
    public record Settings(
            @Key("What is looked at. | requests") ScalerSettings.Metric metric,
            @Key("Target value of it for an instance. | 32 | 0.000001..1000000") double target,
            @Key("Time between two looks. | 2 | s | 0.1..3600") double intervalS,
            @Key("The stable window. | 60 | s | 1..86400") double stableS,
            @Key("The panic window, as a share of the stable one. | 10 | % | 0.000001..100") double panicPercent,
            @Key("Panic begins when the short mean asks for this many times the ready instances. | 2 | 1..1000")
                    double panicThreshold,
            @Key("Maximum factor of one step up. | 1000 | >1..1000000") double maxUp,
            @Key("Maximum factor of one step down. | 2 | >1..1000000") double maxDown,
            @Key("Time at nothing until the last instance goes, after the stable window. | 30 | s | 0..86400")
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
    private double panicked = Double.NEGATIVE_INFINITY;
    private int most;
    private double idleSince = Double.NaN;

    private Kpa(Settings settings) {
        this.settings = settings;
    }

    @Override
    public double nextTime(double at) {
        return at + settings.intervalS();
    }

    @Override
    public int desired(Load load) {
        samples.addLast(new Sample(load.now(), load.total()));
        while (samples.getFirst().at() <= load.now() - settings.stableS()) {
            samples.removeFirst();
        }
        int ready = Math.max(1, load.ready());
        double panicWindow = settings.stableS() * settings.panicPercent() / 100;
        double asked = Math.ceil(mean(load.now() - panicWindow) / settings.target());
        int stable = clamp(Math.ceil(mean(Double.NEGATIVE_INFINITY) / settings.target()), ready);
        int panic = clamp(asked, ready);
        if (asked / ready >= settings.panicThreshold()) {
            panicked = load.now();
        } else if (load.now() - panicked >= settings.stableS()) {
            panicked = Double.NEGATIVE_INFINITY;
            most = 0;
        }
        if (panicked > Double.NEGATIVE_INFINITY) {
            most = Math.max(most, Math.max(stable, panic));
            return most;
        }
        return stable > 0 ? busy(stable) : idle(load);
    }

    private int busy(int wanted) {
        idleSince = Double.NaN;
        return wanted;
    }

    /** The last instance stays for the time of grace. */
    private int idle(Load load) {
        if (Double.isNaN(idleSince)) {
            idleSince = load.now();
        }
        return load.now() - idleSince >= settings.graceS() ? 0 : Math.min(1, load.instances());
    }

    private int clamp(double wanted, int ready) {
        double least = Math.floor(ready / settings.maxDown());
        double greatest = Math.max(1, Math.ceil(settings.maxUp() * ready));
        return (int) Math.min(greatest, Math.max(least, wanted));
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
