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
    private final int[] kept;
    private final boolean isFirstLost;

    private DrawnTaps(SparseSpec spec, int taps, int filters, boolean isFirstLost) {
        this.taps = taps;
        block = spec.block();
        half = block / 2;
        pairs = (int) (((long) taps + 2L * block - 1) / (2L * block));
        this.isFirstLost = isFirstLost;
        kept = new int[filters];
        Mt19937 random = Mt19937.numpySeed(spec.seed());
        for (int i = 0; i < filters; i++) {
            kept[i] = 1 + random.masked(half - 1);
        }
    }

    /** The draws for a layer; empty when its filters are dense or all alike. */
    static Optional<DrawnTaps> of(ArraySpec array, LayerShape layer) {
        // The reference takes the word at address 0 for a weight that is not kept.
        boolean isFirstLost = array.compat() == Compat.V3 && array.filter().offset() == 0;
        return array.sparse()
                .filter(SparseSpec::isOptimized)
                .map(spec -> new DrawnTaps(spec, layer.taps(), layer.filters(), isFirstLost));
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
        int count = Math.min(kept[filter], taps - from);
        if (pair >= pairs) {
            return -1;
        }
        if (isFirstLost && filter == 0 && from == 0 && count > 1) {
            return index < count - 1 ? index + 1 : -1;
        }
        return index < count ? from + index : -1;
    }

    /** Weights kept in all filters. */
    long nonZero() {
        long sum = 0;
        for (int count : kept) {
            sum += (long) (taps / block) * count + Math.min(count, taps % block);
        }
        return sum;
    }

    /** Words kept in a tile of the condensed filters. */
    long inTile(Tiling tiling, int rowFold, int columnFold) {
        long sum = 0;
        for (int column = 0; column < tiling.usedColumns(columnFold); column++) {
            for (int row = 0; row < tiling.usedRows(rowFold); row++) {
                if (original(rowFold * tiling.rows() + row, columnFold * tiling.columns() + column) >= 0) {
                    sum++;
                }
            }
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
}
