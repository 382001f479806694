package dev.stagesim.verify.mnk;

import java.util.Arrays;

/**
 * Use of the array for a matrix product as the reference's first version reports it, in percent.
 *
 * <p>With stationary operands it is the share of elements in use, weighted by the cycles of each fold. With stationary
 * outputs it is the product of rows and columns that read in a cycle, summed over the cycles until the last read; rows and
 * columns are followed one by one, because a row that is ahead waits for its neighbour at the end of a column fold.
 */
final class FirstVersionUse {
    private static final long IDLE = -(1L << 32);

    private final int rows;
    private final int columns;
    private final int m;
    private final int k;
    private final int n;

    FirstVersionUse(int rows, int columns, int m, int k, int n) {
        this.rows = rows;
        this.columns = columns;
        this.m = m;
        this.k = k;
        this.n = n;
    }

    /** Stationary operands of {@code across} columns, through which {@code time} rows stream. */
    static double stationary(int rows, int columns, int k, int across, int time, int adjust) {
        double use = 0;
        long all = 0;
        int copies = Math.max(1, rows / k);
        for (long column = 0; column < across; column += (long) copies * columns) {
            long mapped = Math.min(across - column, (long) copies * columns);
            if (k > rows) {
                for (int row = 0; row < k; row += rows) {
                    int used = Math.min(rows, k - row);
                    long cycles = 2L * used + time + mapped + adjust;
                    use += used * mapped / ((double) rows * columns) * cycles;
                    all += cycles;
                }
            } else {
                long windows = (mapped + columns - 1) / columns;
                long cycles = windows * k + (windows > 1 ? columns : mapped) + k + time + adjust;
                use += k * mapped / ((double) rows * columns) * cycles;
                all += cycles;
            }
        }
        return use / all * 100;
    }

    /** Stationary outputs. */
    double outputStationary() {
        RowReads rowReads = new RowReads();
        ColumnReads columnReads = new ColumnReads();
        double use = 0;
        long cycles = 0;
        double cells = (double) rows * columns;
        do {
            int reading = rowReads.step();
            use += (long) reading * columnReads.step() / cells;
            cycles++;
        } while (!rowReads.isDone() || !columnReads.isDone());
        return use / cycles * 100;
    }

    /** The array's rows, each reading one window of the image after the other. */
    private final class RowReads {
        private final long[] clock = new long[rows];
        private final int[] window = new int[rows];
        private final int[] fold = new int[rows];
        private final boolean[] isWaiting = new boolean[rows];
        private final int folds = (n + columns - 1) / columns;

        RowReads() {
            for (int row = 0; row < rows; row++) {
                clock[row] = row < m ? -row : IDLE;
                window[row] = row;
            }
        }

        /** One cycle; answers how many rows read. */
        int step() {
            int reading = 0;
            for (int row = 0; row < rows; row++) {
                if (clock[row] >= 0) {
                    reading++;
                }
                clock[row]++;
                if (clock[row] > 0 && clock[row] % k == 0) {
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

        /** One row a cycle goes on behind its neighbour. */
        private void release() {
            for (int row = 1; row < rows; row++) {
                if (isWaiting[row] && fold[row] == fold[row - 1] && !isWaiting[row - 1]) {
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
        private final int rowFolds = (m + rows - 1) / rows;
        private int active = Math.min(columns, n);

        ColumnReads() {
            for (int column = 0; column < columns; column++) {
                clock[column] = column < n ? -column : IDLE;
            }
        }

        /** One cycle; answers how many columns read. */
        int step() {
            int reading = 0;
            for (int column = 0; column < columns; column++) {
                if (clock[column] >= 0) {
                    reading++;
                }
                clock[column]++;
                if (clock[column] > 0 && clock[column] % k == 0) {
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
