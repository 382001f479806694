package dev.stagesim.verify.mnk;

import dev.stagesim.sim.systolic.Dataflow;

/** Cycles of a matrix product as the reference's first version counts them. */
final class FirstVersion {
    private final int rows;
    private final int columns;

    private FirstVersion(int rows, int columns) {
        this.rows = rows;
        this.columns = columns;
    }

    /** Cycles of an {@code m x k} times {@code k x n} product on a {@code rows x columns} array. */
    public static long cycles(Dataflow dataflow, int rows, int columns, int m, int k, int n) {
        FirstVersion array = new FirstVersion(rows, columns);
        return switch (dataflow) {
            case OS -> array.outputStationary(m, k, n);
            case WS -> array.stationary(k, n, m, 0);
            case IS -> array.stationary(k, m, n, -1);
        };
    }

    /** Use of the array in percent, as reported beside those cycles. */
    public static double utilization(Dataflow dataflow, int rows, int columns, int m, int k, int n) {
        return switch (dataflow) {
            case OS -> new FirstVersionUse(rows, columns, m, k, n).outputStationary();
            case WS -> FirstVersionUse.stationary(rows, columns, k, n, m, 0);
            case IS -> FirstVersionUse.stationary(rows, columns, k, m, n, -1);
        };
    }

    private long outputStationary(int m, int k, int n) {
        long rowFolds = ((long) m + rows - 1) / rows;
        long columnFolds = ((long) n + columns - 1) / columns;
        long lastRows = m - (rowFolds - 1) * rows;
        long lastColumns = n - (columnFolds - 1) * columns;
        long image = (columnFolds - 1) * rowFolds * k
                + Math.max(rowFolds * k + lastRows - 1, rowFolds > 1 ? (rowFolds - 1) * k + rows - 1 : 0);
        long filter = Math.max(
                columnFolds * rowFolds * k + lastColumns - 1,
                columnFolds > 1 ? (columnFolds - 1) * rowFolds * k + columns - 1 : 0);
        return Math.max(Math.max(image, filter), drained(m, k, n, rowFolds, lastRows));
    }

    /** Cycle at which the last output leaves the array. */
    private long drained(int m, int k, int n, long rowFolds, long lastRows) {
        long used = Math.min(columns, n);
        long time = k + used - 1;
        long remaining = n;
        while (true) {
            for (long fold = 0; fold < rowFolds - 1; fold++) {
                time += Math.max(k, Math.min(rows, m - fold * rows));
            }
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

    private long stationary(int k, int across, int time, int adjust) {
        long cycles = 0;
        if (k > rows) {
            for (int column = 0; column < across; column += columns) {
                for (int row = 0; row < k; row += rows) {
                    cycles += 2L * Math.min(rows, k - row) + time + Math.min(across - column, columns) + adjust;
                }
            }
            return cycles;
        }
        int copies = rows / k;
        for (long column = 0; column < across; column += (long) copies * columns) {
            long remaining = across - column;
            long used = Math.min(copies, (remaining + columns - 1) / columns);
            cycles += used * k + (used > 1 ? columns : Math.min(remaining, columns)) + k + time + adjust;
        }
        return cycles;
    }
}
