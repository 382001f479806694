package dev.stagesim.feature.suite.graph;

/** Kinds of operators whose efficiency on a device is alike. */
public enum OpClass {
    /** A dense product with weights. */
    MATMUL,
    /** A convolution over all channels. */
    CONV,
    /** A convolution of each channel by itself. */
    DEPTHWISE,
    /** The steps of a recurrent layer, one after the other. */
    RECURRENT,
    /** Products of activations with each other. */
    ATTENTION,
    /** A product whose left operand is sparse. */
    SPARSE,
    /** Rows of a table. */
    LOOKUP,
    /** Means and variances. */
    NORM,
    /** Maxima and means over windows or axes. */
    POOL,
    /** Anything computed value by value. */
    ELEMENTWISE,
    /** New weights from gradients. */
    OPTIMIZER
}
