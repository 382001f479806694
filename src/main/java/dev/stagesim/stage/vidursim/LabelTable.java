package dev.stagesim.stage.vidursim;

import dev.stagesim.report.DataTable;
import dev.stagesim.report.Numbers;
import dev.stagesim.sim.serving.RequestTrace;
import dev.stagesim.stats.Quantiles;
import java.util.TreeMap;
import java.util.function.IntUnaryOperator;

/** Latencies by what requests carry: priorities, and the adapters with the smallest numbers. */
record LabelTable(Figures figures, RequestTrace trace) {
    private static final int MOST_ROWS = 8;

    DataTable table() {
        DataTable table = new DataTable("Completed requests by what they carry, times in ms")
                .columns("Requests", "#number", "#first token, P50", "#first token, P99", "#end to end, P50");
        rows(table, "priority ", trace::priority);
        if (count(trace::adapter).size() > 1 || !count(trace::adapter).containsKey(0)) {
            rows(table, "adapter ", trace::adapter);
        }
        return table;
    }

    private TreeMap<Integer, Integer> count(IntUnaryOperator label) {
        TreeMap<Integer, Integer> counts = new TreeMap<>();
        for (int i = 0; i < trace.size(); i++) {
            counts.merge(label.applyAsInt(i), 1, Integer::sum);
        }
        return counts;
    }

    private void rows(DataTable table, String name, IntUnaryOperator label) {
        for (int value : count(label).keySet().stream().limit(MOST_ROWS).toList()) {
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
