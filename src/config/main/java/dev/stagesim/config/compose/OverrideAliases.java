package dev.stagesim.config.compose;

import dev.stagesim.config.compose.source.EngineConfigs;
import dev.stagesim.config.grammar.ConfigOverride;
import dev.stagesim.config.grammar.Dialect;
import dev.stagesim.config.grammar.OverrideParser;
import dev.stagesim.config.tree.MapNode;
import dev.stagesim.config.tree.Node;
import dev.stagesim.config.tree.Origin;
import dev.stagesim.config.tree.Paths;
import dev.stagesim.config.tree.ScalarNode;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Short names for overrides, from the key {@code hydra.aliases} of the primary config, as in Hydra 1.4. */
public final class OverrideAliases {
    /** No aliases. */
    static final OverrideAliases NONE = new OverrideAliases(Map.of());

    private static final String KEY = "aliases";
    private static final List<String> PATH = List.of(EngineConfigs.NODE, KEY);
    private static final String ONLY_PRIMARY = "hydra.aliases can only be defined in the primary config";
    private static final Pattern OVERRIDE = Pattern.compile("(\\+\\+|\\+|~|)((?:\\\\.|[^=])*+)(=.*|)", Pattern.DOTALL);

    private final Map<String, String> targets;

    private OverrideAliases(Map<String, String> targets) {
        this.targets = targets;
    }

    /** An override as text. The value starts with {@code =} or is empty. */
    private record Parts(String prefix, String key, String value) {
        static Parts of(String override) {
            Matcher matcher = OVERRIDE.matcher(override);
            if (!matcher.matches()) {
                return new Parts("", override, "");
            }
            return new Parts(matcher.group(1), matcher.group(2), matcher.group(3));
        }
    }

    /** Returns the aliases of a primary config. */
    static OverrideAliases of(MapNode primary) {
        Node definitions = Paths.get(primary, PATH);
        if (definitions == null) {
            return NONE;
        }
        if (!(definitions instanceof MapNode map)) {
            throw Errors.at(definitions.origin(), "hydra.aliases must be a map");
        }
        Map<String, String> targets = new LinkedHashMap<>();
        map.entries().forEach((names, target) -> {
            if (!(target instanceof ScalarNode leaf)
                    || leaf.kind() != ScalarNode.Kind.STRING
                    || leaf.text().contains("${")) {
                throw Errors.at(target.origin(), "override aliases must have string names and literal string targets");
            }
            checkTarget(leaf);
            for (String name : names.split(",", -1)) {
                add(targets, name.strip(), leaf);
            }
        });
        return new OverrideAliases(targets);
    }

    /** Refuses aliases anywhere but in the primary config. */
    static void refuseOverrides(List<ConfigOverride> overrides) {
        for (ConfigOverride override : overrides) {
            List<String> path = override.path();
            if (path.size() > 1 && path.subList(0, 2).equals(PATH)) {
                throw Errors.at(override.origin(), ONLY_PRIMARY);
            }
        }
    }

    /** Refuses aliases in a config that is not the primary config. */
    static void refuseIn(Node placed) {
        Node definitions = Paths.get(placed, PATH);
        if (definitions != null) {
            throw Errors.at(definitions.origin(), ONLY_PRIMARY);
        }
    }

    private static void checkTarget(ScalarNode target) {
        Parts parts = Parts.of(target.text());
        boolean hasValue = !parts.value().isEmpty();
        OverrideParser.parse(hasValue ? target.text() : target.text() + "=null", 1, Dialect.HYDRA_1_4);
        if (!hasValue && !parts.prefix().isEmpty()) {
            throw Errors.at(target.origin(), "a key alias target cannot have an operator");
        }
    }

    private static void add(Map<String, String> targets, String name, ScalarNode target) {
        Parts parts = Parts.of(name);
        if (name.isEmpty() || !parts.prefix().isEmpty() || !parts.value().isEmpty()) {
            throw Errors.at(target.origin(), "alias names must be nonempty override keys");
        }
        OverrideParser.parse(name + "=null", 1, Dialect.HYDRA_1_4);
        if (targets.put(name, target.text()) != null) {
            throw Errors.at(target.origin(), "duplicate override alias '" + name + "'");
        }
    }

    /** Returns the primary config without its aliases, which are no settings. */
    static MapNode removedFrom(MapNode primary) {
        return primary.get(EngineConfigs.NODE) instanceof MapNode engine && engine.has(KEY)
                ? primary.with(EngineConfigs.NODE, engine.without(KEY))
                : primary;
    }

    /** Returns overrides with targets instead of aliases. A target is not expanded again. */
    public List<String> expand(List<String> overrides) {
        List<String> expanded = new ArrayList<>();
        for (int i = 0; i < overrides.size(); i++) {
            expanded.add(expand(overrides.get(i), i + 1));
        }
        return expanded;
    }

    private String expand(String override, int position) {
        Parts given = Parts.of(override);
        String target = targets.get(given.key());
        if (target == null) {
            return override;
        }
        Parts parts = Parts.of(target);
        if (!parts.value().isEmpty()) {
            String prefix = given.prefix().isEmpty() ? parts.prefix() : given.prefix();
            return given.value().isEmpty() ? prefix + parts.key() + parts.value() : override;
        }
        if (given.value().isEmpty() && !given.prefix().equals("~")) {
            throw Errors.at(
                    Origin.override(position, override), "override alias '" + given.key() + "' requires a value");
        }
        return given.prefix() + target + given.value();
    }
}
