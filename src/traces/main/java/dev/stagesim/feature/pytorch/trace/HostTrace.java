package dev.stagesim.feature.pytorch.trace;

import java.util.List;

/**
 * Host execution trace of one process.
 *
 * @param source file as named by the user
 * @param header header of the trace
 * @param ops operators in file order
 */
public record HostTrace(String source, TraceHeader header, List<HostOp> ops) {
    public HostTrace {
        ops = List.copyOf(ops);
    }
}
