package dev.stagesim.feature.pytorch.trace;

import java.util.List;
import java.util.Optional;

/**
 * Facts about a communication from the host's or the profiler's record. A record may lack any of them.
 *
 * @param collective name of the operation, for example {@code allreduce} or {@code send}
 * @param dtype element type, for example {@code Float}
 * @param inElements number of input elements; negative if unknown
 * @param outElements number of output elements; negative if unknown
 * @param groupName process group
 * @param groupRanks ranks of the group, empty if unknown
 * @param source global rank of the sender; negative if unknown
 * @param target global rank of the receiver; negative if unknown
 */
public record CommFacts(
        Optional<String> collective,
        Optional<String> dtype,
        long inElements,
        long outElements,
        Optional<String> groupName,
        List<Integer> groupRanks,
        int source,
        int target) {
    public CommFacts {
        groupRanks = List.copyOf(groupRanks);
    }

    /** No facts. */
    public static final CommFacts NONE =
            new CommFacts(Optional.empty(), Optional.empty(), -1, -1, Optional.empty(), List.of(), -1, -1);

    /** Returns these facts, with missing ones taken from {@code other}. */
    public CommFacts or(CommFacts other) {
        return new CommFacts(
                collective.or(other::collective),
                dtype.or(other::dtype),
                inElements >= 0 ? inElements : other.inElements,
                outElements >= 0 ? outElements : other.outElements,
                groupName.or(other::groupName),
                groupRanks.isEmpty() ? other.groupRanks : groupRanks,
                source >= 0 ? source : other.source,
                target >= 0 ? target : other.target);
    }
}
