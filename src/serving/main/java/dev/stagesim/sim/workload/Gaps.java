package dev.stagesim.sim.workload;

import static dev.stagesim.model.Nanos.NS_PER_S;

import dev.stagesim.sim.core.RandomSource;
import dev.stagesim.sim.core.RealMath;
import dev.stagesim.sim.core.Variates;

/** Factory of arrival processes. */
public final class Gaps {
    private Gaps() {}

    /** All arrivals at time 0. */
    public static InterArrivalSource atOnce() {
        return new Even(0, 0);
    }

    /** Arrivals every {@code interval} seconds from {@code start}. */
    public static InterArrivalSource even(double start, double interval) {
        return new Even(start, interval);
    }

    /** Poisson process: exponential gaps with mean 1/qps. */
    public static InterArrivalSource poisson(RandomSource random, double qps) {
        return new Poisson(random, qps, Double.POSITIVE_INFINITY);
    }

    /** Vidur's Poisson process: gaps are truncated at three times their mean, which raises the rate by 5.2 %. */
    public static InterArrivalSource vidurPoisson(RandomSource random, double qps) {
        return new Poisson(random, qps, 1.0 / qps * 3.0);
    }

    /** Gamma-distributed gaps with mean 1/qps and coefficient of variation {@code cv}. */
    public static InterArrivalSource gamma(RandomSource random, double qps, double cv) {
        double shape = 1.0 / (cv * cv);
        double scale = 1.0 / (qps * shape);
        Variates variates = new Variates(random);
        return () -> variates.gamma(shape) * scale;
    }

    /** Gaps between given times in nanoseconds, times a factor. Times must not decrease; the first gap is 0. */
    public static InterArrivalSource between(long[] timesNs, double factor) {
        return new Recorded(timesNs, factor);
    }

    /** Gaps between given times in seconds, which must not decrease. The first gap is the first time. */
    public static InterArrivalSource vidurReplay(double[] times) {
        return new Listed(times, 0, 0.0);
    }

    /** Like {@link #vidurReplay}, but the first time is only the origin and not an arrival. */
    public static InterArrivalSource vidurBetween(double[] times) {
        return times.length == 0 ? new Listed(times, 0, 0.0) : new Listed(times, 1, times[0]);
    }

    private static final class Even implements InterArrivalSource {
        private final double interval;
        private double gap;

        Even(double start, double interval) {
            this.gap = start;
            this.interval = interval;
        }

        @Override
        public double next() {
            double now = gap;
            gap = interval;
            return now;
        }

        @Override
        public boolean standsStill() {
            return interval == 0;
        }
    }

    private static final class Poisson implements InterArrivalSource {
        private final RandomSource random;
        private final RealMath math = new RealMath();
        private final double qps;
        private final double max;

        Poisson(RandomSource random, double qps, double max) {
            this.random = random;
            this.qps = qps;
            this.max = max;
        }

        @Override
        public double next() {
            return Math.min(-math.log(1.0 - random.nextDouble()) / qps, max);
        }
    }

    private static final class Recorded implements InterArrivalSource {
        private final long[] times;
        private final double factor;
        private int at;

        Recorded(long[] times, double factor) {
            this.times = times;
            this.factor = factor;
        }

        @Override
        public boolean hasNext() {
            return at < times.length;
        }

        @Override
        public double next() {
            long gap = at == 0 ? 0 : times[at] - times[at - 1];
            at++;
            return gap / NS_PER_S * factor;
        }
    }

    private static final class Listed implements InterArrivalSource {
        private final double[] times;
        private int at;
        private double last;

        Listed(double[] times, int first, double last) {
            this.times = times;
            this.at = first;
            this.last = last;
        }

        @Override
        public boolean hasNext() {
            return at < times.length;
        }

        @Override
        public double next() {
            double gap = times[at] - last;
            last = times[at++];
            return gap;
        }
    }
}
