package dev.stagesim.config.compose;

import dev.stagesim.config.grammar.ConfigOverride;
import dev.stagesim.config.tree.ListNode;
import dev.stagesim.config.tree.MapNode;
import dev.stagesim.config.tree.Node;
import dev.stagesim.config.tree.Origin;
import dev.stagesim.config.tree.Paths;
import dev.stagesim.config.tree.ScalarNode;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/** Fills in the engine's fields that describe a composition: overrides, choices and primary config. */
final class EngineFields {
    private EngineFields() {}

    static MapNode fill(
            MapNode tree,
            List<ConfigOverride> overrides,
            Map<String, Optional<String>> choices,
            Optional<String> primary) {
        if (!(tree.get(EngineConfigs.NODE) instanceof MapNode engine)) {
            return tree;
        }
        MapNode filled =
                within(engine, "overrides", Map.of("hydra", texts(overrides, true), "task", texts(overrides, false)));
        Map<String, Node> job = new LinkedHashMap<>();
        job.put("override_dirname", ScalarNode.of(directory(engine, overrides), Origin.DEFAULT));
        primary.ifPresent(name -> job.put("config_name", ScalarNode.of(name, Origin.DEFAULT)));
        filled = within(filled, "job", job);
        Map<String, Node> chosen = new LinkedHashMap<>();
        choices.forEach((key, option) -> chosen.put(
                key,
                option.map(name -> ScalarNode.of(name, Origin.DEFAULT)).orElse(ScalarNode.ofNull(Origin.DEFAULT))));
        filled = within(filled, "runtime", Map.of("choices", MapNode.of(chosen, Origin.DEFAULT)));
        return tree.with(EngineConfigs.NODE, filled);
    }

    private static MapNode within(MapNode engine, String section, Map<String, Node> values) {
        if (!(engine.get(section) instanceof MapNode map)) {
            return engine;
        }
        Map<String, Node> all = new LinkedHashMap<>(map.entries());
        all.putAll(values);
        return engine.with(section, MapNode.of(all, map.origin()));
    }

    private static Node texts(List<ConfigOverride> overrides, boolean engine) {
        return new ListNode(
                overrides.stream()
                        .filter(override -> override.isEngineSetting() == engine)
                        .map(override -> (Node) ScalarNode.of(override.input(), override.origin()))
                        .toList(),
                Origin.DEFAULT);
    }

    /** Returns the overrides of the program's keys as a directory name: sorted, joined, without the excluded keys. */
    private static String directory(MapNode engine, List<ConfigOverride> overrides) {
        List<String> naming = List.of("job", "config", "override_dirname");
        String item = text(engine, Paths.child(naming, "item_sep"), ",");
        String keyValue = text(engine, Paths.child(naming, "kv_sep"), "=");
        Node excluded = Paths.get(engine, Paths.child(naming, "exclude_keys"));
        List<String> without = excluded instanceof ListNode list
                ? list.items().stream().map(ValueText::shown).toList()
                : List.of();
        return overrides.stream()
                .filter(override -> !override.isEngineSetting() && !without.contains(override.key()))
                .map(ConfigOverride::input)
                .sorted()
                .collect(Collectors.joining(item))
                .replace("=", keyValue);
    }

    private static String text(MapNode engine, List<String> path, String otherwise) {
        return Paths.get(engine, path) instanceof ScalarNode leaf ? leaf.text() : otherwise;
    }
}
