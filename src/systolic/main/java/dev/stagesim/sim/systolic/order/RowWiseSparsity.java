package dev.stagesim.sim.systolic.order;

import dev.stagesim.sim.core.Mt19937;
import dev.stagesim.sim.systolic.spec.ArraySpec;
import dev.stagesim.sim.systolic.spec.LayerShape;
import dev.stagesim.sim.systolic.spec.ScaleSimCompat;
import dev.stagesim.sim.systolic.spec.SparseSpec;
import java.util.Optional;

/**
 * Row-wise sparsity: each filter keeps a random number of weights per block. Two blocks of weights share the array rows
 * of one condensed block.
 *
 * <p>Filter {@code f} keeps the first {@code n(f)} of every {@code block} weights, with {@code n(f)} drawn between 1
 * and half a block. The kept weights of a pair of blocks are stored in the two halves of one condensed block. An array
 * row therefore serves both blocks and reads all image words of the pair.
 */
public final class RowWiseSparsity {
    private final int taps;
    private final int block;
    private final int half;
    private final int pairs;
    private final int filters;
    private final KeptCounts kept;
    private final boolean isFirstLost;

    private RowWiseSparsity(SparseSpec spec, LayerShape layer, int columns, boolean isFirstLost) {
        taps = layer.taps();
        filters = layer.filters();
        block = spec.block();
        half = block / 2;
        pairs = (int) (((long) taps + 2L * block - 1) / (2L * block));
        this.isFirstLost = isFirstLost;
        kept = new KeptCounts(spec.seed(), half, columns);
    }

    /** Returns the sparsity of a layer; empty if its filters are dense or all keep the same weights. */
    public static Optional<RowWiseSparsity> of(ArraySpec array, LayerShape layer) {
        // The reference treats a weight at address 0 as not kept.
        boolean isFirstLost =
                array.compat() == ScaleSimCompat.V3 && array.filter().offset() == 0;
        return array.sparse()
                .filter(SparseSpec::isOptimized)
                .map(spec -> new RowWiseSparsity(spec, layer, array.columns(), isFirstLost));
    }

    /** Rows in the condensed filters, padding included. */
    public int rows() {
        return Math.multiplyExact(pairs, block);
    }

    /** Maps a row of the condensed filter to the weight of the dense filter; -1 for padding. */
    public int original(int row, int filter) {
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

    /** Counts the words in the rows below {@code row} of a condensed filter. */
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
        // The lost word leaves the last position of the first block empty.
        boolean isShort = isFirstLost && filter == 0 && Math.min(count, taps) > 1 && row >= Math.min(count, taps);
        return isShort ? sum - 1 : sum;
    }

    /** Weights kept in all filters. */
    public long nonZero() {
        long sum = 0;
        for (int filter = 0; filter < filters; filter++) {
            int count = kept.of(filter);
            sum += (long) (taps / block) * count + Math.min(count, taps % block);
        }
        return sum;
    }

    /** Words in one tile of the condensed filters. */
    public long inTile(Tiling tiling, int rowFold, int columnFold) {
        int from = rowFold * tiling.rows();
        int to = from + tiling.usedRows(rowFold);
        long sum = 0;
        for (int column = 0; column < tiling.usedColumns(columnFold); column++) {
            int filter = columnFold * tiling.columns() + column;
            sum += before(to, filter) - before(from, filter);
        }
        return sum;
    }

    /** Image words per cycle that cross the edge of an array with {@code rows} rows. */
    public int lanes(int rows) {
        return Math.multiplyExact(2 * rows / block * half, block);
    }

    /** Words that one array row reads per cycle. */
    public int wordsPerRow() {
        return block;
    }

    /** Maps a lane, numbered across all folds, to its image word; -1 beyond the window. */
    public AddressMap readsInPairs(AddressMap image, int rows) {
        int lanes = lanes(rows);
        return (pixel, lane) -> {
            int inFold = lane % lanes;
            int tap = lane / lanes * 2 * rows + inFold / block / half * block + inFold % block;
            return tap < taps ? image.at(pixel, tap) : -1;
        };
    }

    /**
     * Number of weights that each filter keeps per block, drawn in the order of the filters.
     *
     * <p>A ring keeps the most recent draws, enough for a walk over the columns of the array. A request for an older
     * draw restarts the generator.
     */
    static final class KeptCounts {
        private static final int MIN_CACHED = 1 << 14;
        private static final int MAX_COLUMNS = 1 << 20;

        private final long seed;
        private final int max;
        private final int[] ring;
        private Mt19937 random;
        private int next;

        /**
         * Creates draws between 1 and {@code max}.
         *
         * @param columns columns of the array
         */
        KeptCounts(long seed, int max, int columns) {
            this.seed = seed;
            this.max = max;
            random = Mt19937.numpySeed(seed);
            ring = new int[Math.max(MIN_CACHED, Math.min(MAX_COLUMNS, Integer.highestOneBit(columns)) * 8)];
        }

        int of(int filter) {
            if (filter < next - ring.length) {
                random = Mt19937.numpySeed(seed);
                next = 0;
            }
            while (next <= filter) {
                ring[next++ & (ring.length - 1)] = 1 + random.masked(max - 1);
            }
            return ring[filter & (ring.length - 1)];
        }
    }
}
