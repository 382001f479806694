package dev.stagesim.pipeline.request;

import dev.stagesim.config.tree.MapNode;
import dev.stagesim.config.tree.Node;
import dev.stagesim.config.tree.ScalarNode;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Finds the values of cards that overrides or configs outside the cards' groups changed. */
public final class CardChanges {
    private static final Set<String> CARD_GROUPS = Set.of("model", "hardware", "kernels", "link");

    private CardChanges() {}

    /** Returns the changes of the sections with this name as {@code key=value}, in order. */
    public static List<String> in(RunRequest request, String section) {
        Set<String> changes = new LinkedHashSet<>();
        for (String word : request.overrides()) {
            String key = Sections.key(word);
            if ((key.startsWith(section + '.') || key.startsWith(section + '/') || key.contains('.' + section + '.'))
                    && !key.endsWith(".hf_config")) {
                changes.add(word);
            }
        }
        if (request.config().get(section) instanceof MapNode card && card.get("name") instanceof ScalarNode name) {
            files(section, card, name.origin().source(), changes);
        }
        return new ArrayList<>(changes);
    }

    /** Adds values that a config outside the cards' groups sets, unless it defines the whole card. */
    private static void files(String path, MapNode section, String nameSource, Set<String> changes) {
        section.entries().forEach((key, value) -> {
            String place = path + '.' + key;
            if (value instanceof MapNode map) {
                files(place, map, nameSource, changes);
            } else if (isOutside(value, nameSource)) {
                changes.add(place + (value instanceof ScalarNode leaf ? "=" + leaf.text() : ""));
            }
        });
    }

    private static boolean isOutside(Node value, String nameSource) {
        String source = value.origin().source();
        return value.origin().line() > 0
                && value.origin().text() == null
                && !source.equals(nameSource)
                && Optional.ofNullable(Path.of(source).getParent())
                        .map(Path::getFileName)
                        .filter(folder -> CARD_GROUPS.contains(folder.toString()))
                        .isEmpty();
    }
}
