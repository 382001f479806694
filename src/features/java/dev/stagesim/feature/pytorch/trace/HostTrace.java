package dev.stagesim.feature.pytorch.trace;

import java.util.List;

/**
 * The execution trace of one process's host.
 *
 * @param source file as the user would name it
 * @param header what the trace says about itself
 * @param ops operators in file order
 */
public record HostTrace(String source, TraceHeader header, List<HostOp> ops) {
    public HostTrace {
        ops = List.copyOf(ops);
    }
}
