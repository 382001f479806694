package dev.stagesim.sim.trace.text;

/**
 * A node of the trace of one processor, before it takes the form of a schema.
 *
 * @param id identity, from 0
 * @param layer the layer as the name shows it
 * @param step what the name shows after the layer: the pass of a computation, or the word for a collective
 * @param amount time of a computation, or bytes of a collective
 * @param span which processors take part in a collective
 * @param parents identities of the nodes that must be done before, in the order of the reference
 */
public record TextNode(long id, String layer, String step, boolean collective, long amount, Span span, long[] parents) {
    /** Which processors take part in a collective. */
    public enum Span {
        ALL,
        FIRST,
        /** Those of all dimensions but the first. */
        OTHERS,
        /** Those that share a layer's weights among them. */
        MODEL_GROUP,
        /** Replicas of the same share of a layer's weights. */
        DATA_GROUP,
        /** Replicas that share the experts of a layer. */
        EXPERT_GROUP,
        /** Replicas of the same experts. */
        EXPERT_DATA_GROUP;

        /** True for the groups that a transformer's first line describes. */
        boolean isGroup() {
            return ordinal() >= MODEL_GROUP.ordinal();
        }
    }

    /** Name of the node in a trace. */
    public String name() {
        return (collective ? "COMM_COLL_NODE_" : "COMP_NODE_") + layer + "_" + step;
    }
}
