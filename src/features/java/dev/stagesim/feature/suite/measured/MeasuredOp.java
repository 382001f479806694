package dev.stagesim.feature.suite.measured;

/**
 * An operation of the framework's graph.
 *
 * @param node name of the node
 * @param layer layer that it belongs to; other for none
 * @param kind kind of operation
 * @param ns its time in a step, all calls together, median of steps
 */
public record MeasuredOp(String node, String layer, String kind, double ns) {}
