package dev.stagesim.config.compose;

import dev.stagesim.config.tree.MapNode;
import dev.stagesim.model.Problem;
import java.util.List;
import java.util.Optional;

/** The keys a program understands: its defaults are merged first, and only known keys may be set without {@code +}. */
public interface KnownKeys {
    /** The tree of default values that every config file is merged onto. */
    MapNode defaults();

    /** True when {@code path} may be set, be it in the defaults, in another variant or in an open map. */
    boolean accepts(List<String> path);

    /** The known keys directly below {@code path}, for suggestions and completion; empty when there are none. */
    List<String> children(List<String> path);

    /** The error about a key that was renamed or removed. */
    default Optional<Problem> former(List<String> parent, String key) {
        return Optional.empty();
    }

    /**
     * What is wrong with the plain values of a tree that could only be composed in part; keys that are unknown, have no
     * value or are interpolations are passed over.
     *
     * @param composed false when files are missing from the tree, so that the kinds of its sections are not known
     */
    default List<Problem> wrongValues(MapNode tree, boolean composed) {
        return List.of();
    }
}
