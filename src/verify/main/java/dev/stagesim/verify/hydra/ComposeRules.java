package dev.stagesim.verify.hydra;

import dev.stagesim.config.Composition;
import dev.stagesim.config.tree.MapNode;
import dev.stagesim.config.tree.Node;
import dev.stagesim.config.tree.NodeJson;
import dev.stagesim.config.tree.ScalarNode;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.model.StageException;
import dev.stagesim.verify.hydra.ComposeTree.Source;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Deliberate deviations from Hydra that follow from HOCON.
 *
 * <p>A rule applies because of the config's source and the overrides, not because of the recorded result. The product's
 * behaviour under the rule is checked.
 */
final class ComposeRules {
    /** Spec section 6, root array or scalar: a config that is not a map has no HOCON form; selecting it is an error. */
    static final String NO_SCALAR_ROOT = "hydra-6-root-is-a-map";

    /**
     * Spec section 6, files are HOCON: text that only YAML rejects cannot occur in HOCON; selecting the config is an
     * error.
     */
    static final String NO_YAML_TEXT = "hydra-6-no-yaml-syntax";

    /** Spec section 6, integer and boolean keys: HOCON keys are text, so a numeric segment finds the key. */
    static final String TEXT_KEYS = "hydra-6-keys-are-text";

    /** Spec section 6, YAML tags: HOCON has none, so the value is composed as text. */
    static final String NO_TAGS = "hydra-6-no-yaml-tags";

    /**
     * Spec section 7, all errors are reported: a value that refers to a missing value is missing too, and binding
     * reports both.
     */
    static final String MISSING_HANDED_ON = "hydra-7-missing-is-handed-on";

    private static final Pattern NUMERIC_CHANGE = Pattern.compile("([^=@+~]+\\.[0-9]+)=([A-Za-z_]+)");

    private ComposeRules() {}

    /** Returns the product's behaviour under {@code rule}. */
    static String behaviour(String rule) {
        return switch (rule) {
            case NO_SCALAR_ROOT -> "a config with a root that is not a map has no HOCON form; selecting it is an error";
            case NO_YAML_TEXT -> "text that only YAML rejects has no HOCON form; selecting the config is an error";
            case TEXT_KEYS -> "keys are strings, so a numeric segment of an override finds the key";
            case NO_TAGS -> "HOCON has no tags, so the value is composed as text";
            case MISSING_HANDED_ON ->
                "a value that refers to a missing mandatory value is ??? too, and binding reports both";
            default -> throw new IllegalStateException("no rule " + rule);
        };
    }

    /** Returns the rule by which a config without HOCON form must fail, or empty if there is none. */
    static Optional<String> forFailure(Optional<Source> source, String name, StageException failure) {
        boolean absent = failure.problems().size() == 1
                && failure.problems().get(0).what().equals("cannot find primary config '" + name + "'");
        if (!absent || source.isEmpty()) {
            return Optional.empty();
        }
        if (source.get().broken()) {
            return Optional.of(NO_YAML_TEXT);
        }
        return source.get().isScalar() ? Optional.of(NO_SCALAR_ROOT) : Optional.empty();
    }

    /** Returns the rule by which a config composes differently, or empty if there is none. */
    static Optional<String> forResult(Optional<Source> source, List<String> overrides, Composition composition) {
        if (source.isEmpty()) {
            return Optional.empty();
        }
        if (source.get().tagged() && overrides.isEmpty()) {
            boolean text = source.get()
                    .body()
                    .filter(body -> body.equals(NodeJson.json(composition.config())))
                    .filter(ComposeRules::isText)
                    .isPresent();
            return text ? Optional.of(NO_TAGS) : Optional.empty();
        }
        if (source.get().typedKeys() && overrides.size() == 1) {
            Matcher change = NUMERIC_CHANGE.matcher(overrides.get(0));
            boolean found = change.matches()
                    && leaf(composition.config(), change.group(1))
                            .filter(leaf -> leaf.text().equals(change.group(2)))
                            .filter(leaf -> leaf.previous() != null)
                            .isPresent();
            return found ? Optional.of(TEXT_KEYS) : Optional.empty();
        }
        return Optional.empty();
    }

    private static boolean isText(JsonValue body) {
        return body instanceof JsonValue.Obj map
                && map.members().values().stream().allMatch(JsonValue.Str.class::isInstance);
    }

    /** True when the leaf at {@code path} was an interpolation and is resolved to the marker of a missing value. */
    static boolean isHandedOn(MapNode composed, MapNode resolved, String path) {
        return leaf(composed, path).filter(ScalarNode::isInterpolation).isPresent()
                && leaf(resolved, path).filter(ScalarNode::isMissing).isPresent();
    }

    private static Optional<ScalarNode> leaf(MapNode tree, String path) {
        Node node = tree;
        for (String part : List.of(path.split("\\.", -1))) {
            node = node instanceof MapNode map ? map.get(part) : null;
        }
        return node instanceof ScalarNode leaf ? Optional.of(leaf) : Optional.empty();
    }
}
