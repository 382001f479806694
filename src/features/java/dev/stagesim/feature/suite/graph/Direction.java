package dev.stagesim.feature.suite.graph;

/** The part of a training step that an operator belongs to, in the order of the step. */
public enum Direction {
    /** From inputs to the loss. */
    FORWARD,
    /** From the loss back to a layer's input. */
    INPUT_GRADIENT,
    /** From the loss to a layer's weights. */
    WEIGHT_GRADIENT,
    /** From gradients to new weights. */
    UPDATE
}
