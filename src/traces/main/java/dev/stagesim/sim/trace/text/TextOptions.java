package dev.stagesim.sim.trace.text;

/**
 * Options of the conversion from text to traces.
 *
 * @param schema schema of the traces
 * @param likeReference true to reproduce the reference's errors
 * @param skipsNone true to skip collectives of type NONE; the reference turns them into all-reduces
 * @param numPasses number of training steps
 * @param namesDims true if collectives list the network dimensions that participate
 * @param numDims number of network dimensions
 * @param groups processor groups, for transformers
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
    /** True if the group has one member, so that no communication is needed. */
    boolean isAlone(TextNode.Span span) {
        return span.isGroup() && groups.size(span) == 1;
    }
}
