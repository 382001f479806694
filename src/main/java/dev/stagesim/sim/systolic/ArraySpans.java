package dev.stagesim.sim.systolic;

/** First and last array cycle with a request of one operand, when the array never waits. */
final class ArraySpans {
    private ArraySpans() {}

    static long first(Stream stream) {
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

    static long last(Stream stream) {
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

    private static boolean isBusy(Stream stream, int cycle) {
        for (int port = stream.lowPort(cycle); port <= stream.highPort(cycle); port++) {
            if (stream.at(cycle, port) >= 0) {
                return true;
            }
        }
        return false;
    }
}
