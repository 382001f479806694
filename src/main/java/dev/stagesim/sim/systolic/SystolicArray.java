package dev.stagesim.sim.systolic;

import java.util.Optional;
import java.util.stream.IntStream;

/** Computes what layers cost on an array. */
public final class SystolicArray {
    /** Half of what 64 bits count, for stalls. */
    private static final double LARGEST = 0x1p62;

    /** Words on chip that are followed one by one. */
    private static final long LARGEST_WALKED = 1L << 28;

    /** A fetch in its order, and in the rows of a trace. */
    private static final double FETCH_BYTES = 16;

    private SystolicArray() {}

    /** Cycles, utilisation and traffic of one layer. */
    public static LayerFigures simulate(ArraySpec array, LayerShape layer) {
        LayerRun run = new LayerRun(array, layer, RunListener.NONE);
        LayerRun.Traffic traffic = run.run();
        Utilization utilization = Utilization.of(run);
        // The reference reports the number of the last cycle, counted from 0.
        long total = traffic.totalCycles() + (array.compat() == Compat.NONE ? 1 : 0);
        return new LayerFigures(
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

    /** Why a layer cannot run on an array; empty when it can. */
    public static Optional<String> refusal(ArraySpec array, LayerShape layer) {
        boolean isRatio = layer.kept() > 0 && layer.kept() <= layer.block();
        if (array.sparse().filter(spec -> !spec.isOptimized()).isPresent() && !isRatio) {
            return Optional.of("sparsity " + layer.kept() + ":" + layer.block() + " keeps no weights, or too many");
        }
        if (isTooLarge(array, layer)) {
            return Optional.of("larger than can be counted: its cycles times the elements of the array, its"
                    + " multiply-accumulates times 100, or the words of its image or filters exceed 64 bits, or its pixels"
                    + " or weights per filter 32 bits");
        }
        if (isWalkTooLarge(array, layer)) {
            return Optional.of("an image with overlapping windows that neither fits half of its on-chip memory nor lets"
                    + " that memory be followed word by word, because it is larger than 512 MB");
        }
        if (array.missedBy() > 0 && greatestWord(array, layer) + array.missedBy() >= layer.imageWords()) {
            return Optional.of("version 3 leaves IfmapOffset out of a custom layout and finds no words; set it to 0");
        }
        if (layer.filters() == 1 && layer.taps() <= layer.block() && LayerRun.movedWeights(array, layer) > 0) {
            return Optional.of(
                    "version 3 takes the word at address 0 for a weight that is not kept and loses a row of a"
                            + " single filter of one block; set FilterOffset above 0");
        }
        return DrawnTaps.of(array, layer)
                .filter(drawn -> array.dataflow() != Dataflow.WS && drawn.rows() != layer.taps())
                .map(drawn ->
                        "an optimized mapping of sparse filters needs stationary weights, or filters of one block of"
                                + " weights; this layer has " + layer.taps() + " weights per filter");
    }

    /** The last word of the image that some window needs. */
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
                && !(array.sparse().isEmpty() && CalcReads.holds(array.image(), layer.windowedWords()))
                && layer.imageWords() > LARGEST_WALKED
                && array.image().words() > 2 * LARGEST_WALKED;
    }

    /** Memory that a layer takes at most, in bytes; next to nothing where its traffic follows from its sizes. */
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
        return Math.max(Math.max(cycles * cells, words), pixels * taps * layer.filters() * 100) > LARGEST;
    }

    /** Cycles of a layer whose data is always there. */
    public static long cycles(ArraySpec array, LayerShape layer) {
        TapSelection taps = TapSelection.of(layer, array.sparse().isPresent());
        int rows = DrawnTaps.of(array, layer).map(DrawnTaps::rows).orElse(taps.count());
        return Tiling.of(array, layer, rows).cycles();
    }

    private static Optional<SparseFigures> storage(ArraySpec array, LayerRun run) {
        long rows = run.filterRows();
        long kept = run.drawn.map(DrawnTaps::nonZero).orElse(rows * run.layer.filters());
        return array.sparse().map(spec -> SparseStorage.of(run.layer, spec.format(), rows, kept));
    }

    /** Words that sparse filters take. */
    private static final class SparseStorage {
        private static final int WORD_BITS = 32;

        private SparseStorage() {}

        /**
         * Storage of filters with {@code rows} kept weights each.
         *
         * @param rows kept weights per filter, padding included
         */
        static SparseFigures of(LayerShape layer, SparseSpec.Format format, long rows, long nonZero) {
            long original = (long) layer.taps() * layer.filters();
            return switch (format) {
                case CSR -> lists(original, nonZero, layer.taps());
                case CSC -> lists(original, nonZero, layer.filters());
                case ELLPACK_BLOCK -> {
                    double bits =
                            layer.block() <= 1 ? 0 : Integer.SIZE - Integer.numberOfLeadingZeros(layer.block() - 1);
                    double metadata = rows * layer.filters() * bits / WORD_BITS;
                    yield new SparseFigures(original, rows * layer.filters() + metadata, metadata, nonZero, false);
                }
            };
        }

        private static SparseFigures lists(long original, long nonZero, long pointers) {
            long metadata = nonZero + pointers + 1;
            return new SparseFigures(original, nonZero + metadata, metadata, nonZero, true);
        }
    }

    /** Shares of the array in use, summed fold by fold in double precision as the reference sums them. */
    private record Utilization(double mapping, double compute) {
        static Utilization of(LayerRun run) {
            Tiling tiling = run.tiling;
            Compat compat = run.array.compat();
            int r = tiling.rows();
            int c = tiling.columns();
            int period = tiling.period();
            // The reference divides by more than the period for stationary operands.
            int divisor = tiling.dataflow() == Dataflow.OS || compat == Compat.NONE
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

        /** What a fold adds. */
        private interface Share {
            double of(int rowFold, int columnFold);
        }

        /** All folds of a column but the last are alike, and all columns but the last. */
        private static double sum(Tiling tiling, Share share) {
            int lastColumn = tiling.columnFolds() - 1;
            double sum = RepeatedSum.repeat(0, lastColumn, at -> column(tiling, share, 0, at));
            return column(tiling, share, lastColumn, sum);
        }

        private static double column(Tiling tiling, Share share, int columnFold, double sum) {
            int lastRow = tiling.rowFolds() - 1;
            return RepeatedSum.add(sum, share.of(0, columnFold), lastRow) + share.of(lastRow, columnFold);
        }

        /** Filters of unequal sparsity fill every tile otherwise. */
        private static double foldByFold(LayerRun run, double cells) {
            double sum = 0;
            for (int columnFold = 0; columnFold < run.tiling.columnFolds(); columnFold++) {
                for (int rowFold = 0; rowFold < run.tiling.rowFolds(); rowFold++) {
                    sum += run.drawn.orElseThrow().inTile(run.tiling, rowFold, columnFold) / cells;
                }
            }
            return sum;
        }
    }
}
