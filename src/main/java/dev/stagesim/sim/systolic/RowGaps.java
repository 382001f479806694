package dev.stagesim.sim.systolic;

/** Words of filters of unequal sparsity whose lanes are rows; places, the filters, are best asked for in order. */
final class RowGaps implements Gaps {
    private final DrawnTaps drawn;
    private final int filters;
    private final int[] next;
    private final long[] count;

    RowGaps(DrawnTaps drawn, int filters) {
        this.drawn = drawn;
        this.filters = filters;
        next = new int[drawn.rows()];
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
            if (drawn.original(row, next[row]++) >= 0) {
                count[row]++;
            }
        }
        return count[row];
    }

    @Override
    public long lanesBefore(int lane) {
        long sum = 0;
        for (int filter = 0; filter < filters && lane > 0; filter++) {
            sum += drawn.before(Math.min(lane, drawn.rows()), filter);
        }
        return sum;
    }
}
