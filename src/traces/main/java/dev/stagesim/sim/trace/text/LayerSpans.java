package dev.stagesim.sim.trace.text;

/**
 * Processors that participate in the collectives of a layer with shared weights.
 *
 * @param activations processors in the collectives after the forward pass and after the input gradient
 * @param weights processors in the collective after the weight gradient
 * @param combinesWeights true if there is a collective after the weight gradient
 */
record LayerSpans(
        TextNode.Span activations, TextNode.Span weights, boolean combinesWeights, boolean sharesActivations) {
    static final LayerSpans DATA = new LayerSpans(TextNode.Span.ALL, TextNode.Span.ALL, true, false);
    static final LayerSpans MODEL = new LayerSpans(TextNode.Span.ALL, TextNode.Span.ALL, false, true);
    static final LayerSpans DATA_MODEL = new LayerSpans(TextNode.Span.FIRST, TextNode.Span.OTHERS, true, true);
    static final LayerSpans MODEL_DATA = new LayerSpans(TextNode.Span.OTHERS, TextNode.Span.FIRST, true, true);
    static final LayerSpans GROUPS = new LayerSpans(TextNode.Span.MODEL_GROUP, TextNode.Span.DATA_GROUP, true, true);
}
