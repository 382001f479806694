package dev.stagesim.config.bind;

import dev.stagesim.config.tree.MapNode;
import dev.stagesim.config.tree.Node;
import dev.stagesim.config.tree.Origin;
import dev.stagesim.config.tree.ScalarNode;

/**
 * Drops the keys that a replaced variant left behind.
 *
 * <p>When a later layer switches a section from one kind to another, what earlier files said for the old kind is moot;
 * what stands in the same file as the new kind, or on the command line, is not, and stays to be reported. Defaults of
 * another kind, merged before the kind was known, are always moot; where the new kind has a key of the same name, its own
 * default holds.
 */
final class StaleKeys {
    private StaleKeys() {}

    static MapNode drop(MapNode given, ScalarNode kind, Shape.Section chosen, Shape.Choice choice) {
        MapNode kept = given;
        for (var entry : given.entries().entrySet()) {
            String key = entry.getKey();
            if (key.equals(choice.key())) {
                continue;
            }
            boolean foreign = chosen.field(key) == null;
            Node value = entry.getValue();
            boolean replaced = isOfReplacedKind(key, kind, choice) && isEarlier(value.origin(), kind.origin());
            boolean moot = foreign
                    ? replaced || (!choice.kindsWith(key).isEmpty() && isDefault(value))
                    : isDefault(value) && isOfReplacedKind(key, kind, choice);
            if (moot) {
                kept = kept.without(key);
            }
        }
        return kept;
    }

    private static boolean isOfReplacedKind(String key, ScalarNode kind, Shape.Choice choice) {
        for (Node old = kind.previous(); old instanceof ScalarNode was; old = was.previous()) {
            Shape.Section section = choice.variants().get(was.text());
            if (section != null && section.field(key) != null && !was.text().equals(kind.text())) {
                return true;
            }
        }
        return false;
    }

    private static boolean isDefault(Node value) {
        if (value instanceof MapNode map && !map.isEmpty()) {
            return map.entries().values().stream().allMatch(StaleKeys::isDefault);
        }
        return value.origin().equals(Origin.DEFAULT);
    }

    private static boolean isEarlier(Origin key, Origin kind) {
        return key.text() == null && !key.source().equals(kind.source());
    }
}
