package dev.stagesim.sim.systolic;

/** Shares of the array in use, summed fold by fold in double precision as the reference sums them. */
record Utilization(double mapping, double compute) {
    static Utilization of(LayerRun run) {
        Tiling tiling = run.tiling;
        Compat compat = run.array.compat();
        int r = tiling.rows();
        int c = tiling.columns();
        int period = tiling.period();
        // The reference divides by more than the period for stationary operands.
        int divisor =
                tiling.dataflow() == Dataflow.OS || compat == Compat.NONE ? period : tiling.time() + 2 * r + 2 * c - 3;
        double cells = (double) r * c;
        double slots = (double) ((long) r * c * divisor);
        double mapping = run.isPaired()
                ? foldByFold(run, cells)
                : sum(tiling, (rowFold, columnFold) -> tiling.used(rowFold, columnFold) / cells);
        double compute = sum(tiling, (rowFold, columnFold) -> tiling.used(rowFold, columnFold) * tiling.time() / slots);
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
