package dev.stagesim.feature.fabric;

import dev.stagesim.report.Numbers;
import dev.stagesim.report.chart.Axis;
import dev.stagesim.report.chart.Chart;
import dev.stagesim.report.chart.Charts;
import dev.stagesim.report.chart.Layer.Bars;
import dev.stagesim.report.chart.Layer.Line;
import dev.stagesim.report.chart.Layer.Marks;
import dev.stagesim.report.chart.Layer.Style;
import dev.stagesim.report.chart.Layer.Whiskers;
import dev.stagesim.stats.Interval;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.IntToDoubleFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** The charts of a capacity plan. */
final class FabricCharts {
    private static final double MINUTES_PER_HOUR = 60;
    private static final double THICK = 0.62;
    private static final int DIGITS = 3;

    private FabricCharts() {}

    /** One bar a target with its range. */
    static Chart bars(String name, String title, String quantity, List<FabricPlan> plans, String figure) {
        List<FabricPlan> able = plans.stream().filter(plan -> plan.has(figure)).toList();
        Map<Double, String> rows = new TreeMap<>();
        double[] x = values(able, figure);
        double[] y = new double[x.length];
        double[] low = new double[x.length];
        double[] high = new double[x.length];
        for (int i = 0; i < x.length; i++) {
            y[i] = x.length - 0.5 - i;
            rows.put(y[i], able.get(i).deployment().id());
            Interval range = able.get(i).ranges().getOrDefault(figure, new Interval(x[i], x[i]));
            low[i] = range.low();
            high[i] = range.high();
        }
        double most = Arrays.stream(high).max().orElse(0);
        List<String> texts = Arrays.stream(x)
                .mapToObj(value -> MetricText.value(figure, value))
                .toList();
        return new Chart(
                        name,
                        title,
                        title + " of each target: " + joined(able, texts),
                        Axis.fromZero(quantity, most),
                        new Axis("", 0, Math.max(1, x.length), false))
                .withRows(rows)
                .with("best estimate", new Bars(Style.FIRST, x, y, THICK, texts))
                .with("range", new Whiskers(Style.SECOND, low, high, y));
    }

    private static double[] values(List<FabricPlan> plans, String figure) {
        return plans.stream().mapToDouble(plan -> plan.figure(figure)).toArray();
    }

    private static String joined(List<FabricPlan> plans, List<String> values) {
        return IntStream.range(0, plans.size())
                .mapToObj(i -> plans.get(i).deployment().id() + " " + values.get(i))
                .collect(Collectors.joining(", "));
    }

    /** Two bars a target. */
    static Chart latency(List<FabricPlan> plans) {
        List<FabricPlan> able =
                plans.stream().filter(plan -> plan.has(FabricPlan.TTFT)).toList();
        double[] ttft = values(able, FabricPlan.TTFT);
        double[] tpot = values(able, FabricPlan.TPOT);
        Charts.Subject subject = new Charts.Subject(
                "latency",
                "P99 latency in the worst phase",
                "Time to first token of each target: " + joined(able, texts(ttft)) + "; time per output token: "
                        + joined(able, texts(tpot)),
                "ms",
                "time to first token",
                "time per output token");
        List<String> names = able.stream().map(plan -> plan.deployment().id()).toList();
        return Charts.bars(subject, names, ttft, tpot, value -> Numbers.significant(value, DIGITS));
    }

    private static List<String> texts(double[] values) {
        return Arrays.stream(values)
                .mapToObj(value -> Numbers.significant(value, DIGITS))
                .toList();
    }

    /** Nodes over the schedule, as they follow the load and as the busiest phase needs them. */
    static Chart schedule(FabricPlan plan) {
        Line nodes = overPhases(plan, i -> plan.totals().phases().get(i).nodes());
        double most = plan.totals().mostNodes();
        double end = nodes.x()[nodes.x().length - 1];
        return new Chart(
                        "schedule",
                        "Nodes over the schedule",
                        "Nodes in each phase, and as many as the busiest phase needs, over the hours of the schedule",
                        Axis.fromZero("hours since the start", nodes.x()),
                        Axis.counts("nodes", nodes.y()))
                .with(
                        "fixed at the most",
                        new Line(Style.SECOND, new double[] {0, end}, new double[] {most, most}, true))
                .with("as planned", nodes);
    }

    /** Requests per second over the schedule. */
    static Chart load(FabricPlan plan) {
        Line rate = overPhases(plan, i -> plan.phases().get(i).rate());
        return new Chart(
                        "load",
                        "Load over the schedule",
                        "Requests per second over the hours of the schedule",
                        Axis.fromZero("hours since the start", rate.x()),
                        Axis.fromZero("requests per second", rate.y()))
                .with("", rate);
    }

    private static Line overPhases(FabricPlan plan, IntToDoubleFunction value) {
        int n = plan.phases().size();
        double[] x = new double[n + 1];
        double[] y = new double[n + 1];
        for (int i = 0; i < n; i++) {
            x[i + 1] = x[i] + plan.phases().get(i).minutes() / MINUTES_PER_HOUR;
            y[i] = value.applyAsDouble(i);
        }
        y[n] = y[n - 1];
        return new Line(Style.FIRST, x, y, true);
    }

    /** Cost against latency of all candidates that can run; those on the front stand out. */
    static Chart front(List<FabricCandidate> candidates, String figure) {
        String quantity = MetricText.heading(figure);
        List<FabricCandidate> able = candidates.stream()
                .filter(candidate -> candidate.plan().has(figure))
                .toList();
        List<FabricPlan> plans = able.stream().map(FabricCandidate::plan).toList();
        return new Chart(
                        "front-" + figure.replace('_', '-'),
                        "Candidates: " + quantity + " against cost",
                        "Cost of a million tokens and " + MetricText.label(figure) + " of every candidate that can run",
                        Axis.fit("USD for a million tokens", values(plans, FabricPlan.USD_PER_MTOK)),
                        Axis.fit(quantity, values(plans, figure)))
                .with("lost", marks(Style.SECOND, able, false, figure))
                .with("on the front", marks(Style.FIRST, able, true, figure));
    }

    private static Marks marks(Style style, List<FabricCandidate> able, boolean isOnFront, String figure) {
        List<FabricCandidate> shown = able.stream()
                .filter(candidate -> candidate.isOnFront() == isOnFront)
                .toList();
        return Charts.marks(
                style,
                shown,
                candidate -> candidate.plan().figure(FabricPlan.USD_PER_MTOK),
                candidate -> candidate.plan().figure(figure),
                candidate -> candidate.number() + ": "
                        + candidate.plan().deployment().id() + ", " + CandidateTable.policy(candidate.plan()));
    }
}
