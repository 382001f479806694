package dev.stagesim.sim.trace.text;

/** How a parallelism turns layers into nodes, pass after pass; made anew for every processor. */
interface TextParallelism {
    void pass(NodeList nodes);
}
