package dev.stagesim.engine.tf;

import java.util.ArrayList;
import java.util.List;
import org.tensorflow.Output;

/** One layer as it was built: what its gradients run between. */
final class Layer {
    /** A gradient that the framework does not have, or that the workload writes itself. */
    interface Backward {
        /** Gradients of the trained values, in order, then of the input where it needs one. */
        List<Output<?>> of(Output<?> gradient);
    }

    final String name;
    final List<Output<?>> inputs = new ArrayList<>();
    final List<Output<?>> trained = new ArrayList<>();
    Output<?> output;
    Backward backward;

    Layer(String name, Output<?> input) {
        this.name = name;
        output = input;
        inputs.add(input);
    }
}
