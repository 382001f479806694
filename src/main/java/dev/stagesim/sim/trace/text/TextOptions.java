package dev.stagesim.sim.trace.text;

/**
 * What a text is to become.
 *
 * @param schema form of the traces
 * @param likeReference whether to follow the reference where it is wrong
 * @param skipsNone whether collectives of type NONE are left out, where the reference makes all-reduces of them
 * @param numPasses training steps
 * @param namesDims whether collectives name the network dimensions that take part
 * @param numDims network dimensions
 * @param groups groups of processors, for transformers
 */
public record TextOptions(
        TextSchema schema,
        boolean likeReference,
        boolean skipsNone,
        int numNpus,
        int numPasses,
        boolean namesDims,
        int numDims,
        TextGroups groups) {
    /** True if the group has one member, so that there is nothing to communicate. */
    boolean isAlone(TextNode.Span span) {
        return span.isGroup() && groups.size(span) == 1;
    }
}
