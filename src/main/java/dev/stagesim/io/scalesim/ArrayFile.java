package dev.stagesim.io.scalesim;

import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.sim.systolic.ArraySpec;
import dev.stagesim.sim.systolic.Compat;
import dev.stagesim.sim.systolic.MemoryMode;
import java.util.List;

/**
 * What an array description says.
 *
 * @param array the array, without custom layouts and recorded latencies
 * @param hasImageLayout whether the image has a custom layout, which the layout table gives; it counts in USER mode
 * @param isReplayed whether recorded memory latencies are to be replayed
 * @param ofLayers what stops any layer, but not a run without layers
 */
public record ArrayFile(
        String runName,
        ArraySpec array,
        boolean hasImageLayout,
        boolean hasFilterLayout,
        boolean isReplayed,
        List<Problem> ofLayers) {
    public ArrayFile {
        ofLayers = List.copyOf(ofLayers);
    }

    /** Refuses to run layers on an array that can run none. */
    public void checkLayers() {
        StageException.refuse(ofLayers);
    }

    /** Whether a layout table is needed: version 3 checks it in CALC mode too, where it changes nothing. */
    public boolean needsLayout() {
        return (hasImageLayout || hasFilterLayout) && (array.mode() == MemoryMode.USER || array.compat() == Compat.V3);
    }
}
