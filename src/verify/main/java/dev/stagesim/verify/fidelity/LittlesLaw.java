package dev.stagesim.verify.fidelity;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Checks measured rates of closed loops: with all streams busy, the tokens per second are the streams times the tokens of a
 * request, divided by its latency. Without a latency, the time of its output tokens is a lower bound.
 */
final class LittlesLaw {
    /** Maximum ratio of the stated rate to the rate of the latencies; runs start and end with fewer busy streams. */
    private static final double MAX_RATIO = 1.2;

    private static final double MS_PER_S = 1e3;

    private final Map<String, Double> latencies = new HashMap<>();

    LittlesLaw(List<Row> rows) {
        for (Row row : rows) {
            if (!row.load().kind().equals("concurrency")) {
                continue;
            }
            if (row.metric().matches("e2e_(mean|p50)")) {
                latencies.merge(key(row), row.value(), Math::max);
            } else if (row.metric().matches("tpot_(mean|p50)")) {
                latencies.merge(key(row), row.value() * (row.load().output() - 1), Math::max);
            }
        }
    }

    /** @throws UnpredictableRow if a rate exceeds the rate that the latencies of the same run allow */
    void check(Row row) {
        Double ms = row.metric().endsWith("throughput") ? latencies.get(key(row)) : null;
        if (ms == null) {
            return;
        }
        double tokens = row.metric().startsWith("input")
                ? Double.parseDouble(row.load().input())
                : row.load().output();
        if (row.value() / Pool.rateFactor(row) * ms / MS_PER_S
                > MAX_RATIO * row.load().amount() * tokens) {
            throw new UnpredictableRow("the rate exceeds the streams divided by the latency (Little's law)");
        }
    }

    /** Rows of one run differ in metric, and in the name of a storage format. */
    private static String key(Row row) {
        String dtype = row.setup().dtype();
        return row.setting().replace("|" + dtype + "|", dtype.endsWith("fp4") ? "|fp4|" : "|" + dtype + "|");
    }
}
