package dev.stagesim.feature.pytorch.link;

import dev.stagesim.feature.pytorch.trace.PlusTrace;
import java.util.List;

/**
 * Result of linking.
 *
 * @param trace linked trace, by ascending id
 * @param deviceOps number of device operators in the profiler trace
 * @param linked number of device operators that became nodes
 * @param remarks notes for the user, one sentence each
 */
public record LinkResult(PlusTrace trace, int deviceOps, int linked, List<String> remarks) {
    public LinkResult {
        remarks = List.copyOf(remarks);
    }
}
