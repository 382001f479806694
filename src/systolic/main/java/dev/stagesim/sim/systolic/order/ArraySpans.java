package dev.stagesim.sim.systolic.order;

/** Finds the first and last cycle with a request of one operand, assuming that the array never stalls. */
public final class ArraySpans {
    private ArraySpans() {}

    public static long first(Stream stream) {
        Tiling tiling = stream.tiling;
        for (long fold = 0; fold < tiling.folds(); fold++) {
            stream.fold((int) (fold % tiling.rowFolds()), (int) (fold / tiling.rowFolds()));
            for (int cycle = stream.start; cycle < stream.end(); cycle++) {
                if (isBusy(stream, cycle)) {
                    return fold * tiling.period() + cycle;
                }
            }
        }
        throw new IllegalStateException("a layer without requests");
    }

    public static long last(Stream stream) {
        Tiling tiling = stream.tiling;
        for (long fold = tiling.folds() - 1; fold >= 0; fold--) {
            stream.fold((int) (fold % tiling.rowFolds()), (int) (fold / tiling.rowFolds()));
            for (int cycle = stream.end() - 1; cycle >= stream.start; cycle--) {
                if (isBusy(stream, cycle)) {
                    return fold * tiling.period() + cycle;
                }
            }
        }
        throw new IllegalStateException("a layer without requests");
    }

    /** Overload for an image with windows that extend past its edge. */
    public static long last(Stream stream, WindowWordCounter gaps) {
        Tiling tiling = stream.tiling;
        int rowFolds = tiling.rowFolds();
        for (long fold = tiling.folds() - 1; fold >= 0; fold--) {
            int rowFold = (int) (fold % rowFolds);
            int columnFold = (int) (fold / rowFolds);
            stream.fold(rowFold, columnFold);
            int firstLane = stream.isSkewed ? rowFold * tiling.rows() : columnFold * tiling.columns();
            int best = -1;
            for (int port = 0; port < stream.width; port++) {
                int place = gaps.last(firstLane + port);
                best = Math.max(best, stream.isSkewed && place >= 0 ? place + port : place);
            }
            if (best >= 0 && stream.isSkewed) {
                return fold * tiling.period() + stream.start + best;
            }
            int top = rowFold * tiling.rows();
            if (best >= top) {
                // The first words in the tile are the last ones to be loaded; all words below are loaded earlier.
                return lastLoad(stream, gaps, firstLane, top, fold * tiling.period());
            }
            if (!stream.isSkewed) {
                // Continue with the fold of the last word, or with the previous column fold.
                fold = (long) columnFold * rowFolds + (best < 0 ? 0 : best / tiling.rows() + 1);
            }
        }
        throw new IllegalStateException("a layer without requests");
    }

    /** Returns the cycle of a tile's last load. A tile is loaded from its last row upwards. */
    private static long lastLoad(Stream stream, WindowWordCounter gaps, int firstLane, int top, long begin) {
        for (int row = 0; row < stream.length; row++) {
            for (int port = 0; port < stream.width; port++) {
                int lane = firstLane + port;
                if (gaps.before(lane, top + row + 1) > gaps.before(lane, top + row)) {
                    return begin + stream.start + stream.length - 1 - row;
                }
            }
        }
        throw new IllegalStateException("a tile without words");
    }

    private static boolean isBusy(Stream stream, int cycle) {
        for (int port = stream.lowPort(cycle); port <= stream.highPort(cycle); port++) {
            if (stream.at(cycle, port) >= 0) {
                return true;
            }
        }
        return false;
    }
}
