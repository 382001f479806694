package dev.stagesim.io.astra;

import dev.stagesim.sim.collective.result.NpuStatistics;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.LinkedHashMap;
import java.util.Map;

/** Statistics of an NPU in the words of the reference's log. */
public final class StatisticLines {
    private static final int DIGITS = 3;
    private static final double PERCENT = 100;

    private StatisticLines() {}

    /** Returns the values by label, in the reference's order; empty if the reference prints no statistics of the NPU. */
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

    /** Returns three decimals, rounded from the exact binary value like C. The result of 0 / 0 has a sign on x86. */
    private static String fixed(double value) {
        if (Double.isNaN(value) || Double.isInfinite(value)) {
            return Double.isNaN(value) ? "-nan" : value > 0 ? "inf" : "-inf";
        }
        return new BigDecimal(value).setScale(DIGITS, RoundingMode.HALF_EVEN).toPlainString();
    }
}
