package dev.stagesim.stage.fabric;

import dev.stagesim.report.Numbers;
import dev.stagesim.report.chart.Axis;
import dev.stagesim.report.chart.Chart;
import dev.stagesim.report.chart.Layer;
import dev.stagesim.report.chart.Layer.Bars;
import dev.stagesim.report.chart.Layer.Line;
import dev.stagesim.report.chart.Layer.Marks;
import dev.stagesim.report.chart.Layer.Style;
import dev.stagesim.stats.Interval;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The charts of a capacity plan. */
final class FabricCharts {
    private static final double MINUTES_PER_HOUR = 60;
    private static final double THICK = 0.62;
    private static final double PAIR = 0.34;
    private static final double OFFSET = 0.19;
    private static final double BELOW = 0.24;
    private static final int DIGITS = 3;

    private FabricCharts() {}

    /** One bar a target, and below its middle the range. */
    static Chart bars(String name, String title, String quantity, List<Plan> plans, String figure) {
        List<Plan> able = plans.stream().filter(plan -> plan.has(figure)).toList();
        Map<Double, String> rows = new TreeMap<>();
        double[] x = new double[able.size()];
        double[] y = new double[able.size()];
        List<String> values = new ArrayList<>();
        List<Layer> ranges = new ArrayList<>();
        double most = 0;
        for (int i = 0; i < able.size(); i++) {
            x[i] = able.get(i).figure(figure);
            y[i] = able.size() - 0.5 - i;
            rows.put(y[i], able.get(i).deployment().id());
            values.add(Wording.value(figure, x[i]));
            Interval range = able.get(i).ranges().getOrDefault(figure, new Interval(x[i], x[i]));
            double low = y[i] - BELOW;
            ranges.add(
                    new Line(Style.SECOND, new double[] {range.low(), range.high()}, new double[] {low, low}, false));
            most = Math.max(most, range.high());
        }
        List<Layer> layers = new ArrayList<>(List.of(new Bars(Style.FIRST, x, y, THICK, values)));
        layers.addAll(ranges);
        return new Chart(
                name,
                title,
                title + " of each target: " + joined(able, values),
                Axis.fromZero(quantity, new double[] {most}),
                new Axis("", 0, Math.max(1, able.size()), false),
                rows,
                layers,
                List.of(
                        new Chart.Entry(Style.FIRST, "best estimate", Chart.Sample.BAR),
                        new Chart.Entry(Style.SECOND, "range", Chart.Sample.LINE)));
    }

    private static String joined(List<Plan> plans, List<String> values) {
        StringBuilder out = new StringBuilder();
        for (int i = 0; i < plans.size(); i++) {
            out.append(i == 0 ? "" : ", ")
                    .append(plans.get(i).deployment().id())
                    .append(' ')
                    .append(values.get(i));
        }
        return out.toString();
    }

    /** Two bars a target. */
    static Chart latency(List<Plan> plans) {
        List<Plan> able = plans.stream().filter(plan -> plan.has(Plan.TTFT)).toList();
        Map<Double, String> rows = new TreeMap<>();
        double[] ttft = new double[able.size()];
        double[] tpot = new double[able.size()];
        double[] upper = new double[able.size()];
        double[] lower = new double[able.size()];
        List<String> ttftText = new ArrayList<>();
        List<String> tpotText = new ArrayList<>();
        List<Double> all = new ArrayList<>();
        for (int i = 0; i < able.size(); i++) {
            ttft[i] = able.get(i).figure(Plan.TTFT);
            tpot[i] = able.get(i).figure(Plan.TPOT);
            double middle = able.size() - 0.5 - i;
            rows.put(middle, able.get(i).deployment().id());
            upper[i] = middle + OFFSET;
            lower[i] = middle - OFFSET;
            ttftText.add(Numbers.significant(ttft[i], DIGITS));
            tpotText.add(Numbers.significant(tpot[i], DIGITS));
            all.add(ttft[i]);
        }
        return new Chart(
                "latency",
                "P99 latency in the worst phase",
                "Time to first token of each target: " + joined(able, ttftText) + "; time per output token: "
                        + joined(able, tpotText),
                Axis.fromZero(
                        "ms", all.stream().mapToDouble(Double::doubleValue).toArray()),
                new Axis("", 0, Math.max(1, able.size()), false),
                rows,
                List.of(
                        new Bars(Style.FIRST, ttft, upper, PAIR, ttftText),
                        new Bars(Style.SECOND, tpot, lower, PAIR, tpotText)),
                List.of(
                        new Chart.Entry(Style.FIRST, "time to first token", Chart.Sample.BAR),
                        new Chart.Entry(Style.SECOND, "time per output token", Chart.Sample.BAR)));
    }

    /** Nodes over the schedule, as they follow the load and as the busiest phase needs them. */
    static Chart schedule(Plan plan) {
        int n = plan.phases().size();
        double[] x = new double[n + 1];
        double[] nodes = new double[n + 1];
        double hours = 0;
        for (int i = 0; i < n; i++) {
            x[i] = hours;
            nodes[i] = plan.totals().phases().get(i).nodes();
            hours += plan.phases().get(i).minutes() / MINUTES_PER_HOUR;
        }
        x[n] = hours;
        nodes[n] = nodes[n - 1];
        double most = plan.totals().mostNodes();
        return new Chart(
                "schedule",
                "Nodes over the schedule",
                "Nodes in each phase, and as many as the busiest phase needs, over the hours of the schedule",
                Axis.fromZero("hours since the start", x),
                Axis.counts("nodes", nodes),
                Map.of(),
                List.of(
                        new Line(Style.SECOND, new double[] {0, hours}, new double[] {most, most}, true),
                        new Line(Style.FIRST, x, nodes, true)),
                List.of(
                        new Chart.Entry(Style.FIRST, "as planned", Chart.Sample.LINE),
                        new Chart.Entry(Style.SECOND, "fixed at the most", Chart.Sample.LINE)));
    }

    /** Requests per second over the schedule. */
    static Chart load(Plan plan) {
        int n = plan.phases().size();
        double[] x = new double[n + 1];
        double[] rate = new double[n + 1];
        double hours = 0;
        for (int i = 0; i < n; i++) {
            x[i] = hours;
            rate[i] = plan.phases().get(i).rate();
            hours += plan.phases().get(i).minutes() / MINUTES_PER_HOUR;
        }
        x[n] = hours;
        rate[n] = rate[n - 1];
        return new Chart(
                "load",
                "Load over the schedule",
                "Requests per second over the hours of the schedule",
                Axis.fromZero("hours since the start", x),
                Axis.fromZero("requests per second", rate),
                Map.of(),
                List.of(new Line(Style.FIRST, x, rate, true)),
                List.of());
    }

    /** Cost against latency of all candidates that can run; those on the front stand out. */
    static Chart front(List<Candidate> candidates, String figure) {
        String quantity = Wording.heading(figure);
        List<Candidate> able = candidates.stream()
                .filter(candidate -> candidate.plan().has(figure))
                .toList();
        List<Candidate> front = able.stream().filter(Candidate::isOnFront).toList();
        List<Candidate> losers =
                able.stream().filter(candidate -> !candidate.isOnFront()).toList();
        List<Layer> layers = List.of(marks(Style.SECOND, losers, figure), marks(Style.FIRST, front, figure));
        return new Chart(
                "front-" + figure.replace('_', '-'),
                "Candidates: " + quantity + " against cost",
                "Cost of a million tokens and " + Wording.label(figure) + " of every candidate that can run",
                Axis.fit("USD for a million tokens", values(able, Plan.USD_PER_MTOK)),
                Axis.fit(quantity, values(able, figure)),
                Map.of(),
                layers,
                List.of(
                        new Chart.Entry(Style.FIRST, "on the front", Chart.Sample.MARK),
                        new Chart.Entry(Style.SECOND, "lost", Chart.Sample.MARK)));
    }

    private static double[] values(List<Candidate> candidates, String figure) {
        return candidates.stream()
                .mapToDouble(candidate -> candidate.plan().figure(figure))
                .toArray();
    }

    private static Marks marks(Style style, List<Candidate> candidates, String figure) {
        return new Marks(
                style,
                values(candidates, Plan.USD_PER_MTOK),
                values(candidates, figure),
                candidates.stream()
                        .map(candidate -> candidate.number() + ": "
                                + candidate.plan().deployment().id() + ", "
                                + CandidateTable.policy(candidate.plan()))
                        .toList());
    }
}
