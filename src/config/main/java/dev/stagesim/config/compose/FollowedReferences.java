package dev.stagesim.config.compose;

import dev.stagesim.config.grammar.ConfigOverride;
import dev.stagesim.config.tree.MapNode;
import dev.stagesim.config.tree.Node;
import dev.stagesim.config.tree.Paths;
import dev.stagesim.config.tree.ScalarNode;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Overrides whose path leads through a reference: since Hydra 1.4 they change the section that it refers to. */
final class FollowedReferences {
    private static final Pattern REFERENCE =
            Pattern.compile("\\$\\{\\s*(\\.*)([^.:{}\\[\\]]+(?:\\.[^.:{}\\[\\]]+)*)\\s*}");
    private static final int MAX_STEPS = 100;

    private FollowedReferences() {}

    /** Returns the override with the path of the section that it changes, or the override itself. */
    static ConfigOverride of(MapNode tree, ConfigOverride override) {
        List<String> path = override.path();
        for (int step = 0; step < MAX_STEPS; step++) {
            List<String> next = followed(tree, path);
            if (next.equals(path)) {
                break;
            }
            path = next;
        }
        return path.equals(override.path())
                ? override
                : new ConfigOverride(
                        override.type(),
                        Paths.dotted(path),
                        override.pkg(),
                        override.value(),
                        override.input(),
                        override.position());
    }

    /** Replaces the first reference along the path, except at its end. */
    private static List<String> followed(MapNode tree, List<String> path) {
        for (int length = 1; length < path.size(); length++) {
            Node node = Paths.get(tree, path.subList(0, length));
            if (node instanceof ScalarNode leaf && leaf.isInterpolation()) {
                Matcher reference = REFERENCE.matcher(leaf.text());
                int up = reference.matches() ? reference.group(1).length() : 0;
                if (!reference.matches() || up > length) {
                    return path;
                }
                List<String> target = new ArrayList<>(up == 0 ? List.of() : path.subList(0, length - up));
                target.addAll(List.of(reference.group(2).split("\\.")));
                boolean isSection = Paths.get(tree, target) != null;
                return isSection ? Paths.join(target, path.subList(length, path.size())) : path;
            }
        }
        return path;
    }
}
