package dev.stagesim.io.scalesim;

import dev.stagesim.sim.systolic.ArraySpec;

/**
 * What an array description says.
 *
 * @param runName name of the run
 * @param array the array, without custom layouts and recorded latencies
 * @param hasImageLayout whether the image has a custom layout, which the layout table gives
 * @param hasFilterLayout whether the filters have one
 * @param isReplayed whether recorded memory latencies are to be replayed
 */
public record ArrayFile(
        String runName, ArraySpec array, boolean hasImageLayout, boolean hasFilterLayout, boolean isReplayed) {}
