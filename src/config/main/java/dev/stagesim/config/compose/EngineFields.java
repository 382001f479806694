package dev.stagesim.config.compose;

import dev.stagesim.config.compose.source.EngineConfigs;
import dev.stagesim.config.grammar.ConfigOverride;
import dev.stagesim.config.tree.ListNode;
import dev.stagesim.config.tree.MapNode;
import dev.stagesim.config.tree.Node;
import dev.stagesim.config.tree.Origin;
import dev.stagesim.config.tree.Paths;
import dev.stagesim.config.tree.ScalarNode;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/** Fills in the engine's fields that describe a composition: overrides, choices and primary config. */
final class EngineFields {
    private static final String DIRNAME_SETTINGS = "hydra.job.config.override_dirname";

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

    /**
     * Refuses overrides of the engine's settings that the program ignores. It uses only the search path and the settings
     * that a value refers to.
     */
    static void refuseIneffective(MapNode tree, List<ConfigOverride> overrides) {
        List<Problem> problems = new ArrayList<>();
        for (ConfigOverride override : overrides) {
            String key = override.key();
            boolean isEngine = override.isEngineSetting() || key.equals(EngineConfigs.NODE);
            if (isEngine && !key.equals(SearchPath.KEY) && !isUsed(tree.without(EngineConfigs.NODE), key)) {
                problems.add(Errors.problem(
                                key, "has no effect: of Hydra's own settings only " + SearchPath.KEY + " is used")
                        .from(override.origin().describe())
                        .hint(alternative(key)));
            }
        }
        StageException.refuse(problems);
    }

    private static boolean isUsed(Node node, String key) {
        if (node instanceof ScalarNode leaf) {
            String setting =
                    key.startsWith(DIRNAME_SETTINGS) ? "override_dirname" : key.replaceFirst("^hydra[./]?", "");
            return leaf.isInterpolation()
                    && leaf.text().contains(EngineConfigs.NODE)
                    && leaf.text().contains(setting);
        }
        return node instanceof MapNode map
                ? map.entries().values().stream().anyMatch(below -> isUsed(below, key))
                : ((ListNode) node).items().stream().anyMatch(below -> isUsed(below, key));
    }

    private static String alternative(String key) {
        return switch (key.split("[./]", -1)[key.equals(EngineConfigs.NODE) ? 0 : 1]) {
            case "run", "sweep", "output_subdir" -> "every run has its own directory below tmp/STAGE; --json prints it";
            case "launcher" -> "choose a launcher with launcher=<option>";
            case "sweeper" -> "choose a sweeper with sweeper=<option>";
            case "mode" -> "start a sweep with --multirun";
            case "job_logging", "hydra_logging", "verbose" -> "errors are always printed in full";
            default -> "leave it out";
        };
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
