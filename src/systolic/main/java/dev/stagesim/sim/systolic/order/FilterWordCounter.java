package dev.stagesim.sim.systolic.order;

/** Word counts of row-wise sparse filters if each lane is a filter. Efficient for queries in increasing order. */
public final class FilterWordCounter implements WordCounter {
    private final RowWiseSparsity rowWise;
    private final int rows;
    private final int filters;
    private int lane;
    private long sum;

    public FilterWordCounter(RowWiseSparsity rowWise, int filters) {
        this.rowWise = rowWise;
        this.filters = filters;
        rows = rowWise.rows();
    }

    @Override
    public long before(int filter, int row) {
        return rowWise.before(row, filter);
    }

    @Override
    public long lanesBefore(int end) {
        if (end < lane / 2) {
            lane = 0;
            sum = 0;
        }
        int last = Math.min(end, filters);
        while (lane < last) {
            sum += rowWise.before(rows, lane++);
        }
        while (lane > last) {
            sum -= rowWise.before(rows, --lane);
        }
        return sum;
    }
}
