package dev.stagesim.config.bind;

import java.util.List;
import java.util.function.Function;

/**
 * How to bind.
 *
 * @param ignoreUnknownRoots true when the tree belongs to a downstream stage and has sections that this record lacks
 * @param groupOptions the options of the config group at a path ({@code model}, {@code workload}), empty when there is
 *     no such group; used to say how a missing section can be chosen
 */
public record BindOptions(boolean ignoreUnknownRoots, Function<String, List<String>> groupOptions) {
    public static final BindOptions STRICT = new BindOptions(false, path -> List.of());

    /** The same, ignoring sections of the tree that the record does not have. */
    public BindOptions projecting() {
        return new BindOptions(true, groupOptions);
    }

    /** The same, knowing the config groups. */
    public BindOptions withGroups(Function<String, List<String>> options) {
        return new BindOptions(ignoreUnknownRoots, options);
    }
}
