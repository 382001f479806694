package dev.stagesim.feature.cluster.instance;

/**
 * Functions of time that change in steps, and their part in a series.
 *
 * <p>What changes and is the same again at one time, as between two steps of an engine, has not changed: intervals of one value
 * are added to the series as a whole, so that sums differ from those of every change by rounding alone.
 */
final class PiecewiseConstantSignals {
    private final BinnedTimeSeries series;

    /** The first of them in the series. */
    private final int first;

    private final double[] value;

    /** What each was before its last change, from when on, and when that change was. */
    private final double[] before;

    private final double[] since;
    private final double[] changed;

    /** So many functions, all of them 0 from the time 0 on. */
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

    /** A function has another value from a time on, which is not before its last change. */
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

    /** Adds all that is up to a time. */
    void settle(double now) {
        for (int i = 0; i < value.length; i++) {
            account(i);
            series.add(first + i, since[i], now, before[i]);
            since[i] = now;
            changed[i] = now;
        }
    }
}
