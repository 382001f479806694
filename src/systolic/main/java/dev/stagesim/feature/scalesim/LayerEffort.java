package dev.stagesim.feature.scalesim;

import dev.stagesim.io.scalesim.TopologyRow;
import dev.stagesim.sim.systolic.SystolicArray;
import dev.stagesim.sim.systolic.spec.ArraySpec;
import dev.stagesim.sim.systolic.spec.LayerShape;
import dev.stagesim.sim.systolic.spec.MemoryMode;
import dev.stagesim.stage.Estimate;
import java.util.List;

/**
 * Estimates the run time, disk space and memory for a set of layers.
 *
 * <p>In USER mode every cycle is simulated, once per result. In CALC mode only traces simulate cycles, twice. Traces of
 * memories that fetch much more than the array requests are longer than estimated. The time of a word-by-word
 * simulation cannot be estimated from the sizes, because repeated parts are skipped.
 */
final class LayerEffort {
    private static final double SECONDS_PER_CYCLE = 1e-7;

    /** Time to create and format a trace word. */
    private static final double SECONDS_PER_WORD = 2e-7;

    /** Time to write a byte and read it again for the digest. */
    private static final double SECONDS_PER_BYTE = 5e-9;

    /** Bytes per word in an SRAM trace. */
    private static final double EDGE_BYTES = 9;

    private static final double OUTSIDE_BYTES = 11;

    /** Bytes per product in all reports. */
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
                // A small memory fetches a word again each time the array requests it.
                disk += edge * (EDGE_BYTES + OUTSIDE_BYTES) + fetched * OUTSIDE_BYTES;
            }
            // Layers run in parallel, but their traces are written sequentially.
            double walked = SystolicArray.memoryBytes(array, layer, false) * atOnce;
            double traced = traces ? SystolicArray.memoryBytes(array, layer, true) : 0;
            memory = Math.max(memory, Math.max(walked, traced));
        }
        return new Estimate(
                followed,
                "simulated cycles",
                followed * SECONDS_PER_CYCLE + words * SECONDS_PER_WORD + disk * SECONDS_PER_BYTE,
                memory,
                disk);
    }
}
