package dev.stagesim.sim.systolic;

import dev.stagesim.sim.core.Mt19937;
import java.util.Optional;

/**
 * Filters that each keep a number of weights of their own, condensed so that two blocks of weights share the rows of one.
 *
 * <p>Filter {@code f} keeps the first {@code n(f)} of every {@code block} weights, {@code n(f)} drawn between 1 and half a
 * block. The kept weights of a pair of blocks lie in the two halves of one condensed block, so a row of the array serves
 * either block and reads the words of the image that belong to all of it.
 */
final class DrawnTaps {
    private final int taps;
    private final int block;
    private final int half;
    private final int pairs;
    private final int filters;
    private final KeptDraws kept;
    private final boolean isFirstLost;

    private DrawnTaps(SparseSpec spec, LayerShape layer, int columns, boolean isFirstLost) {
        taps = layer.taps();
        filters = layer.filters();
        block = spec.block();
        half = block / 2;
        pairs = (int) (((long) taps + 2L * block - 1) / (2L * block));
        this.isFirstLost = isFirstLost;
        kept = new KeptDraws(spec.seed(), half, columns);
    }

    /** The draws for a layer; empty when its filters are dense or all alike. */
    static Optional<DrawnTaps> of(ArraySpec array, LayerShape layer) {
        // The reference takes the word at address 0 for a weight that is not kept.
        boolean isFirstLost = array.compat() == Compat.V3 && array.filter().offset() == 0;
        return array.sparse()
                .filter(SparseSpec::isOptimized)
                .map(spec -> new DrawnTaps(spec, layer, array.columns(), isFirstLost));
    }

    /** Rows of the condensed filters, padding included. */
    int rows() {
        return Math.multiplyExact(pairs, block);
    }

    /** Weight of the dense filter at a row of the condensed one, -1 for padding. */
    int original(int row, int filter) {
        int pair = row / (2 * half);
        int in = row % (2 * half);
        int from = (2 * pair + in / half) * block;
        int index = in % half;
        int count = Math.min(kept.of(filter), taps - from);
        if (pair >= pairs) {
            return -1;
        }
        if (isFirstLost && filter == 0 && from == 0 && count > 1) {
            return index < count - 1 ? index + 1 : -1;
        }
        return index < count ? from + index : -1;
    }

    /** Words in the rows below one of a condensed filter. */
    long before(int row, int filter) {
        int count = kept.of(filter);
        int pair = Math.min(row / (2 * half), pairs);
        int in = pair == pairs ? 0 : row % (2 * half);
        long whole = Math.min(2L * pair, taps / block);
        long sum = whole * count + (2L * pair > whole ? Math.min(count, taps % block) : 0);
        for (int part = 0; part < 2; part++) {
            long left = taps - (2L * pair + part) * block;
            sum += Math.max(0, Math.min(Math.min(count, left), in - part * half));
        }
        // A lost word is not there in the last place that the first block could have filled.
        boolean isShort = isFirstLost && filter == 0 && Math.min(count, taps) > 1 && row >= Math.min(count, taps);
        return isShort ? sum - 1 : sum;
    }

    /** Weights kept in all filters. */
    long nonZero() {
        long sum = 0;
        for (int filter = 0; filter < filters; filter++) {
            int count = kept.of(filter);
            sum += (long) (taps / block) * count + Math.min(count, taps % block);
        }
        return sum;
    }

    /** Words kept in a tile of the condensed filters. */
    long inTile(Tiling tiling, int rowFold, int columnFold) {
        int from = rowFold * tiling.rows();
        int to = from + tiling.usedRows(rowFold);
        long sum = 0;
        for (int column = 0; column < tiling.usedColumns(columnFold); column++) {
            int filter = columnFold * tiling.columns() + column;
            sum += before(to, filter) - before(from, filter);
        }
        return sum;
    }

    /** Words of the image that cross the edge of an array of {@code rows} rows in one cycle. */
    int lanes(int rows) {
        return Math.multiplyExact(2 * rows / block * half, block);
    }

    /** Words that one row of the array reads in a cycle. */
    int wordsPerRow() {
        return block;
    }

    /** Word of the image at a lane of a fold, lanes of all folds numbered through; -1 beyond the window. */
    AddressMap paired(AddressMap image, int rows) {
        int lanes = lanes(rows);
        return (pixel, lane) -> {
            int inFold = lane % lanes;
            int tap = lane / lanes * 2 * rows + inFold / block / half * block + inFold % block;
            return tap < taps ? image.at(pixel, tap) : -1;
        };
    }

    /**
     * How many weights each filter keeps of a block, drawn filter by filter.
     *
     * <p>The last draws are kept, enough for a walk over an array's columns; to go further back, the draws begin anew.
     */
    static final class KeptDraws {
        private static final int LEAST_KEPT = 1 << 14;
        private static final int MOST_COLUMNS = 1 << 20;

        private final long seed;
        private final int most;
        private final int[] ring;
        private Mt19937 random;
        private int next;

        /**
         * Draws between 1 and {@code most}.
         *
         * @param columns columns of the array
         */
        KeptDraws(long seed, int most, int columns) {
            this.seed = seed;
            this.most = most;
            random = Mt19937.numpySeed(seed);
            ring = new int[Math.max(LEAST_KEPT, Math.min(MOST_COLUMNS, Integer.highestOneBit(columns)) * 8)];
        }

        int of(int filter) {
            if (filter < next - ring.length) {
                random = Mt19937.numpySeed(seed);
                next = 0;
            }
            while (next <= filter) {
                ring[next++ & (ring.length - 1)] = 1 + random.masked(most - 1);
            }
            return ring[filter & (ring.length - 1)];
        }
    }
}
