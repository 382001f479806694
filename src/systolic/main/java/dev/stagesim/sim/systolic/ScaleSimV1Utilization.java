package dev.stagesim.sim.systolic;

import java.util.Arrays;

/**
 * Utilization of the array for a matrix product as SCALE-Sim version 1 reports it, in percent.
 *
 * <p>With stationary operands it is the share of used elements, weighted by the cycles of each fold. With stationary
 * outputs it is the product of reading rows and reading columns, summed over the cycles until the last read. Each row
 * and column has a clock, because a row waits for its neighbour at the end of a column fold. Cycles in which no clock
 * wraps are skipped together.
 */
final class ScaleSimV1Utilization {
    private static final long IDLE = -(1L << 62);

    private final int rows;
    private final int columns;
    private final int m;
    private final int k;
    private final int n;

    ScaleSimV1Utilization(int rows, int columns, int m, int k, int n) {
        this.rows = rows;
        this.columns = columns;
        this.m = m;
        this.k = k;
        this.n = n;
    }

    /** {@code across} columns of {@code k} stationary operands, through which {@code time} rows stream. */
    static double stationary(int rows, int columns, int k, long across, int time, int adjust) {
        double cells = (double) rows * columns;
        long copies = Math.max(1, rows / k);
        long width = copies * columns;
        long whole = (across - 1) / width;
        long rest = across - whole * width;
        Fold full = new Fold(rows, columns, k, width, time + adjust);
        Fold last = new Fold(rows, columns, k, rest, time + adjust);
        double use = RepeatedSum.repeat(0, whole, sum -> full.add(sum, cells));
        return last.add(use, cells) / (whole * full.cycles() + last.cycles()) * 100;
    }

    /** The stationary operands of some columns, {@code mapped} of them in use at a time, in one or more row folds. */
    private record Fold(int rows, int columns, int k, long mapped, int streamed) {
        private long whole() {
            return k > rows ? (k - 1) / rows : 0;
        }

        private long lastRows() {
            return k - whole() * rows;
        }

        private long cycles(long used) {
            if (k > rows) {
                return 2 * used + streamed + mapped;
            }
            long windows = (mapped + columns - 1) / columns;
            return windows * k + (windows > 1 ? columns : mapped) + k + streamed;
        }

        long cycles() {
            return whole() * cycles(rows) + cycles(lastRows());
        }

        /** Adds the used share of the array in each cycle. */
        double add(double sum, double cells) {
            double use = RepeatedSum.add(sum, rows * mapped / cells * cycles(rows), whole());
            return use + lastRows() * mapped / cells * cycles(lastRows());
        }
    }

    /**
     * Stationary outputs.
     *
     * @param maxSkip cycles that may be skipped together
     */
    double outputStationary(long maxSkip) {
        RowReads rowReads = new RowReads();
        ColumnReads columnReads = new ColumnReads();
        double use = 0;
        long cycles = 0;
        double cells = (double) rows * columns;
        do {
            long same = Math.min(maxSkip, Math.min(rowReads.unchanged(), columnReads.unchanged()));
            int reading = rowReads.step(same);
            use = RepeatedSum.add(use, (long) reading * columnReads.step(same) / cells, same);
            cycles += same;
        } while (!rowReads.isDone() || !columnReads.isDone());
        return use / cycles * 100;
    }

    /** Cycles until a clock reaches 0 or {@code k}; every clock is below {@code k}. */
    private static long unchanged(long[] clock, int k) {
        long min = Long.MAX_VALUE;
        for (long at : clock) {
            min = Math.min(min, at < 0 ? -at : k - at);
        }
        return min;
    }

    /** The rows of the array; each reads the windows of the image in sequence. */
    private final class RowReads {
        private final long[] clock = new long[rows];
        private final int[] window = new int[rows];
        private final int[] fold = new int[rows];
        private final boolean[] isWaiting = new boolean[rows];
        private final int folds = (n - 1) / columns + 1;

        RowReads() {
            for (int row = 0; row < rows; row++) {
                clock[row] = row < m ? -row : IDLE;
                window[row] = row;
            }
        }

        /** Returns the number of cycles until the next change. */
        long unchanged() {
            return canRelease() ? 1 : ScaleSimV1Utilization.unchanged(clock, k);
        }

        /** Advances by cycles without a change before the last; returns the number of rows that read in each. */
        int step(long count) {
            int reading = 0;
            for (int row = 0; row < rows; row++) {
                if (clock[row] >= 0) {
                    reading++;
                }
                clock[row] += count;
                if (clock[row] == k) {
                    next(row);
                }
            }
            release();
            return reading;
        }

        private void next(int row) {
            window[row] += rows;
            if (window[row] < m) {
                clock[row] = 0;
                return;
            }
            fold[row]++;
            if (fold[row] >= folds) {
                clock[row] = IDLE;
                return;
            }
            window[row] = row;
            isWaiting[row] = row != 0 && (fold[row] > fold[row - 1] || isWaiting[row - 1]);
            clock[row] = isWaiting[row] ? IDLE : 0;
        }

        private boolean canRelease(int row) {
            return isWaiting[row] && fold[row] == fold[row - 1] && !isWaiting[row - 1];
        }

        private boolean canRelease() {
            for (int row = 1; row < rows; row++) {
                if (canRelease(row)) {
                    return true;
                }
            }
            return false;
        }

        /** Restarts one waiting row per cycle, one cycle after its neighbour. */
        private void release() {
            for (int row = 1; row < rows; row++) {
                if (canRelease(row)) {
                    isWaiting[row] = false;
                    clock[row] = clock[row - 1] - 1;
                    return;
                }
            }
        }

        boolean isDone() {
            return Arrays.stream(clock).allMatch(at -> at <= 0);
        }
    }

    /** The array's columns, each reading its filter once per row fold. */
    private final class ColumnReads {
        private final long[] clock = new long[columns];
        private final int[] rowFold = new int[columns];
        private final int[] columnFold = new int[columns];
        private final int rowFolds = (m - 1) / rows + 1;
        private int active = Math.min(columns, n);

        ColumnReads() {
            for (int column = 0; column < columns; column++) {
                clock[column] = column < n ? -column : IDLE;
            }
        }

        /** Returns the number of cycles until the next change. */
        long unchanged() {
            return ScaleSimV1Utilization.unchanged(clock, k);
        }

        /** Advances by cycles without a change before the last; returns the number of columns that read in each. */
        int step(long count) {
            int reading = 0;
            for (int column = 0; column < columns; column++) {
                if (clock[column] >= 0) {
                    reading++;
                }
                clock[column] += count;
                if (clock[column] == k) {
                    next(column);
                }
            }
            return reading;
        }

        private void next(int column) {
            rowFold[column]++;
            if (rowFold[column] < rowFolds) {
                clock[column] = 0;
                return;
            }
            columnFold[column]++;
            if (columnFold[column] * columns + column < n) {
                clock[column] = 0;
                rowFold[column] = 0;
            } else {
                clock[column] = IDLE;
                active--;
            }
        }

        boolean isDone() {
            return active == 0;
        }
    }
}
