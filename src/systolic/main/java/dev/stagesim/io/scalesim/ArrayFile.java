package dev.stagesim.io.scalesim;

import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.sim.systolic.spec.ArraySpec;
import dev.stagesim.sim.systolic.spec.MemoryMode;
import dev.stagesim.sim.systolic.spec.ScaleSimCompat;
import java.util.List;

/**
 * Content of an array description.
 *
 * @param array the array, without custom layouts and recorded latencies
 * @param hasImageLayout true if the image has a custom layout, given by the layout table; it applies in USER mode
 * @param isReplayed true if recorded memory latencies are replayed
 * @param layerProblems problems that prevent every layer from running, but not a run without layers
 */
public record ArrayFile(
        String runName,
        ArraySpec array,
        boolean hasImageLayout,
        boolean hasFilterLayout,
        boolean isReplayed,
        List<Problem> layerProblems) {
    public ArrayFile {
        layerProblems = List.copyOf(layerProblems);
    }

    /** Fails if the array cannot run any layer. */
    public void checkLayers() {
        StageException.refuse(layerProblems);
    }

    /** True if a layout table is required. Version 3 also checks the table in CALC mode, in which it has no effect. */
    public boolean needsLayout() {
        return (hasImageLayout || hasFilterLayout)
                && (array.mode() == MemoryMode.USER || array.compat() == ScaleSimCompat.V3);
    }
}
