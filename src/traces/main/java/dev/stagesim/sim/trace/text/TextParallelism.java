package dev.stagesim.sim.trace.text;

/** Converts layers to nodes, one pass at a time. Each processor uses a new instance. */
interface TextParallelism {
    void pass(NodeList nodes);
}
