package dev.stagesim.feature.pytorch.trace;

import java.util.List;

/**
 * A linked trace: host operators with times, and the device operators they launched.
 *
 * @param source file as named by the user
 * @param header header of the host trace
 * @param nodes nodes in file order; by ascending id after linking
 */
public record PlusTrace(String source, TraceHeader header, List<PlusNode> nodes) {
    public PlusTrace {
        nodes = List.copyOf(nodes);
    }
}
