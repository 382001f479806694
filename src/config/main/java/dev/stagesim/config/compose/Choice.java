package dev.stagesim.config.compose;

import dev.stagesim.config.tree.Origin;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The option of a group that an override selects: one name, several names, or none.
 *
 * @param option the name, or null if the choice is a list or no option
 * @param list the names, or null unless the choice is a list
 * @param declaredIn the config that contains the {@code override} entry, or null for the command line
 * @param optional true if the override applies only when the tree contains the group
 * @param where the origin of the choice
 */
record Choice(
        @Nullable String option,
        @Nullable List<String> list,
        @Nullable String declaredIn,
        boolean optional,
        Origin where) {
    /** Placeholder for a list item that cannot be a name. Hydra reports such an item only when the choice is used. */
    static final String NO_NAME = "\0";

    boolean byUser() {
        return declaredIn == null;
    }

    boolean selectsSame(Choice other) {
        return Objects.equals(option, other.option) && Objects.equals(list, other.list);
    }

    /** Contains every component: the text is part of the cache key of compositions. */
    @Override
    public String toString() {
        return option + "\n" + list + "\n" + declaredIn + "\n" + optional + "\n" + where.describe();
    }

    String describe() {
        return list == null ? String.valueOf(option) : "[" + String.join(",", list) + "]";
    }
}
