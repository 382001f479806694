package dev.stagesim.feature.pytorch.trace;

import java.util.List;

/**
 * A linked trace: host operators with times, and the device operators that they launched.
 *
 * @param source file as the user would name it
 * @param header what the host's trace says about itself
 * @param nodes nodes in file order; by ascending identity after linking
 */
public record PlusTrace(String source, TraceHeader header, List<PlusNode> nodes) {
    public PlusTrace {
        nodes = List.copyOf(nodes);
    }
}
