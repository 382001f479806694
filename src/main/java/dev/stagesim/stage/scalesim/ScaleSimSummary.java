package dev.stagesim.stage.scalesim;

import dev.stagesim.report.DataTable;
import dev.stagesim.report.Markdown;
import dev.stagesim.report.Numbers;
import dev.stagesim.sim.systolic.ArraySpec;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** A run at a glance. */
final class ScaleSimSummary {
    private static final double PJ_PER_UJ = 1e6;

    private final ArraySpec array;
    private final List<LayerRow> rows;

    ScaleSimSummary(ArraySpec array, List<LayerRow> rows) {
        this.array = array;
        this.rows = rows;
    }

    long cycles() {
        return rows.stream().mapToLong(row -> row.figures().totalCycles()).sum();
    }

    private long referenceCycles() {
        return rows.stream().mapToLong(LayerRow::referenceCycles).sum();
    }

    long stalls() {
        return rows.stream().mapToLong(row -> row.figures().stallCycles()).sum();
    }

    double microjoules() {
        return rows.stream().mapToDouble(LayerRow::picojoules).sum() / PJ_PER_UJ;
    }

    double utilization() {
        double macs = rows.stream().mapToDouble(LayerRow::macs).sum();
        return cycles() == 0 ? 0 : macs * 100 / ((double) cycles() * array.rows() * array.columns());
    }

    Map<String, Double> headlines() {
        Map<String, Double> figures = new LinkedHashMap<>();
        figures.put("total_cycles", (double) cycles());
        figures.put("stall_cycles", (double) stalls());
        figures.put("overall_utilization_percent", utilization());
        figures.put("energy_uj", microjoules());
        return figures;
    }

    /** One sentence with the answer. */
    String sentence() {
        return rows.size() + " layers take " + Numbers.count(cycles()) + " cycles on a " + array.rows() + " × "
                + array.columns() + " array (" + array.dataflow().name().toLowerCase(Locale.ROOT) + "), "
                + Numbers.fixed(utilization(), 1) + " % of its peak.";
    }

    /** How our figure relates to the reference's. */
    String difference() {
        return "SCALE-Sim v3 reports " + Numbers.count(referenceCycles()) + " cycles for the same layers.";
    }

    DataTable table() {
        DataTable table = new DataTable("Layers")
                .text("Layer")
                .number("Cycles")
                .number("Stalls")
                .number("Overall %")
                .number("Mapping %")
                .number("DRAM words")
                .number("Energy (µJ)");
        for (LayerRow row : rows) {
            table.row(
                    row.figures().layer().name(),
                    Numbers.count(row.figures().totalCycles()),
                    Numbers.count(row.figures().stallCycles()),
                    Numbers.fixed(row.figures().overallUtilization(), 1),
                    Numbers.fixed(row.figures().mappingEfficiency(), 1),
                    Numbers.count(Math.round(row.dramWords())),
                    Numbers.significant(row.picojoules() / PJ_PER_UJ, 4));
        }
        return table;
    }

    String markdown() {
        return new Markdown()
                .heading(1, "Layers on a systolic array")
                .paragraph(sentence())
                .paragraph(difference())
                .paragraph("Energy " + Numbers.significant(microjoules(), 4) + " µJ; " + Numbers.count(stalls())
                        + " cycles waited for memory.")
                .table(table())
                .build();
    }
}
