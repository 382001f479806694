package dev.stagesim.feature.cluster.report;

import dev.stagesim.feature.cluster.instance.BinnedTimeSeries;
import dev.stagesim.feature.cluster.instance.Instance;
import dev.stagesim.feature.cluster.instance.PoolPlan;
import dev.stagesim.report.Axis;
import dev.stagesim.report.Chart;
import dev.stagesim.report.Layer;
import dev.stagesim.report.Layer.Style;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Charts of pools and links over time. */
final class ClusterCharts {
    private ClusterCharts() {}

    static List<Chart> of(ClusterFigures figures) {
        List<Chart> charts = new ArrayList<>();
        charts.add(pools(
                figures,
                Instance.BUSY,
                true,
                "busy",
                "Utilisation of the pools",
                "Share of the instances of each pool that run a batch, over time.",
                "busy (%)"));
        charts.add(pools(
                figures,
                Instance.WAITING,
                false,
                "waiting",
                "Queues of the pools",
                "Requests in the engine queues of each pool, over time.",
                "requests"));
        charts.add(pools(
                figures,
                Instance.KV_USAGE,
                true,
                "held",
                "KV cache of the pools",
                "Share of the KV cache of each pool in use, over time.",
                "in use (%)"));
        if (!figures.sim.fleet().changes().isEmpty()) {
            charts.add(pools(
                    figures,
                    Instance.UP,
                    false,
                    "replicas",
                    "Instances of the pools",
                    "Running instances of each pool, over time.",
                    "instances"));
        }
        if (figures.handed > 0) {
            charts.add(transfers(figures));
        }
        return charts;
    }

    private static Chart transfers(ClusterFigures figures) {
        double[] y = bins(figures, figures.pools.size() * Instance.SIGNALS_PER_POOL, 1);
        return new Chart(
                        "transfers",
                        "Transfers in progress",
                        "Mean number of KV transfers between pools, over time.",
                        Axis.upTo("time (s)", figures.seconds),
                        Axis.fromZero("transfers", y))
                .with("", new Layer.Line(Style.FIRST, times(figures), y, true));
    }

    private static int drawn(ClusterFigures figures) {
        return Math.min(figures.pools.size(), Style.values().length);
    }

    /** Returns the names of the pools that exceed the number of line styles. */
    static List<String> leftOut(ClusterFigures figures) {
        return figures.pools.stream().skip(drawn(figures)).map(PoolPlan::name).toList();
    }

    private static double[] times(ClusterFigures figures) {
        BinnedTimeSeries series = figures.sim.series();
        double[] x = new double[series.size()];
        Arrays.setAll(x, bin -> bin * series.width());
        return x;
    }

    private static double[] bins(ClusterFigures figures, int function, double factor) {
        BinnedTimeSeries series = figures.sim.series();
        double[] y = new double[series.size()];
        Arrays.setAll(y, bin -> factor * series.mean(function, bin));
        return y;
    }

    private static Chart pools(
            ClusterFigures figures, int signal, boolean isShare, String name, String title, String text, String label) {
        Map<String, Layer.Line> lines = new LinkedHashMap<>();
        double max = isShare ? 100 : 0;
        for (PoolPlan pool : figures.pools.subList(0, drawn(figures))) {
            Style style = Style.values()[lines.size()];
            int number = figures.pools.indexOf(pool);
            double[] y = bins(figures, number * Instance.SIGNALS_PER_POOL + signal, 1);
            if (isShare) {
                Arrays.setAll(y, bin -> 100 * y[bin] / figures.up(number, bin));
            }
            max = Math.max(max, Arrays.stream(y).max().orElse(0));
            lines.put(pool.name(), new Layer.Line(style, times(figures), y, true));
        }
        Axis x = Axis.upTo("time (s)", figures.seconds);
        Chart chart = new Chart(name, title, text, x, Axis.fromZero(label, max));
        for (Map.Entry<String, Layer.Line> line : lines.entrySet()) {
            chart = chart.with(line.getKey(), line.getValue());
        }
        return chart;
    }
}
