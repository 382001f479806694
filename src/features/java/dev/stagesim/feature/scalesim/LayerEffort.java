package dev.stagesim.feature.scalesim;

import dev.stagesim.io.scalesim.TopologyRow;
import dev.stagesim.sim.systolic.ArraySpec;
import dev.stagesim.sim.systolic.LayerShape;
import dev.stagesim.sim.systolic.MemoryMode;
import dev.stagesim.sim.systolic.SystolicArray;
import dev.stagesim.stage.Estimate;
import java.util.List;

/**
 * What layers are expected to take.
 *
 * <p>Where the bandwidth is given, every cycle is followed, once for each count; where it is calculated, traces alone follow
 * them, twice. Traces of memories that fetch far more than the array asks for are longer than expected. Images that are walked word by word take a time that their sizes do not tell, since repeated parts are left out.
 */
final class LayerEffort {
    private static final double SECONDS_A_CYCLE = 1e-7;

    /** A word of a trace that is made and formatted. */
    private static final double SECONDS_A_WORD = 2e-7;

    /** A byte that is written, and read again for its digest. */
    private static final double SECONDS_A_BYTE = 5e-9;

    /** A word of a trace of the array's edge, and of one of the memory's. */
    private static final double EDGE_BYTES = 9;

    private static final double OUTSIDE_BYTES = 11;

    /** The lines of a product in all reports together. */
    private static final double REPORT_BYTES = 300;

    private LayerEffort() {}

    static Estimate of(List<ArraySpec> arrays, List<TopologyRow> layers, boolean traces) {
        double followed = 0;
        double words = 0;
        double disk = 0;
        double memory = 0;
        int atOnce = Math.min(layers.size(), Runtime.getRuntime().availableProcessors());
        for (int i = 0; i < layers.size(); i++) {
            ArraySpec array = arrays.get(i);
            LayerShape layer = layers.get(i).layer();
            double cycles = SystolicArray.cycles(array, layer);
            boolean isGiven = array.mode() == MemoryMode.USER;
            followed += cycles * ((isGiven ? 2 : 0) + (traces ? isGiven ? 1 : 2 : 0));
            disk += layers.get(i).products() * REPORT_BYTES;
            if (traces) {
                double edge = cycles * (array.rows() + 2.0 * array.columns());
                double fetched = ((double) layer.pixels() + layer.filters()) * layer.taps();
                words += edge;
                // A small memory fetches again what crosses the edge again.
                disk += edge * (EDGE_BYTES + OUTSIDE_BYTES) + fetched * OUTSIDE_BYTES;
            }
            // Layers are run side by side, and traced one after the other.
            double walked = SystolicArray.memoryBytes(array, layer, false) * atOnce;
            double traced = traces ? SystolicArray.memoryBytes(array, layer, true) : 0;
            memory = Math.max(memory, Math.max(walked, traced));
        }
        return new Estimate(
                followed,
                "cycles that are followed",
                followed * SECONDS_A_CYCLE + words * SECONDS_A_WORD + disk * SECONDS_A_BYTE,
                memory,
                disk);
    }
}
