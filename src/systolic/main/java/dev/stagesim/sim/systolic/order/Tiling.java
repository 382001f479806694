package dev.stagesim.sim.systolic.order;

import dev.stagesim.sim.systolic.spec.ArraySpec;
import dev.stagesim.sim.systolic.spec.Dataflow;
import dev.stagesim.sim.systolic.spec.LayerShape;

/**
 * Division of a layer into folds of the array.
 *
 * @param dataflow stationary operand
 * @param rows height of the array
 * @param columns width of the array
 * @param acrossRows problem size along the height
 * @param acrossColumns problem size along the width
 * @param time problem size along time
 */
public record Tiling(Dataflow dataflow, int rows, int columns, int acrossRows, int acrossColumns, int time) {
    /** Creates the folds of a layer with {@code k} rows per filter. */
    public static Tiling of(ArraySpec array, LayerShape layer, int k) {
        int px = layer.pixels();
        int n = layer.filters();
        return switch (array.dataflow()) {
            case OS -> new Tiling(Dataflow.OS, array.rows(), array.columns(), px, n, k);
            case WS -> new Tiling(Dataflow.WS, array.rows(), array.columns(), k, n, px);
            case IS -> new Tiling(Dataflow.IS, array.rows(), array.columns(), k, px, n);
        };
    }

    public int rowFolds() {
        return (acrossRows + rows - 1) / rows;
    }

    public int columnFolds() {
        return (acrossColumns + columns - 1) / columns;
    }

    public long folds() {
        return (long) rowFolds() * columnFolds();
    }

    /** Cycles per fold; folds do not overlap. */
    public int period() {
        return time + columns - 2 + (dataflow == Dataflow.OS ? rows : 2 * rows);
    }

    public long cycles() {
        return Math.multiplyExact(folds(), (long) period());
    }

    public int usedRows(int rowFold) {
        return Math.min(rows, acrossRows - rowFold * rows);
    }

    public int usedColumns(int columnFold) {
        return Math.min(columns, acrossColumns - columnFold * columns);
    }

    /** Array elements in use in a fold. */
    public long used(int rowFold, int columnFold) {
        return (long) usedRows(rowFold) * usedColumns(columnFold);
    }
}
