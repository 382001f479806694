package dev.stagesim.sim.systolic;

/**
 * How a layer is folded onto the array.
 *
 * @param dataflow stationary operand
 * @param rows height of the array
 * @param columns width of the array
 * @param acrossRows extent of the problem along the array's height
 * @param acrossColumns extent along its width
 * @param time extent along time
 */
record Tiling(Dataflow dataflow, int rows, int columns, int acrossRows, int acrossColumns, int time) {
    /** The folds of a layer whose filters have {@code k} rows. */
    static Tiling of(ArraySpec array, LayerShape layer, int k) {
        int px = layer.pixels();
        int n = layer.filters();
        return switch (array.dataflow()) {
            case OS -> new Tiling(Dataflow.OS, array.rows(), array.columns(), px, n, k);
            case WS -> new Tiling(Dataflow.WS, array.rows(), array.columns(), k, n, px);
            case IS -> new Tiling(Dataflow.IS, array.rows(), array.columns(), k, px, n);
        };
    }

    int rowFolds() {
        return (acrossRows + rows - 1) / rows;
    }

    int columnFolds() {
        return (acrossColumns + columns - 1) / columns;
    }

    long folds() {
        return (long) rowFolds() * columnFolds();
    }

    /** Cycles of one fold; folds do not overlap. */
    int period() {
        return time + columns - 2 + (dataflow == Dataflow.OS ? rows : 2 * rows);
    }

    long cycles() {
        return Math.multiplyExact(folds(), (long) period());
    }

    int usedRows(int rowFold) {
        return Math.min(rows, acrossRows - rowFold * rows);
    }

    int usedColumns(int columnFold) {
        return Math.min(columns, acrossColumns - columnFold * columns);
    }

    /** Elements of the array in use in a fold. */
    long used(int rowFold, int columnFold) {
        return (long) usedRows(rowFold) * usedColumns(columnFold);
    }
}
