package dev.stagesim.feature.cluster.instance;

/**
 * Accumulates piecewise-constant signals in a time series.
 *
 * <p>A change that is reverted at the same time, as between two steps of an engine, is ignored. Intervals of constant
 * value are added as a whole, so the sums can differ by rounding.
 */
final class PiecewiseConstantSignals {
    private final BinnedTimeSeries series;

    /** Index of the first signal in the series. */
    private final int first;

    private final double[] value;

    /** Value before the last change, its start, and the time of that change. */
    private final double[] before;

    private final double[] since;
    private final double[] changed;

    /** Creates {@code count} signals that are 0 from time 0. */
    PiecewiseConstantSignals(BinnedTimeSeries series, int first, int count) {
        this.series = series;
        this.first = first;
        value = new double[count];
        before = new double[count];
        since = new double[count];
        changed = new double[count];
    }

    double value(int signal) {
        return value[signal];
    }

    /** Changes a signal from a time on. Times must not decrease. */
    void change(int signal, double now, double next) {
        if (changed[signal] != now) {
            account(signal);
            changed[signal] = now;
        }
        value[signal] = next;
    }

    private void account(int signal) {
        if (value[signal] != before[signal]) {
            series.add(first + signal, since[signal], changed[signal], before[signal]);
            since[signal] = changed[signal];
            before[signal] = value[signal];
        }
    }

    /** Adds all intervals up to a time to the series. */
    void settle(double now) {
        for (int i = 0; i < value.length; i++) {
            account(i);
            series.add(first + i, since[i], now, before[i]);
            since[i] = now;
            changed[i] = now;
        }
    }
}
