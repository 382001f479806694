package dev.stagesim.sim.systolic;

/** Words of filters of unequal sparsity whose lanes are filters; lanes are best asked for in order. */
final class FilterGaps implements Gaps {
    private final DrawnTaps drawn;
    private final int rows;
    private final int filters;
    private int lane;
    private long sum;

    FilterGaps(DrawnTaps drawn, int filters) {
        this.drawn = drawn;
        this.filters = filters;
        rows = drawn.rows();
    }

    @Override
    public long before(int filter, int row) {
        return drawn.before(row, filter);
    }

    @Override
    public long lanesBefore(int end) {
        if (end < lane / 2) {
            lane = 0;
            sum = 0;
        }
        int last = Math.min(end, filters);
        while (lane < last) {
            sum += drawn.before(rows, lane++);
        }
        while (lane > last) {
            sum -= drawn.before(rows, --lane);
        }
        return sum;
    }
}
