package dev.stagesim.config.bind;

import java.util.List;
import java.util.function.Function;

/**
 * Options of the binder.
 *
 * @param ignoreUnknownRoots true if the tree belongs to a downstream stage and has sections that this record lacks
 * @param groupOptions returns the options of the config group at a path ({@code model}, {@code workload}), or an empty
 *     list if there is no such group; used in hints for missing sections
 */
public record BindOptions(boolean ignoreUnknownRoots, Function<String, List<String>> groupOptions) {
    public static final BindOptions STRICT = new BindOptions(false, path -> List.of());

    /** Returns these options, except that unknown sections of the tree are ignored. */
    public BindOptions projecting() {
        return new BindOptions(true, groupOptions);
    }

    /** Returns these options with the given config groups. */
    public BindOptions withGroups(Function<String, List<String>> options) {
        return new BindOptions(ignoreUnknownRoots, options);
    }
}
