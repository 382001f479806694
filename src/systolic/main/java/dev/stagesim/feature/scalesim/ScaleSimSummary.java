package dev.stagesim.feature.scalesim;

import dev.stagesim.contract.RunConditions;
import dev.stagesim.model.Count;
import dev.stagesim.model.KeyNames;
import dev.stagesim.report.DataTable;
import dev.stagesim.report.Numbers;
import dev.stagesim.report.Report;
import dev.stagesim.sim.systolic.spec.ArraySpec;
import dev.stagesim.sim.systolic.spec.LayerMetrics;
import dev.stagesim.sim.systolic.spec.MemoryMode;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/** Summary of a run. */
final class ScaleSimSummary {
    private static final double PJ_PER_UJ = 1e6;

    private final ArraySpec array;
    private final List<LayerRow> rows;
    private final EnergyTable energy;
    private final Differences differences;

    ScaleSimSummary(ArraySpec array, List<LayerRow> rows, EnergyTable energy) {
        this.array = array;
        this.rows = rows;
        this.energy = energy;
        differences = new Differences(array, rows);
    }

    private long cycles() {
        return rows.stream().mapToLong(LayerRow::cycles).sum();
    }

    private long stalls() {
        return rows.stream().mapToLong(LayerRow::stalls).sum();
    }

    private double microjoules() {
        return energy.picojoules() / PJ_PER_UJ;
    }

    private double utilization() {
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

    private String sentence() {
        return Count.of(rows.size(), "layer") + (rows.size() == 1 ? " takes " : " take ") + Numbers.count(cycles())
                + " cycles on a " + array.rows() + " × "
                + array.columns() + " array (" + KeyNames.constant(array.dataflow()) + "), "
                + Numbers.fixed(utilization(), 1) + " % of its peak.";
    }

    /** Returns the sentence on energy and stalls. */
    private String second() {
        return "Energy " + Numbers.significant(microjoules(), 4) + " µJ; " + Numbers.count(stalls())
                + " cycles waited for memory.";
    }

    /** Returns the source of the energy per action. */
    private String energySource() {
        return "Energy per action: " + energy.source()
                + ". Registers within the array, clock and leakage are not counted.";
    }

    private DataTable table() {
        boolean isBatched = rows.stream().anyMatch(row -> row.products() > 1);
        DataTable table = new DataTable("Layers").text("Layer");
        if (isBatched) {
            table.number("Products");
        }
        table.columns("#Cycles", "#Stalls", "#Overall %", "#Mapping %", "#DRAM words", "#Energy (µJ)");
        for (LayerRow row : rows) {
            List<String> cells = new ArrayList<>();
            cells.add(row.name());
            if (isBatched) {
                cells.add(Numbers.count(row.products()));
            }
            cells.add(Numbers.count(row.cycles()));
            cells.add(Numbers.count(row.stalls()));
            cells.add(Numbers.fixed(row.figures().overallUtilization(), 1));
            cells.add(Numbers.fixed(row.figures().mappingEfficiency(), 1));
            cells.add(Numbers.count(Math.round(row.dramWords())));
            cells.add(Numbers.significant(row.picojoules() / PJ_PER_UJ, 4));
            table.row(cells.toArray(new String[0]));
        }
        return table;
    }

    /** The conditions that the cycles hold under. */
    RunConditions conditions() {
        String memories = array.image().kilobytes() + ", " + array.filter().kilobytes() + " and "
                + array.output().kilobytes() + " kB for image, filter and output";
        return new RunConditions(
                "",
                array.rows() + " × " + array.columns() + " array ("
                        + KeyNames.constant(array.dataflow())
                        + "), " + memories + ", bandwidth "
                        + (array.mode() == MemoryMode.USER ? "as given" : "without stalls"),
                "systolic model, compat " + KeyNames.constant(array.compat()),
                "",
                Count.of(rows.size(), "layer"),
                "",
                "",
                "",
                List.of(),
                List.of(),
                List.of("vector units and activation functions", "energy of registers, clock and leakage"));
    }

    Report report(RunConditions conditions) {
        Report report = new Report("Layers on a systolic array")
                .answer(sentence())
                .conditions(conditions)
                .prose(second())
                .prose(differences.sentence());
        if (!rows.isEmpty()) {
            LayerCharts charts = new LayerCharts(array, rows);
            report.section("utilisation", "Utilisation by layer").drawing(charts.heatMap());
            report.section("roofline", "Roofline").charts(charts.roofline(), charts.alongTheRun());
        }
        report.section("layers", "Layers").table(table());
        report.section("energy", "Energy").table(energy.table()).prose(energySource());
        if (!differences.isEmpty()) {
            report.section("differences", "Differences from SCALE-Sim").table(differences.table());
        }
        return report.footer("Stagesim · scale_sim");
    }

    /** Compares the results of the product's model with SCALE-Sim's counting, with the reason of each difference. */
    private static final class Differences {
        private final ArraySpec array;
        private final List<LayerRow> rows;
        private final List<String[]> found = new ArrayList<>();

        Differences(ArraySpec array, List<LayerRow> rows) {
            this.array = array;
            this.rows = rows;
            sum(
                    "Total cycles",
                    LayerMetrics::totalCycles,
                    "SCALE-Sim reports the index of the last cycle, counted from 0");
            sum(
                    "Stall cycles",
                    LayerMetrics::stallCycles,
                    "version 3 counts stalls twice and subtracts early arrivals");
            sum(
                    "OFMAP SRAM writes",
                    layer -> layer.output().sram().words(),
                    "SCALE-Sim adds a row and a column of the array in every fold of dataflow os");
            sum(
                    "OFMAP DRAM writes",
                    layer -> layer.output().dram().words(),
                    "SCALE-Sim counts unused words in lines that a drain closes early");
            mean(
                    "Compute utilisation %",
                    LayerMetrics::computeUtilization,
                    "SCALE-Sim divides by more cycles than a fold of dataflow ws or is has");
        }

        private void sum(String name, ToDoubleFunction<LayerMetrics> figure, String why) {
            double ours = 0;
            double theirs = 0;
            for (LayerRow row : rows) {
                ours += figure.applyAsDouble(row.corrected()) * row.products();
                theirs += figure.applyAsDouble(row.reference()) * row.products();
            }
            if (ours != theirs) {
                found.add(new String[] {name, Numbers.count(Math.round(ours)), Numbers.count(Math.round(theirs)), why});
            }
        }

        private void mean(String name, ToDoubleFunction<LayerMetrics> figure, String why) {
            double ours = rows.stream()
                    .mapToDouble(row -> figure.applyAsDouble(row.corrected()))
                    .average()
                    .orElse(0);
            double theirs = rows.stream()
                    .mapToDouble(row -> figure.applyAsDouble(row.reference()))
                    .average()
                    .orElse(0);
            if (ours != theirs) {
                found.add(new String[] {name + ", mean of layers", Numbers.fixed(ours, 2), Numbers.fixed(theirs, 2), why
                });
            }
        }

        boolean isEmpty() {
            return found.isEmpty();
        }

        /** Returns the sentence that names the version shown in the rest of the report. */
        String sentence() {
            return switch (array.compat()) {
                case NONE -> "Results are from Stagesim's own model; compat=v2 or v3 reports SCALE-Sim's.";
                case V2, V3 ->
                    "Results reproduce SCALE-Sim " + KeyNames.constant(array.compat())
                            + ", including its miscounts; compat=none corrects them.";
            };
        }

        DataTable table() {
            DataTable table =
                    new DataTable("Differences from SCALE-Sim").columns("Figure", "#Ours", "#SCALE-Sim", "Why");
            found.forEach(table::row);
            return table;
        }
    }
}
