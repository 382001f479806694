package dev.stagesim.feature.cluster.autoscaler;

import java.util.ArrayDeque;

/** Forecasts the next value of a series. */
interface Forecast {
    /** Adds an observed value. */
    void add(double value);

    /** Returns the next value, at least 0. */
    double next();

    /** Creates a linear extrapolation of the last {@code window} values. A window of 1 repeats the last value. */
    static Forecast line(int window) {
        return new Forecast() {
            private final ArrayDeque<Double> last = new ArrayDeque<>();

            @Override
            public void add(double value) {
                last.addLast(value);
                if (last.size() > window) {
                    last.removeFirst();
                }
            }

            @Override
            public double next() {
                if (last.size() < 2) {
                    return last.isEmpty() ? 0 : last.getLast();
                }
                double mean =
                        last.stream().mapToDouble(value -> value).average().orElseThrow();
                double middle = (last.size() - 1) / 2.0;
                double slope = 0;
                double spread = 0;
                int at = 0;
                for (double value : last) {
                    slope += (at - middle) * (value - mean);
                    spread += (at - middle) * (at - middle);
                    at++;
                }
                return Math.max(0, mean + slope / spread * (last.size() - middle));
            }
        };
    }

    /**
     * Creates a Kalman filter of a level with a linear trend. As in Dynamo, the first value sets the level, and both
     * initial variances are 1,000.
     */
    static Forecast kalman(double levelVariance, double trendVariance, double noiseVariance) {
        return new Forecast() {
            private double level;
            private double trend;
            private double levels = 1000;
            private double both;
            private double trends = 1000;
            private boolean isBegun;

            @Override
            public void add(double value) {
                if (!isBegun) {
                    level = value;
                    isBegun = true;
                    return;
                }
                level += trend;
                levels += 2 * both + trends + levelVariance;
                both += trends;
                trends += trendVariance;
                double spread = levels + noiseVariance;
                double off = value - level;
                double gain = levels / spread;
                double trendGain = both / spread;
                level += gain * off;
                trend += trendGain * off;
                trends -= trendGain * both;
                both -= gain * both;
                levels -= gain * levels;
            }

            @Override
            public double next() {
                return Math.max(0, level + trend);
            }
        };
    }
}
