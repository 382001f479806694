package dev.stagesim.sim.collective.trace;

import java.util.List;

/**
 * A collective defined by one trace per position.
 *
 * @param traces trace of position p: the rank, or its index in the group's sorted list
 */
public record CustomCollective(List<RankTrace> traces) {
    public CustomCollective {
        traces = List.copyOf(traces);
    }

    /** True if all of the first {@code positions} positions have the same trace. */
    public boolean isUniform(int positions) {
        return traces.size() >= positions && traces.stream().distinct().count() == 1;
    }
}
