package dev.stagesim.stage.scalesim;

import dev.stagesim.report.DataTable;
import dev.stagesim.report.Numbers;
import dev.stagesim.sim.systolic.ArraySpec;
import dev.stagesim.sim.systolic.LayerFigures;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/** Where our count of a run and SCALE-Sim's part, figure by figure, and why. */
final class Differences {
    private final ArraySpec array;
    private final List<LayerRow> rows;
    private final List<String[]> found = new ArrayList<>();

    Differences(ArraySpec array, List<LayerRow> rows) {
        this.array = array;
        this.rows = rows;
        sum(
                "Total cycles",
                LayerFigures::totalCycles,
                "SCALE-Sim reports the number of the last cycle, counted from 0");
        sum(
                "Stall cycles",
                LayerFigures::stallCycles,
                "version 3 counts a wait twice and takes off what arrives early");
        sum(
                "OFMAP SRAM writes",
                layer -> layer.output().sram().words(),
                "SCALE-Sim adds a row and a column of the array in every fold of dataflow os");
        sum(
                "OFMAP DRAM writes",
                layer -> layer.output().dram().words(),
                "SCALE-Sim counts the holes of lines that a drain closes early");
        mean(
                "Compute utilisation %",
                LayerFigures::computeUtilization,
                "SCALE-Sim divides by more cycles than a fold of dataflow ws or is has");
    }

    private void sum(String name, ToDoubleFunction<LayerFigures> figure, String why) {
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

    private void mean(String name, ToDoubleFunction<LayerFigures> figure, String why) {
        double ours = rows.stream()
                .mapToDouble(row -> figure.applyAsDouble(row.corrected()))
                .average()
                .orElse(0);
        double theirs = rows.stream()
                .mapToDouble(row -> figure.applyAsDouble(row.reference()))
                .average()
                .orElse(0);
        if (ours != theirs) {
            found.add(new String[] {name + ", mean of layers", Numbers.fixed(ours, 2), Numbers.fixed(theirs, 2), why});
        }
    }

    boolean isEmpty() {
        return found.isEmpty();
    }

    /** Whose figures the rest of the report shows. */
    String sentence() {
        return switch (array.compat()) {
            case NONE -> "Figures are our own; compat=v2 or v3 reports SCALE-Sim's.";
            case V2, V3 ->
                "Figures are those of SCALE-Sim " + array.compat().name().toLowerCase(Locale.ROOT)
                        + ", known miscounts included; compat=none corrects them.";
        };
    }

    DataTable table() {
        DataTable table = new DataTable("Differences from SCALE-Sim").columns("Figure", "#Ours", "#SCALE-Sim", "Why");
        found.forEach(table::row);
        return table;
    }
}
