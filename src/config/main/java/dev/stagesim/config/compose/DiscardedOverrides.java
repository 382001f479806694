package dev.stagesim.config.compose;

import dev.stagesim.config.grammar.ConfigOverride;
import dev.stagesim.config.tree.ListNode;
import dev.stagesim.config.tree.MapNode;
import dev.stagesim.config.tree.Node;
import dev.stagesim.config.tree.Origin;
import dev.stagesim.config.tree.Paths;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Finds overrides of values that a later override on the same command line discards.
 *
 * <p>For a key set twice the last value wins, with a warning. A key set and then deleted is an error.
 */
final class DiscardedOverrides {
    private DiscardedOverrides() {}

    /**
     * Returns a warning for each override that has no effect on {@code tree}.
     *
     * @throws dev.stagesim.model.StageException if one override deletes the value of another
     */
    static List<String> check(MapNode tree, List<ConfigOverride> overrides) {
        List<String> warnings = new ArrayList<>();
        for (int i = 0; i < overrides.size(); i++) {
            ConfigOverride override = overrides.get(i);
            Optional<ConfigOverride> later = isValue(override) ? later(overrides, i) : Optional.empty();
            Node node = later.isPresent() ? Paths.get(tree, override.path()) : null;
            if (later.isEmpty() || (node != null && contains(node, override.origin()))) {
                continue;
            }
            if (later.get().type() == ConfigOverride.Type.DELETE) {
                throw Errors.contradiction(
                        override.key(), override.origin(), later.get().origin());
            }
            warnings.add("'" + override.input() + "' has no effect, because '"
                    + later.get().input() + "' comes after it");
        }
        return warnings;
    }

    private static boolean isValue(ConfigOverride override) {
        return override.value().isPresent() && override.type() != ConfigOverride.Type.DELETE;
    }

    /** Returns the last override of the same key or of a parent key. */
    private static Optional<ConfigOverride> later(List<ConfigOverride> overrides, int index) {
        List<String> path = overrides.get(index).path();
        Optional<ConfigOverride> last = Optional.empty();
        for (ConfigOverride other : overrides.subList(index + 1, overrides.size())) {
            List<String> above = other.path();
            boolean covers =
                    above.size() <= path.size() && path.subList(0, above.size()).equals(above);
            if (covers && other.type() != ConfigOverride.Type.APPEND) {
                last = Optional.of(other);
            }
        }
        return last;
    }

    private static boolean contains(Node node, Origin origin) {
        if (node.origin().equals(origin)) {
            return true;
        }
        return node instanceof MapNode map
                ? map.entries().values().stream().anyMatch(child -> contains(child, origin))
                : node instanceof ListNode list && list.items().stream().anyMatch(child -> contains(child, origin));
    }
}
