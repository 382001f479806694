package dev.stagesim.sim.trace.text;

/**
 * Who takes part in the collectives of a layer whose weights are shared.
 *
 * @param activations in those after the forward pass and after the gradient of the input
 * @param weights in the one after the gradient of the weights
 * @param combinesWeights whether there is one after the gradient of the weights
 */
record LayerSpans(
        TextNode.Span activations, TextNode.Span weights, boolean combinesWeights, boolean sharesActivations) {
    static final LayerSpans DATA = new LayerSpans(TextNode.Span.ALL, TextNode.Span.ALL, true, false);
    static final LayerSpans MODEL = new LayerSpans(TextNode.Span.ALL, TextNode.Span.ALL, false, true);
    static final LayerSpans DATA_MODEL = new LayerSpans(TextNode.Span.FIRST, TextNode.Span.OTHERS, true, true);
    static final LayerSpans MODEL_DATA = new LayerSpans(TextNode.Span.OTHERS, TextNode.Span.FIRST, true, true);
    static final LayerSpans GROUPS = new LayerSpans(TextNode.Span.MODEL_GROUP, TextNode.Span.DATA_GROUP, true, true);
}
