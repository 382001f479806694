package dev.stagesim.sim.systolic;

import java.util.function.LongConsumer;

/**
 * The order in which the words of an operand are fetched ahead.
 *
 * <p>The operand's tiles are padded to the width of the array and stacked in fold order; a streamed operand is fetched
 * along the anti-diagonals of that stack, from the bottom left up, a stationary one row by row.
 */
final class PrefetchOrder {
    private final AddressMap map;
    private final boolean isSkewed;
    private final boolean isPortByRow;
    private final Role role;
    private final Dataflow dataflow;
    final int tiles;
    final int tileRows;
    final int tileWidth;
    private final int across;

    PrefetchOrder(Stream stream, AddressMap map) {
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

    /** All entries, padding included. */
    long entries() {
        return rows() * tileWidth;
    }

    /** Valid columns of the last tile. */
    int lastWidth() {
        return across - (tiles - 1) * tileWidth;
    }

    /** Words that are not padding, when every element of the matrix is a word. */
    long words() {
        return (long) tileRows * across;
    }

    /** Relative address at a place of the stack, -1 for padding. */
    private long at(long stackRow, int column) {
        int tile = (int) (stackRow / tileRows);
        int inTile = (int) (stackRow % tileRows);
        int lane = tile * tileWidth + column;
        if (lane >= across) {
            return -1;
        }
        if (role == Role.IMAGE) {
            // Lanes are pixels, except where the weights are stationary.
            return dataflow == Dataflow.WS ? map.at(inTile, lane) : map.at(lane, inTile);
        }
        // Lanes are filters, except where the image is stationary.
        return dataflow == Dataflow.IS ? map.at(lane, inTile) : map.at(inTile, lane);
    }

    /** Hands on every entry in order, -1 for padding. */
    void each(LongConsumer consumer) {
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

    /** Words before an anti-diagonal. */
    private long wordsBefore(long diagonal) {
        long full = rows() - tileRows;
        return triangle(diagonal, full, tileWidth) + triangle(diagonal - full, tileRows, lastWidth());
    }

    /** Cells of a rows x columns rectangle whose row and column add up to less than {@code bound}. */
    private static long triangle(long bound, long rows, long columns) {
        return half(bound) - half(bound - rows) - half(bound - columns) + half(bound - rows - columns);
    }

    private static long half(long n) {
        return n <= 0 ? 0 : n * (n + 1) / 2;
    }

    /** Number of the first word that a stream serves at a cycle of its fold, counted from 0. */
    long firstWord(Stream stream, int cycle) {
        int tile = isPortByRow ? stream.rowFold : stream.columnFold;
        int x = cycle - stream.start;
        if (!isSkewed) {
            long tapRow = (long) stream.rowFold * stream.tiling.rows() + stream.length - 1 - x;
            return (long) tile * tileRows * tileWidth + tapRow * stream.width;
        }
        long diagonal = (long) tile * tileRows + x;
        long lowest = (long) tile * tileRows + Math.min(x, tileRows - 1);
        return wordsBefore(diagonal) + below(diagonal, lowest);
    }

    /** Number of the word under a tap of a pixel's window, counted from 0; of an image all of whose entries are words. */
    long wordOf(int pixel, int tap) {
        int lane = dataflow == Dataflow.WS ? tap : pixel;
        int inTile = dataflow == Dataflow.WS ? pixel : tap;
        int tile = lane / tileWidth;
        int column = lane % tileWidth;
        if (!isSkewed) {
            int width = tile == tiles - 1 ? lastWidth() : tileWidth;
            return (long) tile * tileRows * tileWidth + (long) inTile * width + column;
        }
        long row = (long) tile * tileRows + inTile;
        return wordsBefore(row + column) + below(row + column, row);
    }

    /** Words of an anti-diagonal in rows below {@code row}. */
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
