package dev.stagesim.sim.systolic;

import java.util.Optional;

/** Computes what layers cost on an array. */
public final class SystolicArray {
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
        return DrawnTaps.of(array, layer)
                .filter(drawn -> array.dataflow() != Dataflow.WS && drawn.rows() != layer.taps())
                .map(drawn ->
                        "an optimized mapping of sparse filters needs stationary weights, or filters of one block of"
                                + " weights; this layer has " + layer.taps() + " weights per filter");
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
}
