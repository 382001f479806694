package dev.stagesim.feature.cluster.instance;

/**
 * Functions of time that change in steps, and their part in a series.
 *
 * <p>What changes and is the same again at one time, as between two steps of an engine, has not changed: intervals of one value
 * are added to the series as a whole, so that sums differ from those of every change by rounding alone.
 */
final class StepFunctions {
    private final Series series;

    /** The first of them in the series. */
    private final int first;

    private final double[] value;

    /** What each was before its last change, from when on, and when that change was. */
    private final double[] before;

    private final double[] since;
    private final double[] changed;

    /** So many functions, all of them 0 from the time 0 on. */
    StepFunctions(Series series, int first, int count) {
        this.series = series;
        this.first = first;
        value = new double[count];
        before = new double[count];
        since = new double[count];
        changed = new double[count];
    }

    double value(int function) {
        return value[function];
    }

    /** A function has another value from a time on, which is not before its last change. */
    void change(int function, double now, double next) {
        if (changed[function] != now) {
            account(function);
            changed[function] = now;
        }
        value[function] = next;
    }

    private void account(int function) {
        if (value[function] != before[function]) {
            series.add(first + function, since[function], changed[function], before[function]);
            since[function] = changed[function];
            before[function] = value[function];
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
