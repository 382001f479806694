package dev.stagesim.feature.cluster.autoscaler;

import dev.stagesim.feature.cluster.instance.PoolPlan;
import dev.stagesim.feature.cluster.instance.PoolRole;
import dev.stagesim.feature.cluster.instance.Profile;
import dev.stagesim.feature.cluster.instance.ThroughputCounters;
import dev.stagesim.model.Key;
import dev.stagesim.model.OnlyIf;
import dev.stagesim.model.Variant;
import java.util.ArrayDeque;

/**
 * The planner of NVIDIA Dynamo for a level of service: instances for the requests that are expected, by what one of them does alone,
 * corrected by what was seen.
 */
public final class Sla implements Scaler {
    /** How the next interval is foreseen. */
    public enum Predictor {
        CONSTANT, // As the last one.
        LINEAR, // On the line through the last ones.
        KALMAN, // By a Kalman filter of a level and its trend.
        ARIMA // By autoregression and moving averages of differences, whose orders are chosen.
    }

    /** Its section. */
    @Variant(
            "sla | As NVIDIA Dynamo's planner, for prompts and outputs apart: instances for the requests and tokens that are"
                    + " foreseen, by the times of one alone, corrected by the times that were seen.")
    public record Settings(
            @Key("Time between two tokens that is aimed at. | 50 | ms | 0.001..1000000000") double gapMs,
            @Key("Time between two looks. | 180 | s | 0.1..86400") double intervalS,
            @Key("How the next interval is foreseen. | constant") Predictor predictor,
            @Key(
                            "Last intervals: the line goes through them, and lengths are foreseen no greater than their greatest. | 5 | 2..1000")
                    @OnlyIf("predictor != constant | the last interval alone counts | set predictor=linear")
                    int window,
            @Key("Variance that a step adds to the level. | 1 | 0..1000000000000")
                    @OnlyIf("predictor = kalman | nothing is filtered | set predictor=kalman")
                    double levelVariance,
            @Key("Variance that it adds to the trend. | 0.1 | 0..1000000000000")
                    @OnlyIf("predictor = kalman | nothing is filtered | set predictor=kalman")
                    double trendVariance,
            @Key("Variance of what is seen. | 10 | 0.000000001..1000000000000")
                    @OnlyIf("predictor = kalman | nothing is filtered | set predictor=kalman")
                    double noiseVariance)
            implements ScalerSettings {
        @Override
        public Scaler make() {
            throw new IllegalStateException("a planner needs to know its instances");
        }

        @Override
        public Scaler make(PoolPlan pool) {
            return new Sla(this, pool.role() == PoolRole.PREFILL, Profile.of(pool));
        }
    }

    /** A series of lengths or counts, and the greatest of the last that were seen. */
    private static final class BoundedForecast {
        private final Forecast forecast;
        private final ArrayDeque<Double> last = new ArrayDeque<>();
        private final int window;

        BoundedForecast(Settings settings) {
            window = settings.window();
            forecast = switch (settings.predictor()) {
                case CONSTANT -> Forecast.line(1);
                case LINEAR -> Forecast.line(window);
                case KALMAN ->
                    Forecast.kalman(settings.levelVariance(), settings.trendVariance(), settings.noiseVariance());
                case ARIMA -> new Arima();
            };
        }

        void add(double value) {
            forecast.add(value);
            last.addLast(value);
            if (last.size() > window) {
                last.removeFirst();
            }
        }

        /** The same for lengths, of which none is greater than all of the last that were seen. */
        double nextLength() {
            return Math.min(
                    next(), last.stream().mapToDouble(value -> value).max().orElse(0));
        }

        double next() {
            return forecast.next();
        }
    }

    private final Settings settings;
    private final boolean isForPrompts;
    private final Profile profile;
    private final BoundedForecast requests;
    private final BoundedForecast prompts;
    private final BoundedForecast outputs;
    private ThroughputCounters.Sums before = ThroughputCounters.Sums.NONE;
    private ThroughputCounters.Sums seen = ThroughputCounters.Sums.NONE;

    Sla(Settings settings, boolean isForPrompts, Profile profile) {
        this.settings = settings;
        this.isForPrompts = isForPrompts;
        this.profile = profile;
        requests = new BoundedForecast(settings);
        prompts = new BoundedForecast(settings);
        outputs = new BoundedForecast(settings);
    }

    @Override
    public double nextTime(double at) {
        return at + settings.intervalS();
    }

    @Override
    public void observe(ThroughputCounters.Sums sums) {
        seen = sums.minus(before);
        before = sums;
    }

    @Override
    public int desired(Load load) {
        return desired(load, load.instances());
    }

    /** The same, with the number that holds after an interval that tells nothing of the load. */
    private int desired(Load load, int otherwise) {
        if (seen.arrived() == 0 || seen.completed() == 0) {
            return otherwise;
        }
        requests.add(seen.arrived());
        prompts.add((double) seen.promptTokens() / seen.arrived());
        outputs.add((double) seen.outputTokens() / seen.completed());
        return isForPrompts ? forPrompts() : forOutputs(Math.max(1, load.ready()));
    }

    /** Instances that there are to be at least; the minimum after silence, as many as before where nothing follows from what was seen. */
    int floor(Load load, int before) {
        return desired(load, seen.arrived() == 0 && seen.completed() == 0 ? load.least() : before);
    }

    private int forPrompts() {
        int tokens = (int) Math.max(1, Math.round(prompts.nextLength()));
        double correction = seen.firstSeconds() / seen.completed() / profile.promptSeconds(tokens);
        double rate = requests.next() * prompts.nextLength() / settings.intervalS() * Math.min(1, correction);
        return (int) Math.ceil(rate / profile.promptRate(tokens));
    }

    private int forOutputs(int ready) {
        int context = (int) Math.round(prompts.nextLength() + outputs.nextLength() / 2);
        int maxConcurrency = profile.maxConcurrency(context);
        double each = seen.seconds() / settings.intervalS() / ready;
        double expected = profile.gapSeconds((int) Math.max(1, Math.min(maxConcurrency, Math.round(each))), context);
        double observed = seen.gaps() == 0 ? expected : seen.gapSeconds() / seen.gaps();
        double target = settings.gapMs() / 1e3 / (observed / expected);
        // more requests at a time are more tokens a second, and longer between two of one request
        double best = 1 / profile.gapSeconds(1, context);
        for (int at = 2; at <= maxConcurrency; at++) {
            double gap = profile.gapSeconds(at, context);
            best = gap <= target ? Math.max(best, at / gap) : best;
        }
        return (int) Math.ceil(requests.next() * outputs.nextLength() / settings.intervalS() / best);
    }
}
