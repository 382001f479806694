package dev.stagesim.sim.systolic;

import java.util.Optional;

/** Computes what layers cost on an array. */
public final class SystolicArray {
    private SystolicArray() {}

    /** Cycles, utilisation and traffic of one layer. */
    public static LayerFigures simulate(ArraySpec array, LayerShape layer) {
        LayerRun run = new LayerRun(array, layer, RunListener.NONE);
        LayerRun.Traffic traffic = run.run();
        Utilization utilization = Utilization.of(run.tiling, array.compat());
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

    /** Cycles of a layer whose data is always there. */
    public static long cycles(ArraySpec array, LayerShape layer) {
        return Tiling.of(array, layer, TapSelection.of(layer, array.sparse().isPresent()))
                .cycles();
    }

    private static Optional<SparseFigures> storage(ArraySpec array, LayerRun run) {
        long rows = run.taps.count();
        return array.sparse().map(spec -> SparseStorage.of(run.layer, spec.format(), rows, rows * run.layer.filters()));
    }
}
