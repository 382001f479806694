package dev.stagesim.feature.cluster.autoscaler;

import dev.stagesim.feature.cluster.instance.InstancePerformance;
import dev.stagesim.feature.cluster.instance.PoolPlan;
import dev.stagesim.feature.cluster.instance.PoolRole;
import dev.stagesim.feature.cluster.instance.ThroughputCounters;
import dev.stagesim.model.FormerKeys;
import dev.stagesim.model.Key;
import dev.stagesim.model.OnlyIf;
import dev.stagesim.model.Variant;
import java.util.ArrayDeque;

/**
 * NVIDIA Dynamo's throughput-based planner: divides the predicted load by the capacity of one instance, corrected by
 * observed latencies.
 */
public final class Sla implements Scaler {
    /** Predictor of the next interval. */
    enum Predictor {
        CONSTANT, // Repeats the last value.
        LINEAR, // Extrapolates the last values linearly.
        KALMAN, // Kalman filter with level and trend.
        ARIMA // ARIMA with automatic orders.
    }

    @FormerKeys("gap_ms=tpot_target_ms")
    @Variant("sla | NVIDIA Dynamo's throughput-based planner for disaggregated pools: predicts requests and"
            + " tokens, and divides them by the profiled capacity of an instance, corrected by observed"
            + " latencies.")
    public record Settings(
            @Key("Target TPOT. | 50 | ms | 0.001..1000000000") double tpotTargetMs,
            @Key("Interval between decisions. | 180 | s | 0.1..86400") double intervalS,
            @Key("Predictor of the next interval. | constant") Predictor predictor,
            @Key("Number of past intervals: for the linear predictor, and for the maximum of"
                            + " predicted lengths. | 5 | 2..1000")
                    @OnlyIf("predictor != constant | this predictor uses the last interval only | set"
                            + " predictor=linear")
                    int window,
            @Key("Process variance of the level. | 1 | 0..1000000000000")
                    @OnlyIf("predictor = kalman | only this predictor uses variances | set predictor=kalman")
                    double levelVariance,
            @Key("Process variance of the trend. | 0.1 | 0..1000000000000")
                    @OnlyIf("predictor = kalman | only this predictor uses variances | set predictor=kalman")
                    double trendVariance,
            @Key("Observation variance. | 10 | 0.000000001..1000000000000")
                    @OnlyIf("predictor = kalman | only this predictor uses variances | set predictor=kalman")
                    double noiseVariance)
            implements ScalerSettings {
        @Override
        public Scaler make() {
            throw new IllegalStateException("the planner needs the profile of a pool");
        }

        @Override
        public Scaler make(PoolPlan pool) {
            return new Sla(this, pool.role() == PoolRole.PREFILL, InstancePerformance.of(pool));
        }
    }

    /** A forecast series with the maximum of its last values. */
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

        /** Returns the forecast, limited to the maximum of the last values. */
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
    private final InstancePerformance profile;
    private final BoundedForecast requests;
    private final BoundedForecast prompts;
    private final BoundedForecast outputs;
    private ThroughputCounters.Sums before = ThroughputCounters.Sums.NONE;
    private ThroughputCounters.Sums seen = ThroughputCounters.Sums.NONE;

    Sla(Settings settings, boolean isForPrompts, InstancePerformance profile) {
        this.settings = settings;
        this.isForPrompts = isForPrompts;
        this.profile = profile;
        requests = new BoundedForecast(settings);
        prompts = new BoundedForecast(settings);
        outputs = new BoundedForecast(settings);
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

    /** Returns {@code otherwise} if the last interval had no arrivals or no completions. */
    private int desired(Load load, int otherwise) {
        if (seen.arrived() == 0 || seen.completed() == 0) {
            return otherwise;
        }
        requests.add(seen.arrived());
        prompts.add((double) seen.promptTokens() / seen.arrived());
        outputs.add((double) seen.outputTokens() / seen.completed());
        return isForPrompts ? forPrompts() : forOutputs(Math.max(1, load.ready()));
    }

    /**
     * Returns the minimum number of instances for {@link LoadPlanner}: the pool's minimum after an idle interval, or
     * {@code before} if the interval allows no estimate.
     */
    int floor(Load load, int before) {
        return desired(load, seen.arrived() == 0 && seen.completed() == 0 ? load.min() : before);
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
        double concurrency = seen.seconds() / settings.intervalS() / ready;
        double expected =
                profile.tpotSeconds((int) Math.max(1, Math.min(maxConcurrency, Math.round(concurrency))), context);
        double observed = seen.gaps() == 0 ? expected : seen.gapSeconds() / seen.gaps();
        double target = settings.tpotTargetMs() / 1e3 / (observed / expected);
        // more concurrent requests raise both the throughput and the TPOT
        double bestRate = 1 / profile.tpotSeconds(1, context);
        for (int at = 2; at <= maxConcurrency; at++) {
            double tpot = profile.tpotSeconds(at, context);
            bestRate = tpot <= target ? Math.max(bestRate, at / tpot) : bestRate;
        }
        return (int) Math.ceil(requests.next() * outputs.nextLength() / settings.intervalS() / bestRate);
    }
}
