package dev.stagesim.sim.collective;

import java.util.List;

/**
 * A collective given as a trace for every position.
 *
 * @param traces trace of position p: the rank, or its index in the group's sorted list
 */
public record CustomCollective(List<RankTrace> traces) {
    public CustomCollective {
        traces = List.copyOf(traces);
    }

    /** Whether each of so many positions has a trace, and all have one and the same. */
    boolean isSame(int positions) {
        return traces.size() >= positions && traces.stream().distinct().count() == 1;
    }
}
