package dev.stagesim.feature.scalesim;

import dev.stagesim.feature.scalesim.ScaleSimSettings.EnergySettings;
import dev.stagesim.report.DataTable;
import dev.stagesim.report.Numbers;
import dev.stagesim.sim.systolic.spec.LayerMetrics;
import dev.stagesim.sim.systolic.spec.OperandTraffic;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** Energy of a run: number of actions times energy per action. */
record EnergyTable(List<Action> actions, String source) {
    private static final double PJ_PER_UJ = 1e6;

    /** One kind of action. */
    record Action(String component, String action, double count, double picojoules) {
        double total() {
            return count * picojoules;
        }
    }

    EnergyTable {
        actions = List.copyOf(actions);
    }

    static EnergyTable of(List<LayerRow> rows, EnergySettings energy) {
        List<Action> actions = new ArrayList<>();
        double macs = rows.stream().mapToDouble(LayerRow::doneMacs).sum();
        actions.add(new Action("array", "multiply-accumulate", macs, energy.macPj()));
        for (boolean isOnChip : new boolean[] {true, false}) {
            String place = isOnChip ? "sram" : "dram";
            double each = isOnChip ? energy.sramPj() : energy.dramPj();
            actions.add(words(rows, "ifmap " + place, "read", LayerMetrics::image, isOnChip, each));
            actions.add(words(rows, "filter " + place, "read", LayerMetrics::filter, isOnChip, each));
            actions.add(words(rows, "ofmap " + place, "write", LayerMetrics::output, isOnChip, each));
        }
        return new EnergyTable(actions, energy.source());
    }

    private static Action words(
            List<LayerRow> rows,
            String component,
            String action,
            Function<LayerMetrics, OperandTraffic> operand,
            boolean isOnChip,
            double each) {
        double count =
                rows.stream().mapToDouble(row -> row.words(operand, isOnChip)).sum();
        return new Action(component, action, count, each);
    }

    double picojoules() {
        return actions.stream().mapToDouble(Action::total).sum();
    }

    DataTable table() {
        DataTable table = new DataTable("Energy by action")
                .columns("Component", "Action", "#Count", "#Each (pJ)", "#Total (µJ)", "#Share %");
        double all = picojoules();
        return table.rows(
                actions,
                action -> List.of(
                        action.component(),
                        action.action(),
                        Numbers.count(Math.round(action.count())),
                        Numbers.significant(action.picojoules(), 4),
                        Numbers.significant(action.total() / PJ_PER_UJ, 4),
                        Numbers.fixed(all == 0 ? 0 : action.total() * 100 / all, 1)));
    }
}
