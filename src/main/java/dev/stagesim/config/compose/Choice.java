package dev.stagesim.config.compose;

import dev.stagesim.config.tree.Origin;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An option chosen for a group: one name, several, or none.
 *
 * @param option the name; null for none and for a list
 * @param list the names; null unless a list was chosen
 * @param declaredIn the config that holds the {@code override} entry; null for the command line
 * @param optional true when the override applies only if the tree has such a group
 * @param where where the choice was written
 */
record Choice(
        @Nullable String option,
        @Nullable List<String> list,
        @Nullable String declaredIn,
        boolean optional,
        Origin where) {
    /** Stands in a list for an item that cannot be a name: Hydra looks at items only when the choice is used. */
    static final String NO_NAME = "\0";

    boolean byUser() {
        return declaredIn == null;
    }

    /** All that it holds; part of the key under which compositions are kept. */
    @Override
    public String toString() {
        return option + "\n" + list + "\n" + declaredIn + "\n" + optional + "\n" + where.describe();
    }

    String describe() {
        return list == null ? String.valueOf(option) : "[" + String.join(",", list) + "]";
    }
}
