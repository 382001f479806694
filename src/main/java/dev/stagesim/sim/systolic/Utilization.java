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
        double mapping = 0;
        double compute = 0;
        double cells = (double) r * c;
        double slots = (double) ((long) r * c * divisor);
        for (int columnFold = 0; columnFold < tiling.columnFolds(); columnFold++) {
            double mapped = 0;
            double computed = 0;
            for (int rowFold = 0; rowFold < tiling.rowFolds(); rowFold++) {
                // All folds of a column but the last are alike, unless their filters are of unequal sparsity.
                if (rowFold == 0 || rowFold == tiling.rowFolds() - 1 || run.isPaired()) {
                    long used = (long) tiling.usedRows(rowFold) * tiling.usedColumns(columnFold);
                    mapped = run.mapped(rowFold, columnFold) / cells;
                    computed = used * tiling.time() / slots;
                }
                mapping += mapped;
                compute += computed;
            }
        }
        double folds = tiling.folds();
        return new Utilization(mapping / folds * 100, compute / folds * 100);
    }
}
