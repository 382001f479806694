package dev.stagesim.sim.systolic;

import dev.stagesim.sim.systolic.order.RowWiseSparsity;
import dev.stagesim.sim.systolic.order.TapSelection;
import dev.stagesim.sim.systolic.order.Tiling;
import dev.stagesim.sim.systolic.spec.ArraySpec;
import dev.stagesim.sim.systolic.spec.Dataflow;
import dev.stagesim.sim.systolic.spec.LayerMetrics;
import dev.stagesim.sim.systolic.spec.LayerShape;
import dev.stagesim.sim.systolic.spec.MemoryMode;
import dev.stagesim.sim.systolic.spec.ScaleSimCompat;
import dev.stagesim.sim.systolic.spec.SparseSpec;
import dev.stagesim.sim.systolic.spec.SparseStorageSize;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * Entry point of the systolic-array model: cycles, utilisation and traffic of layers.
 *
 * <p>A layer is divided into folds that fill the array. Operand streams give the words at the array edge in each cycle;
 * the memory model adds the DRAM traffic and, in USER mode, the stalls.
 */
public final class SystolicArray {
    /** Maximum number of cycles or words; half the range of 64 bits leaves room for stalls. */
    private static final double MAX_COUNT = 0x1p62;

    /** Maximum number of on-chip words in a word-by-word simulation. */
    private static final long MAX_WALKED_WORDS = 1L << 28;

    /** Memory per fetched word in the fetch order and the trace rows, in bytes. */
    private static final double FETCH_BYTES = 16;

    private SystolicArray() {}

    /** Simulates one layer. */
    public static LayerMetrics simulate(ArraySpec array, LayerShape layer) {
        LayerRun run = new LayerRun(array, layer, RunListener.NONE);
        LayerRun.Traffic traffic = run.run();
        Utilization utilization = Utilization.of(run);
        // The reference reports the index of the last cycle, counted from 0.
        long total = traffic.totalCycles() + (array.compat() == ScaleSimCompat.NONE ? 1 : 0);
        return new LayerMetrics(
                layer,
                total,
                traffic.stalls(),
                (double) (layer.macs() * 100) / (double) (total * array.rows() * array.columns()),
                utilization.mapping(),
                utilization.compute(),
                traffic.image(),
                traffic.filter(),
                traffic.output(),
                storage(array, run),
                run.isImageScaled());
    }

    /** Returns the reason why an array cannot run a layer; empty if it can. */
    public static Optional<String> unsupportedReason(ArraySpec array, LayerShape layer) {
        boolean isRatio = layer.kept() > 0 && layer.kept() <= layer.block();
        if (array.sparse().filter(spec -> !spec.isOptimized()).isPresent() && !isRatio) {
            return Optional.of("sparsity " + layer.kept() + ":" + layer.block() + " keeps no weights, or too many");
        }
        if (isTooLarge(array, layer)) {
            return Optional.of("too large: its cycles times the elements of the array, its"
                    + " multiply-accumulates times 100, or the words in its image or filters exceed 64 bits, or its pixels"
                    + " or weights per filter 32 bits");
        }
        if (isWalkTooLarge(array, layer)) {
            return Optional.of("the image has overlapping windows and does not fit half of its on-chip memory, and that"
                    + " memory exceeds 512 MB, the limit of the word-by-word simulation");
        }
        if (array.layoutAddressError() > 0
                && greatestWord(array, layer) + array.layoutAddressError() >= layer.imageWords()) {
            return Optional.of("version 3 ignores IfmapOffset in a custom layout and finds no words; set it to 0");
        }
        if (layer.filters() == 1 && layer.taps() <= layer.block() && LayerRun.movedWeights(array, layer) > 0) {
            return Optional.of("version 3 treats the weight at address 0 as not kept and loses a row of a"
                    + " single filter of one block; set FilterOffset above 0");
        }
        return RowWiseSparsity.of(array, layer)
                .filter(rowWise -> array.dataflow() != Dataflow.WS && rowWise.rows() != layer.taps())
                .map(rowWise ->
                        "an optimized mapping of sparse filters needs stationary weights, or filters of one block of"
                                + " weights; this layer has " + layer.taps() + " weights per filter");
    }

    /** Returns the last image word that a window needs. */
    private static long greatestWord(ArraySpec array, LayerShape layer) {
        TapSelection taps = TapSelection.of(
                layer, array.sparse().filter(spec -> !spec.isOptimized()).isPresent());
        return IntStream.range(0, taps.count())
                .map(taps::original)
                .mapToLong(tap -> {
                    int row = tap / (layer.filterWidth() * layer.channels());
                    int column = tap / layer.channels() % layer.filterWidth();
                    long y = last(row, layer.height(), layer.outHeight(), layer.strideHeight());
                    long x = last(column, layer.width(), layer.outWidth(), layer.strideWidth());
                    return (y * layer.width() + x) * layer.channels() + tap % layer.channels();
                })
                .max()
                .orElse(0);
    }

    private static long last(int at, int size, int windows, int stride) {
        return at + Math.min(windows - 1, (size - 1 - at) / stride) * (long) stride;
    }

    private static boolean isWalkTooLarge(ArraySpec array, LayerShape layer) {
        return array.mode() == MemoryMode.CALC
                && !layer.hasOneWindowPerWord()
                && !(array.sparse().isEmpty() && CalcReads.fits(array.image(), layer.windowedWords()))
                && layer.imageWords() > MAX_WALKED_WORDS
                && array.image().words() > 2 * MAX_WALKED_WORDS;
    }

    /** Upper bound of the memory for a layer, in bytes; 0 if closed forms give its traffic. */
    public static double memoryBytes(ArraySpec array, LayerShape layer, boolean isTraced) {
        double weights = (double) layer.taps() * layer.filters();
        if (array.mode() == MemoryMode.USER) {
            return isTraced ? FETCH_BYTES * ((double) layer.pixels() * layer.taps() + weights) : 0;
        }
        boolean isWalked = !layer.hasOneWindowPerWord();
        return (isWalked || isTraced
                        ? ResidentSet.bytes(layer.imageWords(), array.image().words() / 2)
                        : 0)
                + (isTraced ? ResidentSet.bytes((long) weights, array.filter().words() / 2) : 0);
    }

    private static boolean isTooLarge(ArraySpec array, LayerShape layer) {
        double pixels = (double) layer.outHeight() * layer.outWidth();
        double taps = (double) layer.filterHeight() * layer.filterWidth() * layer.channels();
        double edges = 2.0 * array.rows() + array.columns();
        if (Math.max(Math.max(pixels, taps), layer.filters()) + edges > Integer.MAX_VALUE) {
            return true;
        }
        double cells = (double) array.rows() * array.columns();
        double cycles = (double) Tiling.of(array, layer, layer.taps()).folds()
                * Tiling.of(array, layer, layer.taps()).period();
        double words = Math.max((double) layer.height() * layer.width() * layer.channels(), taps * layer.filters());
        return Math.max(Math.max(cycles * cells, words), pixels * taps * layer.filters() * 100) > MAX_COUNT;
    }

    /** Cycles of a layer without memory stalls. */
    public static long cycles(ArraySpec array, LayerShape layer) {
        TapSelection taps = TapSelection.of(layer, array.sparse().isPresent());
        int rows = RowWiseSparsity.of(array, layer).map(RowWiseSparsity::rows).orElse(taps.count());
        return Tiling.of(array, layer, rows).cycles();
    }

    private static Optional<SparseStorageSize> storage(ArraySpec array, LayerRun run) {
        long rows = run.filterRows();
        long kept = run.rowWise.map(RowWiseSparsity::nonZero).orElse(rows * run.layer.filters());
        return array.sparse().map(spec -> SparseStorage.of(run.layer, spec.format(), rows, kept));
    }

    /** Storage size of sparse filters. */
    private static final class SparseStorage {
        private static final int WORD_BITS = 32;

        private SparseStorage() {}

        /**
         * Computes the storage of filters with {@code rows} kept weights each.
         *
         * @param rows kept weights per filter, padding included
         */
        static SparseStorageSize of(LayerShape layer, SparseSpec.Format format, long rows, long nonZero) {
            long original = (long) layer.taps() * layer.filters();
            return switch (format) {
                case CSR -> lists(original, nonZero, layer.taps());
                case CSC -> lists(original, nonZero, layer.filters());
                case ELLPACK_BLOCK -> {
                    double bits =
                            layer.block() <= 1 ? 0 : Integer.SIZE - Integer.numberOfLeadingZeros(layer.block() - 1);
                    double metadata = rows * layer.filters() * bits / WORD_BITS;
                    yield new SparseStorageSize(original, rows * layer.filters() + metadata, metadata, nonZero, false);
                }
            };
        }

        private static SparseStorageSize lists(long original, long nonZero, long pointers) {
            long metadata = nonZero + pointers + 1;
            return new SparseStorageSize(original, nonZero + metadata, metadata, nonZero, true);
        }
    }

    /** Shares of the array in use, summed per fold in double precision in the order of the reference. */
    private record Utilization(double mapping, double compute) {
        static Utilization of(LayerRun run) {
            Tiling tiling = run.tiling;
            ScaleSimCompat compat = run.array.compat();
            int r = tiling.rows();
            int c = tiling.columns();
            int period = tiling.period();
            // The reference divides by more cycles than the period if an operand is stationary.
            int divisor = tiling.dataflow() == Dataflow.OS || compat == ScaleSimCompat.NONE
                    ? period
                    : tiling.time() + 2 * r + 2 * c - 3;
            double cells = (double) r * c;
            double slots = (double) ((long) r * c * divisor);
            double mapping = run.isPaired()
                    ? foldByFold(run, cells)
                    : sum(tiling, (rowFold, columnFold) -> tiling.used(rowFold, columnFold) / cells);
            double compute =
                    sum(tiling, (rowFold, columnFold) -> tiling.used(rowFold, columnFold) * tiling.time() / slots);
            double folds = tiling.folds();
            return new Utilization(mapping / folds * 100, compute / folds * 100);
        }

        /** Contribution of one fold. */
        private interface Share {
            double of(int rowFold, int columnFold);
        }

        /** All folds of a column are equal except the last, and all columns except the last. */
        private static double sum(Tiling tiling, Share share) {
            int lastColumn = tiling.columnFolds() - 1;
            double sum = RepeatedSum.repeat(0, lastColumn, at -> column(tiling, share, 0, at));
            return column(tiling, share, lastColumn, sum);
        }

        private static double column(Tiling tiling, Share share, int columnFold, double sum) {
            int lastRow = tiling.rowFolds() - 1;
            return RepeatedSum.add(sum, share.of(0, columnFold), lastRow) + share.of(lastRow, columnFold);
        }

        /** With row-wise sparsity, each tile has a different fill. */
        private static double foldByFold(LayerRun run, double cells) {
            double sum = 0;
            for (int columnFold = 0; columnFold < run.tiling.columnFolds(); columnFold++) {
                for (int rowFold = 0; rowFold < run.tiling.rowFolds(); rowFold++) {
                    sum += run.rowWise.orElseThrow().inTile(run.tiling, rowFold, columnFold) / cells;
                }
            }
            return sum;
        }
    }
}
