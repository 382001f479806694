package dev.stagesim.sim.systolic.order;

/**
 * Word counts of row-wise sparse filters if each lane is a weight row. Efficient for places (filters) in increasing
 * order.
 */
public final class RowWordCounter implements WordCounter {
    private final RowWiseSparsity rowWise;
    private final int filters;
    private final int[] next;
    private final long[] count;

    public RowWordCounter(RowWiseSparsity rowWise, int filters) {
        this.rowWise = rowWise;
        this.filters = filters;
        next = new int[rowWise.rows()];
        count = new long[next.length];
    }

    @Override
    public long before(int row, int filter) {
        if (filter == 0) {
            return 0;
        }
        if (filter < next[row]) {
            next[row] = 0;
            count[row] = 0;
        }
        while (next[row] < filter) {
            if (rowWise.original(row, next[row]++) >= 0) {
                count[row]++;
            }
        }
        return count[row];
    }

    @Override
    public long lanesBefore(int lane) {
        long sum = 0;
        for (int filter = 0; filter < filters && lane > 0; filter++) {
            sum += rowWise.before(Math.min(lane, rowWise.rows()), filter);
        }
        return sum;
    }
}
