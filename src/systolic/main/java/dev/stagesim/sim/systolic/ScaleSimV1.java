package dev.stagesim.sim.systolic;

import dev.stagesim.sim.systolic.spec.Dataflow;

/** Cycles of a matrix product as SCALE-Sim version 1 counts them: without memory stalls. */
public final class ScaleSimV1 {
    private final int rows;
    private final int columns;

    private ScaleSimV1(int rows, int columns) {
        this.rows = rows;
        this.columns = columns;
    }

    /** Returns the cycles of an {@code m x k} times {@code k x n} product on a {@code rows x columns} array. */
    public static long cycles(Dataflow dataflow, int rows, int columns, int m, int k, int n) {
        ScaleSimV1 array = new ScaleSimV1(rows, columns);
        return switch (dataflow) {
            case OS -> array.outputStationary(m, k, n);
            case WS -> array.stationary(k, n, m, 0);
            case IS -> array.stationary(k, m, n, -1);
        };
    }

    /** Returns the order of the operations that {@link #utilization} takes. */
    public static double utilizationWork(Dataflow dataflow, int rows, int columns, int m, int n) {
        double folds = Math.ceil((double) m / rows) * Math.ceil((double) n / columns);
        double clocks = (double) rows + columns;
        return dataflow == Dataflow.OS ? folds * clocks * clocks : 1;
    }

    /** Returns the utilization of the array in percent, as version 1 reports it next to the cycles. */
    public static double utilization(Dataflow dataflow, int rows, int columns, int m, int k, int n) {
        return switch (dataflow) {
            case OS -> new ScaleSimV1Utilization(rows, columns, m, k, n).outputStationary(Long.MAX_VALUE);
            case WS -> ScaleSimV1Utilization.stationary(rows, columns, k, n, m, 0);
            case IS -> ScaleSimV1Utilization.stationary(rows, columns, k, m, n, -1);
        };
    }

    private long outputStationary(int m, int k, int n) {
        long rowFolds = (m - 1L) / rows + 1;
        long columnFolds = (n - 1L) / columns + 1;
        long lastRows = m - (rowFolds - 1) * rows;
        long lastColumns = n - (columnFolds - 1) * columns;
        long image = (columnFolds - 1) * rowFolds * k
                + Math.max(rowFolds * k + lastRows - 1, rowFolds > 1 ? (rowFolds - 1) * k + rows - 1 : 0);
        long filter = Math.max(
                columnFolds * rowFolds * k + lastColumns - 1,
                columnFolds > 1 ? (columnFolds - 1) * rowFolds * k + columns - 1 : 0);
        return Math.max(Math.max(image, filter), drained(k, n, rowFolds, lastRows));
    }

    /** Cycle at which the last output leaves the array. */
    private long drained(int k, int n, long rowFolds, long lastRows) {
        long used = Math.min(columns, n);
        long time = k + used - 1;
        long remaining = n;
        while (true) {
            time += (rowFolds - 1) * Math.max(k, rows);
            long last = time + lastRows;
            time -= lastRows + used - 1;
            remaining -= used;
            if (remaining <= 0) {
                return last;
            }
            used = Math.min(remaining, columns);
            time = Math.max(time + k + used, last);
        }
    }

    /** {@code across} columns of {@code k} stationary operands, through which {@code time} rows stream. */
    private long stationary(int k, long across, int time, int adjust) {
        if (k > rows) {
            long rowFolds = (k - 1L) / rows + 1;
            long columnFolds = (across - 1) / columns + 1;
            return rowFolds * columnFolds * (time + adjust) + 2 * columnFolds * k + rowFolds * across;
        }
        long copies = rows / k;
        long whole = (across - 1) / (copies * columns);
        long remaining = across - whole * copies * columns;
        long used = (remaining + columns - 1) / columns;
        long last = used * k + (used > 1 ? columns : remaining) + k + time + adjust;
        return whole * (copies * k + columns + k + time + adjust) + last;
    }
}
