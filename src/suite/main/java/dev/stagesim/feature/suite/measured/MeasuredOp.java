package dev.stagesim.feature.suite.measured;

/**
 * An operation of the framework's graph.
 *
 * @param node name of the node
 * @param layer its layer, or "other"
 * @param kind kind of operation
 * @param ns time per step over all calls, median of steps
 */
public record MeasuredOp(String node, String layer, String kind, double ns) {}
