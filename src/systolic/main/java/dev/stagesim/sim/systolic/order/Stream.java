package dev.stagesim.sim.systolic.order;

import dev.stagesim.sim.systolic.spec.Dataflow;

/**
 * One operand's words that cross the edge of the array, fold by fold.
 *
 * <p>Within a fold, port {@code k} of {@code width} serves element {@code e} of {@code length} at cycle {@code start +
 * e} (load of a stationary operand) or {@code start + e + k} (skewed stream). The matrix element is a linear function
 * of {@code k} and {@code e}. If an array row takes several words per cycle, as with row-wise sparse filters, the ports
 * of the row share its skew.
 */
public final class Stream {
    public final Role role;
    public final Tiling tiling;
    public final boolean isSkewed;
    private final AddressMap map;
    private final int group;
    private final int lanes;

    int rowFold;
    int columnFold;
    int start;
    int width;
    int length;
    private int row;
    private int rowPerPort;
    private int rowPerElement;
    private int column;
    private int columnPerPort;
    private int columnPerElement;

    public Stream(Role role, Tiling tiling, AddressMap map) {
        this(role, tiling, map, 1, 0);
    }

    /**
     * Creates a stream with {@code group} words per cycle and array row.
     *
     * @param lanes ports of all rows; 0 for one port per row
     */
    public Stream(Role role, Tiling tiling, AddressMap map, int group, int lanes) {
        this.role = role;
        this.tiling = tiling;
        this.map = map;
        this.group = group;
        this.lanes = lanes;
        Dataflow dataflow = tiling.dataflow();
        isSkewed =
                !((dataflow == Dataflow.WS && role == Role.FILTER) || (dataflow == Dataflow.IS && role == Role.IMAGE));
    }

    public void fold(int newRowFold, int newColumnFold) {
        rowFold = newRowFold;
        columnFold = newColumnFold;
        int r = tiling.rows();
        int usedRows = tiling.usedRows(rowFold);
        int usedColumns = tiling.usedColumns(columnFold);
        int firstRow = rowFold * r;
        int firstColumn = columnFold * tiling.columns();
        int time = tiling.time();
        switch (tiling.dataflow()) {
            case OS -> outputStationary(r, usedRows, usedColumns, firstRow, firstColumn, time);
            case WS -> weightStationary(r, usedRows, usedColumns, firstRow, firstColumn, time);
            case IS -> inputStationary(r, usedRows, usedColumns, firstRow, firstColumn, time);
        }
    }

    private void outputStationary(int r, int usedRows, int usedColumns, int firstRow, int firstColumn, int time) {
        switch (role) {
            case IMAGE -> shape(0, usedRows, time).rows(firstRow, 1, 0).columns(0, 0, 1);
            case FILTER -> shape(0, usedColumns, time).rows(0, 0, 1).columns(firstColumn, 1, 0);
            case OUTPUT ->
                shape(time - 1 + r - usedRows, usedColumns, usedRows)
                        .rows(firstRow + usedRows - 1, 0, -1)
                        .columns(firstColumn, 1, 0);
        }
    }

    private void weightStationary(int r, int usedRows, int usedColumns, int firstRow, int firstColumn, int time) {
        switch (role) {
            case IMAGE ->
                shape(r, lanes > 0 ? lanes : usedRows, time)
                        .rows(0, 0, 1)
                        .columns(lanes > 0 ? rowFold * lanes : firstRow, 1, 0);
            case FILTER ->
                shape(r - usedRows, usedColumns, usedRows)
                        .rows(firstRow + usedRows - 1, 0, -1)
                        .columns(firstColumn, 1, 0);
            case OUTPUT -> shape(2 * r - 1, usedColumns, time).rows(0, 0, 1).columns(firstColumn, 1, 0);
        }
    }

    private void inputStationary(int r, int usedRows, int usedColumns, int firstRow, int firstColumn, int time) {
        switch (role) {
            case IMAGE ->
                shape(r - usedRows, usedColumns, usedRows)
                        .rows(firstColumn, 1, 0)
                        .columns(firstRow + usedRows - 1, 0, -1);
            case FILTER -> shape(r, usedRows, time).rows(firstRow, 1, 0).columns(0, 0, 1);
            case OUTPUT ->
                shape(2 * r - 1, usedColumns, time).rows(firstColumn, 1, 0).columns(0, 0, 1);
        }
    }

    private Stream shape(int newStart, int newWidth, int newLength) {
        start = newStart;
        width = newWidth;
        length = newLength;
        return this;
    }

    private Stream rows(int first, int perPort, int perElement) {
        row = first;
        rowPerPort = perPort;
        rowPerElement = perElement;
        return this;
    }

    private Stream columns(int first, int perPort, int perElement) {
        column = first;
        columnPerPort = perPort;
        columnPerElement = perElement;
        return this;
    }

    /** True if an array row takes one word per cycle. */
    public boolean isSingle() {
        return group == 1;
    }

    /** Cycle of the first word. */
    public int start() {
        return start;
    }

    /** Number of ports in use. */
    public int width() {
        return width;
    }

    /** Cycle after the last word. */
    public int end() {
        return start + length + (isSkewed ? width / group - 1 : 0);
    }

    /** First port that is served at a cycle of the fold. */
    public int lowPort(int cycle) {
        return isSkewed ? Math.max(0, cycle - start - length + 1) * group : 0;
    }

    /** Last port that is served; less than {@link #lowPort} if no port is served. */
    public int highPort(int cycle) {
        int x = cycle - start;
        if (isSkewed) {
            return group == 1 ? Math.min(width - 1, x) : (Math.min(width / group - 1, x) + 1) * group - 1;
        }
        return x >= 0 && x < length ? width - 1 : -1;
    }

    /** Relative address of the word at a port; -1 if there is none. */
    public long at(int cycle, int port) {
        int rowOfArray = group == 1 ? port : port / group;
        int e = cycle - start - (isSkewed ? rowOfArray : 0);
        return map.at(
                row + rowPerPort * port + rowPerElement * e, column + columnPerPort * port + columnPerElement * e);
    }

    /** Ports of this operand at the edge of the array. */
    public int ports() {
        if (lanes > 0) {
            return lanes;
        }
        return switch (role) {
            case OUTPUT -> tiling.columns();
            case IMAGE -> tiling.dataflow() == Dataflow.IS ? tiling.columns() : tiling.rows();
            case FILTER -> tiling.dataflow() == Dataflow.IS ? tiling.rows() : tiling.columns();
        };
    }

    /** Words in the current fold. */
    public long words() {
        return (long) width * length;
    }

    /** Words in the current fold up to and including a cycle. */
    public long wordsThrough(int cycle) {
        int x = cycle - start;
        if (x < 0) {
            return 0;
        }
        if (!isSkewed) {
            return (long) width * Math.min(x + 1, length);
        }
        return ramp((long) x + 1, width) - ramp((long) x + 1 - length, width);
    }

    /** Sum of max(0, n - k) over ports k less than {@code w}. */
    private static long ramp(long n, int w) {
        if (n <= 0) {
            return 0;
        }
        long ports = Math.min(n, w);
        return ports * n - ports * (ports - 1) / 2;
    }

    private static long ceil(long value, long by) {
        return (value + by - 1) / by;
    }

    /** Returns the cycle within the fold that serves the {@code nth} word, counted from 1. */
    public int cycleOf(long nth) {
        long steady = ceil(nth + (long) width * (width - 1) / 2, width) - 1;
        if (isSkewed && steady >= width - 1 && steady < length) {
            return start + (int) steady;
        }
        int low = start;
        int high = end() - 1;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (wordsThrough(middle) >= nth) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        return low;
    }
}
