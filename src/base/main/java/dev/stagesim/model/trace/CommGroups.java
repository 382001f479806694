package dev.stagesim.model.trace;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Communicator groups by id.
 *
 * @param groups ranks of each group in ring order; ids are above 0
 */
public record CommGroups(Map<Integer, List<Integer>> groups) {
    /** No groups: every collective spans the machine. */
    public static final CommGroups NONE = new CommGroups(Map.of());

    public CommGroups {
        TreeMap<Integer, List<Integer>> copy = new TreeMap<>();
        groups.forEach((id, ranks) -> copy.put(id, List.copyOf(ranks)));
        groups = Collections.unmodifiableMap(copy);
    }
}
