package dev.stagesim.engine.tf.layer;

import dev.stagesim.engine.tf.graph.Nullable;
import java.util.ArrayList;
import java.util.List;
import org.tensorflow.Output;

/** A layer with the tensors for its gradients. */
final class GradientLayer {
    /** A gradient that the framework does not provide, or that the workload defines. */
    interface Backward {
        /** Returns the gradients of the trained values in order, then of the input if required. */
        List<Output<?>> of(Output<?> gradient);
    }

    final String name;
    final List<Output<?>> inputs = new ArrayList<>();
    final List<Output<?>> trained = new ArrayList<>();
    Output<?> output;
    /** Null if the framework computes the gradients. */
    @Nullable
    Backward backward;

    GradientLayer(String name, Output<?> input) {
        this.name = name;
        output = input;
        inputs.add(input);
    }
}
