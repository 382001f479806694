package dev.stagesim.feature.pytorch.trace;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Facts recorded for every operator, and for some communications.
 *
 * @param rfId id of the call, shared with the profiler; {@link #NONE} if missing; the same for all numbers
 * @param fwParent operator of the forward pass that this one belongs to
 * @param seqId number of the autograd node
 * @param scope origin of the call
 * @param tid thread number of the observer
 * @param fwTid thread of the forward pass
 * @param opSchema signature of the operator
 * @param comm facts about a communication
 */
public record OpFacts(
        long rfId,
        long fwParent,
        long seqId,
        long scope,
        long tid,
        long fwTid,
        Optional<String> opSchema,
        Optional<CommFacts> comm) {
    /** Value of a missing number. */
    public static final long NONE = Long.MIN_VALUE;

    /** Names of the required facts that are missing. */
    public List<String> missing() {
        List<String> names = new ArrayList<>();
        long[] numbers = {rfId, fwParent, seqId, scope, tid, fwTid};
        String[] labels = {"rf_id", "fw_parent", "seq_id", "scope", "tid", "fw_tid"};
        for (int i = 0; i < numbers.length; i++) {
            if (numbers[i] == NONE) {
                names.add(labels[i]);
            }
        }
        if (opSchema.isEmpty()) {
            names.add("op_schema");
        }
        return names;
    }
}
