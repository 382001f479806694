package dev.stagesim.stage.compare;

import static dev.stagesim.model.Nanos.NS_PER_S;

import dev.stagesim.comparison.Metric;
import dev.stagesim.report.Chart;
import dev.stagesim.report.Charts;
import dev.stagesim.report.Charts.Subject;
import dev.stagesim.report.Layer;
import dev.stagesim.report.Numbers;
import dev.stagesim.report.TimeScale;
import dev.stagesim.stage.compare.Alignment.Pair;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.ToDoubleFunction;

/** Creates the charts of a comparison: distributions per metric, and errors and load over time. */
record ComparisonCharts(Comparison c) {
    private static final int MAX_TITLED = 400;

    /** Returns all charts, in the order of the files. */
    List<Chart> all() {
        List<Chart> charts = new ArrayList<>();
        for (MetricResult metric : c.metrics()) {
            charts.addAll(ofMetric(metric));
        }
        charts.addAll(overTime());
        return charts;
    }

    /** Returns the percentiles, distribution functions and quantiles of one metric. */
    List<Chart> ofMetric(MetricResult metric) {
        TimeScale scale = ReportTables.scale(metric);
        double[] real = scale.of(metric.real());
        double[] sim = scale.of(metric.sim());
        return List.of(
                bars(metric, scale),
                Charts.cdf(subject(metric, scale, "cdf", "distribution", distribution(metric, scale)), real, sim),
                Charts.quantiles(
                        subject(metric, scale, "qq", "quantiles against quantiles", distribution(metric, scale)),
                        real,
                        sim));
    }

    private Chart bars(MetricResult metric, TimeScale scale) {
        List<String> names = new ArrayList<>();
        List<Double> real = new ArrayList<>();
        List<Double> sim = new ArrayList<>();
        for (MetricResult.Row row : metric.rows()) {
            if (!List.of("p75", "p99.9").contains(row.statistic().name())) {
                names.add(row.statistic().title());
                real.add(scale.of(row.real()));
                sim.add(scale.of(row.sim()));
            }
        }
        Subject subject = subject(metric, scale, "percentiles", "mean and percentiles", distribution(metric, scale));
        return Charts.bars(subject, names, array(real), array(sim), scale.decimals());
    }

    private static double[] array(List<Double> list) {
        return list.stream().mapToDouble(Double::doubleValue).toArray();
    }

    private String distribution(MetricResult metric, TimeScale scale) {
        MetricResult.Row median = metric.row("p50");
        return metric.metric().title() + ": median " + scale.withUnit(median.real()) + " "
                + c.real().label() + ", "
                + scale.withUnit(median.sim()) + " " + c.sim().label() + "; Kolmogorov-Smirnov distance "
                + Numbers.fixed(metric.ks(), 2) + ".";
    }

    private Subject subject(MetricResult metric, TimeScale scale, String kind, String title, String description) {
        return new Subject(
                metric.metric().slug() + "-" + kind,
                metric.metric().shortName() + ": " + title,
                description,
                metric.metric().shortName() + " (" + scale.unit() + ")",
                c.real().label(),
                c.sim().label());
    }

    /** Returns charts over time: first tokens, requests in flight, and errors. */
    List<Chart> overTime() {
        List<Pair> pairs = c.alignment().pairs();
        if (pairs.isEmpty()) {
            return List.of();
        }
        TimeScale ms = TimeScale.fit(c.median(Metric.TTFT).orElseThrow().real());
        List<Chart> charts = new ArrayList<>();
        charts.add(Charts.scatter(
                new Subject(
                        "ttft-timeline",
                        "TTFT over the run",
                        "Time to first token of each request by its arrival.",
                        "TTFT (" + ms.unit() + ")",
                        c.real().label(),
                        c.sim().label()),
                "arrival (s)",
                marks(
                        Layer.Style.FIRST,
                        pairs,
                        p -> p.real().arrival() / NS_PER_S,
                        p -> ms.of(p.ttftReal()),
                        ms.unit()),
                marks(
                        Layer.Style.SECOND,
                        pairs,
                        p -> p.sim().arrival() / NS_PER_S,
                        p -> ms.of(p.ttftSim()),
                        ms.unit())));
        charts.add(inFlight(pairs));
        charts.add(Charts.scatter(
                new Subject(
                        "error-by-prompt",
                        "Error by prompt length",
                        "Error of each request's TTFT and end-to-end latency by its prompt length; 0 is no error.",
                        "error (%)",
                        "TTFT",
                        "E2E"),
                "prompt (tokens)",
                errors(Layer.Style.FIRST, pairs, Pair::ttftReal, Pair::ttftSim),
                errors(Layer.Style.SECOND, pairs, Pair::e2eReal, Pair::e2eSim)));
        return charts;
    }

    private Chart inFlight(List<Pair> pairs) {
        Load real = Load.of(values(pairs, p -> p.real().arrival()), values(pairs, p -> p.real()
                .completion()));
        Load sim = Load.of(values(pairs, p -> p.sim().arrival()), values(pairs, Pair::simCompletion));
        return Charts.steps(
                new Subject(
                        "in-flight",
                        "Requests in flight",
                        "Requests that have arrived and are not complete, over time; at most " + real.maxInFlight()
                                + " "
                                + c.real().label() + " and " + sim.maxInFlight() + " "
                                + c.sim().label() + ".",
                        "requests",
                        c.real().label(),
                        c.sim().label()),
                "time (s)",
                seconds(real.time()),
                real.level(),
                seconds(sim.time()),
                sim.level());
    }

    private static double[] values(List<Pair> pairs, ToDoubleFunction<Pair> value) {
        return pairs.stream().mapToDouble(value).toArray();
    }

    private static double[] seconds(double[] nanos) {
        return Arrays.stream(nanos).map(t -> t / NS_PER_S).toArray();
    }

    private static Layer.Marks marks(
            Layer.Style style, List<Pair> pairs, ToDoubleFunction<Pair> x, ToDoubleFunction<Pair> y, String unit) {
        return Charts.marks(
                style, pairs, x, y, p -> title(pairs, p, Numbers.significant(y.applyAsDouble(p), 4) + " " + unit));
    }

    private static Layer.Marks errors(
            Layer.Style style, List<Pair> pairs, ToDoubleFunction<Pair> real, ToDoubleFunction<Pair> sim) {
        ToDoubleFunction<Pair> error =
                p -> real.applyAsDouble(p) == 0 ? 0 : 100 * (sim.applyAsDouble(p) / real.applyAsDouble(p) - 1);
        return Charts.marks(
                style,
                pairs,
                p -> p.real().prefill(),
                error,
                p -> title(pairs, p, Numbers.percent(error.applyAsDouble(p))));
    }

    private static String title(List<Pair> pairs, Pair pair, String text) {
        return pairs.size() > MAX_TITLED ? "" : "request " + pair.real().id() + ": " + text;
    }
}
