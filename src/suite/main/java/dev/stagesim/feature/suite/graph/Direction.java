package dev.stagesim.feature.suite.graph;

/** Phase of a training step that an operator belongs to, in execution order. */
public enum Direction {
    /** Forward pass, from inputs to the loss. */
    FORWARD,
    /** Backward pass, from the loss to a layer's input. */
    INPUT_GRADIENT,
    /** Backward pass, from the loss to a layer's weights. */
    WEIGHT_GRADIENT,
    /** Optimizer, from gradients to new weights. */
    UPDATE
}
