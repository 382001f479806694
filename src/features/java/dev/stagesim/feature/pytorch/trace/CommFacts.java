package dev.stagesim.feature.pytorch.trace;

import java.util.List;
import java.util.Optional;

/**
 * What host or profiler noted about a communication; either may know more.
 *
 * @param collective name of the operation, for example {@code allreduce} or {@code send}
 * @param dtype element type, for example {@code Float}
 * @param inElements elements that go in; negative when unknown
 * @param outElements elements that come out; negative when unknown
 * @param groupName process group
 * @param groupRanks ranks of the group, empty when unknown
 * @param source sending rank of the world; negative when unknown
 * @param target receiving rank of the world; negative when unknown
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

    /** Facts about nothing. */
    public static final CommFacts NONE =
            new CommFacts(Optional.empty(), Optional.empty(), -1, -1, Optional.empty(), List.of(), -1, -1);

    /** These facts, with another's where these say nothing. */
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
