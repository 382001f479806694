package dev.stagesim.sim.trace.text;

import java.util.Collections;
import java.util.List;
import java.util.SortedSet;
import java.util.stream.IntStream;

/**
 * Activation recomputation: layers that run forward again in the backward pass because their activations were not
 * stored.
 *
 * @param checkpoints layers with stored activations
 * @param initiators layers that trigger the recomputation from the last checkpoint up to themselves before their
 * backward pass
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
