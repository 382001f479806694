package dev.stagesim.config.compose;

import dev.stagesim.config.tree.MapNode;
import dev.stagesim.model.Problem;
import java.util.List;
import java.util.Optional;

/**
 * The keys that a program supports. Its defaults are merged first, and only these keys may be set without {@code +}.
 */
public interface KnownKeys {
    /** Returns the default values. Every config file is merged into this tree. */
    MapNode defaults();

    /** Returns true if {@code path} may be set: in the defaults, in another variant or in an open map. */
    boolean accepts(List<String> path);

    /** Returns true if the key takes a list. */
    boolean isList(String path);

    /** Returns the known keys directly below {@code path}, for suggestions and completion; empty if there are none. */
    List<String> children(List<String> path);

    /** Returns short names that may be set instead of paths, for suggestions. */
    default List<String> shortKeys() {
        return List.of();
    }

    /** Returns the paths of keys with this name in all sections, in order of declaration, for suggestions. */
    List<String> named(String key);

    /** Returns the error about a key that was renamed or removed; empty for other keys. */
    Optional<Problem> former(List<String> parent, String key);

    /**
     * Returns the problems of plain values in a partially composed tree. Unknown keys, missing values and
     * interpolations are skipped.
     *
     * @param composed false if files are missing from the tree, so that the kinds of its sections are unknown
     */
    List<Problem> wrongValues(MapNode tree, boolean composed);
}
