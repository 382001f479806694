package dev.stagesim.sim.trace.text;

import java.util.Collections;
import java.util.List;
import java.util.SortedSet;
import java.util.stream.IntStream;

/**
 * Which layers are computed forward once more in the backward pass, because their activations were not kept.
 *
 * @param checkpoints layers whose activations were kept
 * @param initiators layers before whose backward pass everything from the checkpoint up to them is computed again
 */
record Recomputation(SortedSet<Integer> checkpoints, SortedSet<Integer> initiators) {
    static final Recomputation NONE = new Recomputation(Collections.emptySortedSet(), Collections.emptySortedSet());

    /** Layers to compute again before the backward pass of layer {@code i}, in order. */
    List<Integer> before(int i) {
        if (!initiators.contains(i) || checkpoints.headSet(i + 1).isEmpty()) {
            return List.of();
        }
        return IntStream.range(checkpoints.headSet(i + 1).last(), i).boxed().toList();
    }
}
