package dev.stagesim.sim.systolic.order;

import dev.stagesim.sim.systolic.spec.Dataflow;
import java.util.function.LongConsumer;

/**
 * Order in which the words of an operand are prefetched.
 *
 * <p>The operand's tiles are padded to the array width and stacked in fold order. A streamed operand is fetched along
 * the anti-diagonals of the stack, from the bottom left upwards; a stationary operand row by row.
 */
public final class PrefetchOrder implements FetchPositions {
    private final AddressMap map;
    private final boolean isSkewed;
    private final boolean isPortByRow;
    private final Role role;
    private final Dataflow dataflow;
    final int tiles;
    final int tileRows;
    final int tileWidth;
    private final int across;

    public PrefetchOrder(Stream stream, AddressMap map) {
        this.map = map;
        Tiling tiling = stream.tiling;
        isSkewed = stream.isSkewed;
        tileWidth = stream.ports();
        boolean isByRowFold =
                switch (tiling.dataflow()) {
                    case OS, WS -> stream.role == Role.IMAGE;
                    case IS -> stream.role == Role.FILTER;
                };
        isPortByRow = isByRowFold;
        across = isByRowFold ? tiling.acrossRows() : tiling.acrossColumns();
        tiles = isByRowFold ? tiling.rowFolds() : tiling.columnFolds();
        tileRows = stream.isSkewed ? tiling.time() : tiling.acrossRows();
        role = stream.role;
        dataflow = tiling.dataflow();
    }

    long rows() {
        return (long) tiles * tileRows;
    }

    @Override
    public long entries() {
        return rows() * tileWidth;
    }

    /** Valid columns of the last tile. */
    int lastWidth() {
        return across - (tiles - 1) * tileWidth;
    }

    boolean isSkewed() {
        return isSkewed;
    }

    /** Lanes of all tiles. */
    int across() {
        return across;
    }

    /** Number of words, without padding, if every matrix element is a word. */
    @Override
    public long words() {
        return (long) tileRows * across;
    }

    /** Relative address at a position in the stack; -1 for padding. */
    long at(long stackRow, int column) {
        int tile = (int) (stackRow / tileRows);
        int inTile = (int) (stackRow % tileRows);
        int lane = tile * tileWidth + column;
        if (lane >= across) {
            return -1;
        }
        if (role == Role.IMAGE) {
            // Lanes are pixels, except in weight-stationary mode.
            return dataflow == Dataflow.WS ? map.at(inTile, lane) : map.at(lane, inTile);
        }
        // Lanes are filters, except in input-stationary mode.
        return dataflow == Dataflow.IS ? map.at(lane, inTile) : map.at(inTile, lane);
    }

    /** Passes every entry to the consumer in fetch order; -1 for padding. */
    public void each(LongConsumer consumer) {
        long rows = rows();
        if (!isSkewed) {
            for (long row = 0; row < rows; row++) {
                for (int column = 0; column < tileWidth; column++) {
                    consumer.accept(at(row, column));
                }
            }
            return;
        }
        for (long diagonal = 0; diagonal < rows + tileWidth - 1; diagonal++) {
            long top = Math.max(0, diagonal - tileWidth + 1);
            for (long row = Math.min(diagonal, rows - 1); row >= top; row--) {
                consumer.accept(at(row, (int) (diagonal - row)));
            }
        }
    }

    private long wordsBefore(long diagonal) {
        long full = rows() - tileRows;
        return triangle(diagonal, full, tileWidth) + triangle(diagonal - full, tileRows, lastWidth());
    }

    /** Counts the cells (row, column) of a rows x columns rectangle with row + column < bound. */
    private static long triangle(long bound, long rows, int columns) {
        return ramp(bound, columns) - ramp(bound - rows, columns);
    }

    /** Sum of max(0, n - k) over columns k. */
    private static long ramp(long n, int columns) {
        if (n <= 0) {
            return 0;
        }
        long count = Math.min(n, columns);
        return count * n - count * (count - 1) / 2;
    }

    /** Returns the anti-diagonal (or row) of the stack that a stream serves at a cycle of its fold. */
    long line(Stream stream, int cycle) {
        int tile = isPortByRow ? stream.rowFold : stream.columnFold;
        int x = cycle - stream.start;
        if (isSkewed) {
            return (long) tile * tileRows + x;
        }
        return (long) tile * tileRows + (long) stream.rowFold * stream.tiling.rows() + stream.length - 1 - x;
    }

    @Override
    public int words(Stream stream, int cycle) {
        return Math.max(0, stream.highPort(cycle) - stream.lowPort(cycle) + 1);
    }

    @Override
    public long firstWord(Stream stream, int cycle) {
        int tile = isPortByRow ? stream.rowFold : stream.columnFold;
        long line = line(stream, cycle);
        if (!isSkewed) {
            return (long) tile * tileRows * tileWidth + (line - (long) tile * tileRows) * stream.width;
        }
        long lowest = (long) tile * tileRows + Math.min(cycle - stream.start, tileRows - 1);
        return wordsBefore(line) + below(line, lowest);
    }

    /** Returns the lane of an image word: its tap in weight-stationary mode, otherwise its pixel. */
    int laneOf(int pixel, int tap) {
        return dataflow == Dataflow.WS ? tap : pixel;
    }

    /** Returns the place within the lane. */
    int placeOf(int pixel, int tap) {
        return dataflow == Dataflow.WS ? pixel : tap;
    }

    /** Valid for an image without missing entries. */
    @Override
    public long wordOf(int pixel, int tap) {
        int lane = laneOf(pixel, tap);
        int inTile = placeOf(pixel, tap);
        int tile = lane / tileWidth;
        int column = lane % tileWidth;
        if (!isSkewed) {
            int width = tile == tiles - 1 ? lastWidth() : tileWidth;
            return (long) tile * tileRows * tileWidth + (long) inTile * width + column;
        }
        long row = (long) tile * tileRows + inTile;
        return wordsBefore(row + column) + below(row + column, row);
    }

    /** Counts the words on an anti-diagonal in rows below {@code row}. */
    private long below(long diagonal, long row) {
        long full = rows() - tileRows;
        return inRows(diagonal, row + 1, full, tileWidth)
                + inRows(diagonal, Math.max(row + 1, full), rows(), lastWidth());
    }

    private static long inRows(long diagonal, long from, long to, int width) {
        long first = Math.max(from, diagonal - width + 1);
        long last = Math.min(to - 1, diagonal);
        return Math.max(0, last - first + 1);
    }
}
