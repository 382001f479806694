package dev.stagesim.report;

import dev.stagesim.report.Layer.Bars;
import dev.stagesim.report.Layer.Line;
import dev.stagesim.report.Layer.Marks;
import dev.stagesim.report.Layer.Reference;
import dev.stagesim.report.Layer.Style;
import dev.stagesim.stats.Quantiles;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.DoubleFunction;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;

/** The standard charts of reports. Some methods require sorted samples. */
public final class Charts {
    private static final int MAX_POINTS = 240;
    private static final int MAX_MARKS = 60;
    private static final Axis SHARE = new Axis("share of values at or below", 0, 1, false);

    private Charts() {}

    /**
     * The texts of a chart.
     *
     * @param name file name without extension
     * @param title heading
     * @param description description for screen readers
     * @param quantity name of the values with their unit, for the axis
     * @param first name of the first series
     * @param second name of the second series
     */
    public record Subject(String name, String title, String description, String quantity, String first, String second) {
        private Chart over(Axis x, Axis y) {
            return new Chart(name, title, description, x, y);
        }
    }

    /** Returns the empirical distribution functions of two samples, sorted in ascending order. */
    public static Chart cdf(Subject subject, double[] first, double[] second) {
        Axis x = Axis.fit(subject.quantity(), joined(first, second));
        return share(
                share(subject.over(x, SHARE), Style.FIRST, subject.first(), first),
                Style.SECOND,
                subject.second(),
                second);
    }

    /**
     * Returns the empirical distribution function of one sample with at least one value, sorted in ascending order. The
     * subject's second name is ignored.
     */
    public static Chart distribution(Subject subject, double[] sample) {
        return share(subject.over(Axis.fit(subject.quantity(), sample), SHARE), Style.FIRST, "", sample);
    }

    /** Returns the distribution of at least one time, sorted in ascending order, in the unit that fits the median. */
    public static Chart times(String name, String title, String description, double[] sortedNs) {
        TimeScale scale = TimeScale.fit(Math.max(1, Quantiles.ofSorted(sortedNs, 0.5)));
        String quantity = name.toUpperCase(Locale.ROOT) + " (" + scale.unit() + ")";
        return distribution(new Subject(name, title, description, quantity, "", ""), scale.of(sortedNs));
    }

    /** Returns one mark per item, with a tooltip. */
    public static <T> Marks marks(
            Style style, List<T> items, ToDoubleFunction<T> x, ToDoubleFunction<T> y, Function<T, String> title) {
        return new Marks(
                style,
                items.stream().mapToDouble(x).toArray(),
                items.stream().mapToDouble(y).toArray(),
                items.stream().map(title).toList());
    }

    /** Adds a distribution function as steps, with marks if there are few values. */
    private static Chart share(Chart chart, Style style, String series, double[] sample) {
        int[] picks = picks(sample.length);
        double[] x = new double[picks.length + 1];
        double[] y = new double[picks.length + 1];
        x[0] = sample[0];
        for (int i = 0; i < picks.length; i++) {
            x[i + 1] = sample[picks[i]];
            y[i + 1] = (picks[i] + 1.0) / sample.length;
        }
        Chart line = chart.with(series, new Line(style, x, y, true));
        return sample.length > MAX_MARKS
                ? line
                : line.with("", marks(style, Arrays.copyOfRange(x, 1, x.length), Arrays.copyOfRange(y, 1, y.length)));
    }

    /**
     * Returns a quantile-quantile plot of two samples, sorted in ascending order. Equal samples are on the diagonal.
     */
    public static Chart quantiles(Subject subject, double[] first, double[] second) {
        int points = Math.min(99, Math.max(first.length, second.length));
        double[] x = new double[points];
        double[] y = new double[points];
        for (int i = 0; i < points; i++) {
            double q = (i + 0.5) / points;
            x[i] = Quantiles.ofSorted(first, q);
            y[i] = Quantiles.ofSorted(second, q);
        }
        double[] all = joined(first, second);
        Axis horizontal = Axis.fit(subject.first() + ": " + subject.quantity(), all);
        Axis vertical = Axis.fit(subject.second() + ": " + subject.quantity(), all);
        return subject.over(horizontal, vertical)
                .with("", new Reference(horizontal.low(), vertical.low(), horizontal.high(), vertical.high()))
                .with("quantiles of both sides; dotted: equal values", marks(Style.FIRST, x, y));
    }

    /** Returns pairs of bars, one pair per statistic, from top to bottom. */
    public static Chart bars(Subject subject, List<String> names, double[] first, double[] second, int decimals) {
        return bars(subject, names, first, second, value -> Numbers.fixed(value, decimals));
    }

    /** Returns pairs of bars with labels. */
    public static Chart bars(
            Subject subject, List<String> names, double[] first, double[] second, DoubleFunction<String> text) {
        Map<Double, String> rows = new TreeMap<>();
        double[] upper = new double[names.size()];
        double[] lower = new double[names.size()];
        for (int i = 0; i < names.size(); i++) {
            double middle = names.size() - 0.5 - i;
            rows.put(middle, names.get(i));
            upper[i] = middle + 0.19;
            lower[i] = middle - 0.19;
        }
        Axis x = Axis.fromZero(subject.quantity(), joined(first, second));
        return subject.over(x, new Axis("", 0, Math.max(1, names.size()), false))
                .withRows(rows)
                .with(subject.first(), new Bars(Style.FIRST, first, upper, 0.34, texts(first, text)))
                .with(subject.second(), new Bars(Style.SECOND, second, lower, 0.34, texts(second, text)));
    }

    /** Returns marks of two series over a shared horizontal quantity, with tooltips. */
    public static Chart scatter(Subject subject, String xLabel, Marks first, Marks second) {
        double[] xs = joined(first.x(), second.x());
        double[] ys = joined(first.y(), second.y());
        Axis y = Arrays.stream(ys).anyMatch(v -> v < 0)
                ? Axis.fromZero(subject.quantity(), ys)
                : Axis.fit(subject.quantity(), ys);
        Axis x = Axis.fromZero(xLabel, xs);
        Chart chart = subject.over(x, y);
        return (y.log() ? chart : chart.with("", new Reference(x.low(), 0, x.high(), 0)))
                .with(subject.first(), thinned(first))
                .with(subject.second(), thinned(second));
    }

    /** Returns two step functions of time, such as the number of requests in flight. */
    public static Chart steps(Subject subject, String xLabel, double[] x1, double[] y1, double[] x2, double[] y2) {
        return subject.over(Axis.fromZero(xLabel, joined(x1, x2)), Axis.counts(subject.quantity(), joined(y1, y2)))
                .with(subject.first(), new Line(Style.FIRST, x1, y1, true))
                .with(subject.second(), new Line(Style.SECOND, x2, y2, true));
    }

    private static Marks marks(Style style, double[] x, double[] y) {
        List<String> titles = new ArrayList<>();
        for (int i = 0; i < x.length; i++) {
            titles.add(x.length > MAX_MARKS ? "" : Numbers.significant(x[i], 4) + ", " + Numbers.significant(y[i], 4));
        }
        return new Marks(style, x, y, titles);
    }

    /** Returns at most two thousand evenly selected marks, because more are indistinguishable. */
    private static Marks thinned(Marks marks) {
        int maxMarks = 2000;
        int n = marks.x().length;
        if (n <= maxMarks) {
            return marks;
        }
        double[] x = new double[maxMarks];
        double[] y = new double[maxMarks];
        for (int i = 0; i < maxMarks; i++) {
            int pick = (int) ((long) i * (n - 1) / (maxMarks - 1));
            x[i] = marks.x()[pick];
            y[i] = marks.y()[pick];
        }
        return new Marks(marks.style(), x, y, Collections.nCopies(maxMarks, ""));
    }

    private static List<String> texts(double[] values, DoubleFunction<String> text) {
        return Arrays.stream(values).mapToObj(text).toList();
    }

    /** Returns at most 240 evenly spaced indices of n sorted values, including the first and the last. */
    private static int[] picks(int n) {
        int count = Math.min(n, MAX_POINTS);
        int[] picks = new int[count];
        for (int i = 0; i < count; i++) {
            picks[i] = count == 1 ? 0 : (int) ((long) i * (n - 1) / (count - 1));
        }
        return picks;
    }

    private static double[] joined(double[] a, double[] b) {
        double[] all = Arrays.copyOf(a, a.length + b.length);
        System.arraycopy(b, 0, all, a.length, b.length);
        return all;
    }
}
