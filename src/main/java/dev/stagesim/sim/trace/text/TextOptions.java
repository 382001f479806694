package dev.stagesim.sim.trace.text;

/**
 * What a text is to become.
 *
 * @param schema form of the traces
 * @param likeReference whether to follow the reference where it is wrong
 * @param numNpus processors
 * @param numPasses training steps
 * @param namesDims whether collectives name the network dimensions that take part
 * @param numDims network dimensions
 * @param modelGroup processors that share a layer's weights, for transformers
 */
public record TextOptions(
        TextSchema schema,
        boolean likeReference,
        int numNpus,
        int numPasses,
        boolean namesDims,
        int numDims,
        int modelGroup) {
    /** How many processors take part in a collective, as far as groups tell. */
    int membersOf(TextNode.Span span) {
        return switch (span) {
            case MODEL_GROUP -> modelGroup;
            case DATA_GROUP -> numNpus / modelGroup;
            default -> numNpus;
        };
    }
}
