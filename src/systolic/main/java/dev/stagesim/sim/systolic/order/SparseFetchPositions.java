package dev.stagesim.sim.systolic.order;

import java.util.Arrays;

/**
 * Fetch positions in an order that contains padding: images with windows past the edge, or row-wise sparse filters.
 *
 * <p>The order is a sequence of lines: anti-diagonals of the stack of tiles, or its rows. Words before a line are
 * counted per lane, words within a line per entry. Recently used lines are cached in a fixed amount of memory.
 */
public final class SparseFetchPositions implements FetchPositions {
    private static final int MAX_CACHED = 1 << 17;

    private final PrefetchOrder order;
    private final WordCounter gaps;
    private final int width;
    private final int across;
    private final int mask;
    private final long[] lines;
    private final long[] before;
    /** Per cached line: number of words before each column, and the total at the end. */
    private final int[][] ranks;

    public SparseFetchPositions(PrefetchOrder order, WordCounter gaps) {
        this.order = order;
        this.gaps = gaps;
        width = order.tileWidth;
        across = order.across();
        int kept = Integer.highestOneBit(Math.max(4, MAX_CACHED / width));
        mask = kept - 1;
        lines = new long[kept];
        before = new long[kept];
        ranks = new int[kept][];
        Arrays.fill(lines, -1);
        Arrays.fill(ranks, new int[0]);
    }

    @Override
    public long words() {
        return gaps.lanesBefore(across);
    }

    @Override
    public long entries() {
        return order.entries();
    }

    @Override
    public long firstWord(Stream stream, int cycle) {
        int slot = slot(order.line(stream, cycle));
        return before[slot] + ranks[slot][stream.lowPort(cycle)];
    }

    @Override
    public int words(Stream stream, int cycle) {
        int low = stream.lowPort(cycle);
        int high = stream.highPort(cycle);
        if (low > high) {
            return 0;
        }
        int[] of = ranks[slot(order.line(stream, cycle))];
        return of[high + 1] - of[low];
    }

    @Override
    public long wordOf(int pixel, int tap) {
        int lane = order.laneOf(pixel, tap);
        int column = lane % width;
        long row = (long) (lane / width) * order.tileRows + order.placeOf(pixel, tap);
        int slot = slot(order.isSkewed() ? row + column : row);
        return before[slot] + ranks[slot][column];
    }

    private int slot(long line) {
        int slot = (int) (line & mask);
        if (lines[slot] != line) {
            int previous = (int) ((line - 1) & mask);
            before[slot] = lines[previous] == line - 1 && line > 0
                    ? before[previous] + ranks[previous][width]
                    : wordsBefore(line);
            ranks[slot] = ranks(line, ranks[slot]);
            lines[slot] = line;
        }
        return slot;
    }

    private int[] ranks(long line, int[] old) {
        int[] of = old.length == 0 ? new int[width + 1] : old;
        int count = 0;
        for (int column = 0; column < width; column++) {
            of[column] = count;
            long row = order.isSkewed() ? line - column : line;
            if (row >= 0 && row < order.rows() && order.at(row, column) >= 0) {
                count++;
            }
        }
        of[width] = count;
        return of;
    }

    /**
     * Counts the words in all lines before {@code line}: complete lanes of a tile at once, partially covered lanes
     * individually.
     */
    private long wordsBefore(long line) {
        if (!order.isSkewed()) {
            int tile = (int) (line / order.tileRows);
            int row = (int) (line % order.tileRows);
            long sum = gaps.lanesBefore(lane(tile, 0));
            for (int lane = lane(tile, 0); lane < lane(tile, width); lane++) {
                sum += gaps.before(lane, row);
            }
            return sum;
        }
        int firstTile = (int) Math.max(0, (line - width + 1) / order.tileRows);
        long sum = gaps.lanesBefore(lane(firstTile, 0));
        for (int tile = firstTile; tile < order.tiles && (long) tile * order.tileRows < line; tile++) {
            long top = (long) tile * order.tileRows;
            int whole = (int) Math.max(0, Math.min(width, line - top - order.tileRows + 1));
            sum += gaps.lanesBefore(lane(tile, whole)) - gaps.lanesBefore(lane(tile, 0));
            int cut = (int) Math.min(width, line - top);
            for (int lane = lane(tile, whole); lane < lane(tile, cut); lane++) {
                sum += gaps.before(lane, (int) (line - top - (lane - tile * width)));
            }
        }
        return sum;
    }

    private int lane(int tile, int column) {
        return (int) Math.min(across, (long) tile * width + column);
    }
}
