package dev.stagesim.feature.pytorch.trace;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What the observer notes about every operator, and about some communications.
 *
 * @param rfId identity of the call, shared with the profiler; {@link #NONE} when missing, as for the others
 * @param fwParent operator of the forward pass that this one belongs to
 * @param seqId number of the autograd node
 * @param scope where the call came from
 * @param tid thread, counted by the observer
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
    /** A number that is not there. */
    public static final long NONE = Long.MIN_VALUE;

    /** An operator about which nothing is noted. */
    public static final OpFacts UNKNOWN =
            new OpFacts(NONE, NONE, NONE, NONE, NONE, NONE, Optional.empty(), Optional.empty());

    /** Names of the facts that every operator should have and this one lacks. */
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
