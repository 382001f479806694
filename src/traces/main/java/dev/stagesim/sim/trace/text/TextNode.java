package dev.stagesim.sim.trace.text;

/**
 * A node in the trace of one processor, independent of the trace schema.
 *
 * @param id node id, from 0
 * @param layer layer name as part of the node's name
 * @param step suffix of the node's name: the pass of a computation, or the type of a collective
 * @param amount duration of a computation, or bytes of a collective
 * @param span processors in a collective
 * @param parents ids of the nodes that must complete first, in the order of the reference
 */
record TextNode(long id, String layer, String step, boolean collective, long amount, Span span, long[] parents) {
    /** Processors that participate in a collective. */
    enum Span {
        ALL,
        FIRST,
        /** Processors along all network dimensions except the first. */
        OTHERS,
        /** Processors that share a layer's weights. */
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
    String name() {
        return (collective ? "COMM_COLL_NODE_" : "COMP_NODE_") + layer + "_" + step;
    }
}
