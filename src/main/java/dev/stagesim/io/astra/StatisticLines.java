package dev.stagesim.io.astra;

import dev.stagesim.sim.collective.NpuStatistics;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.LinkedHashMap;
import java.util.Map;

/** What the reference prints about an NPU that has finished: labels and values, in order. */
public final class StatisticLines {
    private static final int DIGITS = 3;
    private static final double PERCENT = 100;

    private StatisticLines() {}

    /** Values by label; empty when the reference gives up on this NPU's statistics. */
    public static Map<String, String> of(NpuStatistics statistics) {
        Map<String, String> lines = new LinkedHashMap<>();
        if (!statistics.isReference()) {
            return lines;
        }
        lines.put("Wall time", Long.toString(statistics.wallNs()));
        statistics.gpuNs().ifPresent(ns -> lines.put("GPU time", Long.toString(ns)));
        statistics.commNs().ifPresent(ns -> lines.put("Comm time", Long.toString(ns)));
        if (statistics.overlapNs() > 0) {
            lines.put("Total compute-communication overlap", Long.toString(statistics.overlapNs()));
        }
        statistics.roofline().ifPresent(use -> {
            lines.put("Compute bound percentage", percent(use.computeBound()));
            lines.put("Average compute utilization", percent(use.compute()));
            lines.put("Average memory utilization", percent(use.memory()));
            lines.put("Average operation intensity", fixed(use.intensity()));
        });
        return lines;
    }

    private static String percent(double share) {
        return fixed(share * PERCENT) + "%";
    }

    /** Three decimals, rounded from the exact binary value as C does. */
    private static String fixed(double value) {
        if (Double.isNaN(value) || Double.isInfinite(value)) {
            return Double.isNaN(value) ? "nan" : value > 0 ? "inf" : "-inf";
        }
        return new BigDecimal(value).setScale(DIGITS, RoundingMode.HALF_EVEN).toPlainString();
    }
}
