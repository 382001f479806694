package dev.stagesim.feature.fabric;

import dev.stagesim.report.Axis;
import dev.stagesim.report.Chart;
import dev.stagesim.report.Charts;
import dev.stagesim.report.Layer.Bars;
import dev.stagesim.report.Layer.Line;
import dev.stagesim.report.Layer.Marks;
import dev.stagesim.report.Layer.Style;
import dev.stagesim.report.Layer.Whiskers;
import dev.stagesim.report.Numbers;
import dev.stagesim.stats.Interval;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.IntToDoubleFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Charts of a capacity plan. */
final class FabricCharts {
    private static final double MINUTES_PER_HOUR = 60;
    private static final double BAR_THICKNESS = 0.62;
    private static final int DIGITS = 3;

    private FabricCharts() {}

    /** Draws one bar per target with its range. */
    static Chart bars(String name, String title, String quantity, List<FabricPlan> plans, String metric) {
        List<FabricPlan> feasible =
                plans.stream().filter(plan -> plan.has(metric)).toList();
        Map<Double, String> rows = new TreeMap<>();
        double[] x = values(feasible, metric);
        double[] y = new double[x.length];
        double[] low = new double[x.length];
        double[] high = new double[x.length];
        for (int i = 0; i < x.length; i++) {
            y[i] = x.length - 0.5 - i;
            rows.put(y[i], feasible.get(i).deployment().id());
            Interval range = feasible.get(i).ranges().getOrDefault(metric, new Interval(x[i], x[i]));
            low[i] = range.low();
            high[i] = range.high();
        }
        double max = Arrays.stream(high).max().orElse(0);
        List<String> texts = Arrays.stream(x)
                .mapToObj(value -> MetricText.value(metric, value))
                .toList();
        return new Chart(
                        name,
                        title,
                        title + " per target: " + joined(feasible, texts),
                        Axis.fromZero(quantity, max),
                        new Axis("", 0, Math.max(1, x.length), false))
                .withRows(rows)
                .with("best estimate", new Bars(Style.FIRST, x, y, BAR_THICKNESS, texts))
                .with("range", new Whiskers(Style.SECOND, low, high, y));
    }

    private static double[] values(List<FabricPlan> plans, String metric) {
        return plans.stream().mapToDouble(plan -> plan.metric(metric)).toArray();
    }

    private static String joined(List<FabricPlan> plans, List<String> values) {
        return IntStream.range(0, plans.size())
                .mapToObj(i -> plans.get(i).deployment().id() + " " + values.get(i))
                .collect(Collectors.joining(", "));
    }

    /** Draws two bars per target. */
    static Chart latency(List<FabricPlan> plans) {
        List<FabricPlan> feasible =
                plans.stream().filter(plan -> plan.has(FabricPlan.TTFT)).toList();
        double[] ttft = values(feasible, FabricPlan.TTFT);
        double[] tpot = values(feasible, FabricPlan.TPOT);
        Charts.Subject subject = new Charts.Subject(
                "latency",
                "P99 latency in the worst phase",
                "Time to first token of each target: " + joined(feasible, texts(ttft)) + "; time per output token: "
                        + joined(feasible, texts(tpot)),
                "ms",
                "time to first token",
                "time per output token");
        List<String> names =
                feasible.stream().map(plan -> plan.deployment().id()).toList();
        return Charts.bars(subject, names, ttft, tpot, value -> Numbers.significant(value, DIGITS));
    }

    private static List<String> texts(double[] values) {
        return Arrays.stream(values)
                .mapToObj(value -> Numbers.significant(value, DIGITS))
                .toList();
    }

    /** Draws the nodes over the schedule, with autoscaling and with the fixed number of the busiest phase. */
    static Chart schedule(FabricPlan plan) {
        Line nodes = overPhases(plan, i -> plan.totals().phases().get(i).nodes());
        double max = plan.totals().mostNodes();
        double end = nodes.x()[nodes.x().length - 1];
        return new Chart(
                        "schedule",
                        "Nodes over the schedule",
                        "Nodes in each phase, and the fixed number that the busiest phase requires, over the schedule",
                        Axis.fromZero("hours since the start", nodes.x()),
                        Axis.counts("nodes", nodes.y()))
                .with("fixed at the peak", new Line(Style.SECOND, new double[] {0, end}, new double[] {max, max}, true))
                .with("autoscaled", nodes);
    }

    /** Draws the requests per second over the schedule. */
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

    /** Draws cost against a metric for all feasible candidates and highlights the front. */
    static Chart front(List<FabricCandidate> candidates, String metric) {
        String quantity = MetricText.heading(metric);
        List<FabricCandidate> feasible = candidates.stream()
                .filter(candidate -> candidate.plan().has(metric))
                .toList();
        List<FabricPlan> plans = feasible.stream().map(FabricCandidate::plan).toList();
        return new Chart(
                        "front-" + metric.replace('_', '-'),
                        "Candidates: " + quantity + " against cost",
                        "Cost per million tokens and " + MetricText.label(metric) + " of every feasible candidate",
                        Axis.fit("USD per million tokens", values(plans, FabricPlan.USD_PER_MTOK)),
                        Axis.fit(quantity, values(plans, metric)))
                .with("rejected", marks(Style.SECOND, feasible, false, metric))
                .with("on the front", marks(Style.FIRST, feasible, true, metric));
    }

    private static Marks marks(Style style, List<FabricCandidate> feasible, boolean isOnFront, String metric) {
        List<FabricCandidate> reported = feasible.stream()
                .filter(candidate -> candidate.isOnFront() == isOnFront)
                .toList();
        return Charts.marks(
                style,
                reported,
                candidate -> candidate.plan().metric(FabricPlan.USD_PER_MTOK),
                candidate -> candidate.plan().metric(metric),
                candidate -> candidate.number() + ": "
                        + candidate.plan().deployment().id() + ", " + CandidateTable.policy(candidate.plan()));
    }
}
