package dev.stagesim.stage.vidursim;

import dev.stagesim.report.DataTable;
import dev.stagesim.report.Numbers;
import dev.stagesim.sim.serving.request.RequestTrace;
import dev.stagesim.stats.Quantiles;
import java.util.TreeSet;
import java.util.function.IntUnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Latencies by priority, and by adapter for the adapters with the lowest numbers. */
record LabelTable(ServingMetrics figures, RequestTrace trace) {
    private static final int MAX_ROWS = 8;

    DataTable table() {
        DataTable table = new DataTable("Completed requests by priority and adapter, times in ms")
                .columns("Requests", "#number", "#first token, P50", "#first token, P99", "#end to end, P50");
        rows(table, "priority ", trace::priority, values(trace::priority));
        TreeSet<Integer> adapters = values(trace::adapter);
        if (adapters.size() > 1 || !adapters.contains(0)) {
            rows(table, "adapter ", trace::adapter, adapters);
        }
        return table;
    }

    private TreeSet<Integer> values(IntUnaryOperator label) {
        return IntStream.range(0, trace.size()).map(label).boxed().collect(Collectors.toCollection(TreeSet::new));
    }

    private void rows(DataTable table, String name, IntUnaryOperator label, TreeSet<Integer> values) {
        for (int value : values.stream().limit(MAX_ROWS).toList()) {
            double[] first = figures.firstTokenMs(request -> label.applyAsInt(request) == value);
            double[] whole = figures.endToEndMs(request -> label.applyAsInt(request) == value);
            table.row(
                    name.startsWith("adapter") && value == 0 ? "base model" : name + value,
                    Numbers.count(first.length),
                    quantile(first, 0.5),
                    quantile(first, 0.99),
                    quantile(whole, 0.5));
        }
    }

    private static String quantile(double[] sorted, double q) {
        return sorted.length == 0 ? "" : Numbers.fixed(Quantiles.ofSorted(sorted, q), 3);
    }
}
