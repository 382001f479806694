package dev.stagesim.feature.suite.graph;

/** Classes of operators with similar efficiency on a device. */
public enum OpClass {
    /** Dense product with weights. */
    MATMUL,
    /** Convolution over all channels. */
    CONV,
    /** Depthwise convolution: each channel separately. */
    DEPTHWISE,
    /** Sequential steps of a recurrent layer. */
    RECURRENT,
    /** Products of two activations. */
    ATTENTION,
    /** Product with a sparse left operand. */
    SPARSE,
    /** Table lookup. */
    LOOKUP,
    /** Normalisation with means and variances. */
    NORM,
    /** Maxima and means over windows or axes. */
    POOL,
    /** Elementwise operators. */
    ELEMENTWISE,
    /** Optimizer: new weights from gradients. */
    OPTIMIZER
}
