package dev.stagesim.feature.pytorch.trace;

import java.util.List;

/**
 * What linking found.
 *
 * @param trace the linked trace, by ascending identity
 * @param deviceOps device operators in the profiler's trace
 * @param linked device operators that became nodes
 * @param remarks what a person should know, one sentence each
 */
public record LinkResult(PlusTrace trace, int deviceOps, int linked, List<String> remarks) {
    public LinkResult {
        remarks = List.copyOf(remarks);
    }
}
