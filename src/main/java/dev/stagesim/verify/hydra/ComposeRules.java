package dev.stagesim.verify.hydra;

import dev.stagesim.config.tree.MapNode;
import dev.stagesim.config.tree.Node;
import dev.stagesim.config.tree.ScalarNode;
import dev.stagesim.io.json.JsonAt;
import dev.stagesim.verify.hydra.InterpCases.Outcome;
import java.util.List;
import java.util.Optional;

/** Where composition deliberately differs from Hydra because HOCON is not YAML. */
final class ComposeRules {
    /** Spec section 6, root array or scalar: a config that is not a map has no HOCON form; naming it is an error. */
    static final String NO_SCALAR_ROOT = "hydra-6-root-is-a-map";

    /** Spec section 6, files are HOCON: text that only YAML rejects is not there; naming the config is an error. */
    static final String NO_YAML_TEXT = "hydra-6-no-yaml-syntax";

    /** Spec section 6, integer and boolean keys: HOCON keys are text, so a numeric segment finds the key. */
    static final String TEXT_KEYS = "hydra-6-keys-are-text";

    /** Spec section 6, YAML tags: HOCON has none, the value is text and composes. */
    static final String NO_TAGS = "hydra-6-no-yaml-tags";

    /** Spec section 7, all errors are reported: what refers to a missing value is missing, for binding to report. */
    static final String MISSING_HANDED_ON = "hydra-7-missing-is-handed-on";

    private ComposeRules() {}

    /** What we do under {@code rule}. */
    static String behaviour(String rule) {
        return switch (rule) {
            case NO_SCALAR_ROOT -> "a config whose root is no map has no HOCON form; naming it is an error";
            case NO_YAML_TEXT -> "text that only YAML rejects has no HOCON form; naming the config is an error";
            case TEXT_KEYS -> "keys are strings, so a numeric segment of an override finds the key";
            case NO_TAGS -> "there are no tags: the value is text and composes";
            case MISSING_HANDED_ON ->
                "what refers to a mandatory value without a value is ??? itself, and binding reports all";
            default -> throw new IllegalStateException("no rule " + rule);
        };
    }

    /** The rule whose predicate holds for the case, if any. */
    static Optional<String> inputRule(JsonAt recorded, ComposeTree tree) {
        boolean ok = recorded.get("ok").asBool();
        String name = recorded.get("config_name").isNull()
                ? ""
                : recorded.get("config_name").asString();
        if (tree.isInexpressible(name)) {
            return Optional.of(ok ? NO_SCALAR_ROOT : NO_YAML_TEXT);
        }
        if (!ok && cause(recorded, "UnsupportedValueType")) {
            return Optional.of(NO_TAGS);
        }
        boolean numeric = recorded.get("overrides").asStrings().stream()
                .anyMatch(text -> text.matches("[+~]*[^=@]*\\.[0-9]+(\\..*)?=?.*"));
        return !ok && numeric && tree.hasTypedKeys() && cause(recorded, "ConfigAttributeError")
                ? Optional.of(TEXT_KEYS)
                : Optional.empty();
    }

    private static boolean cause(JsonAt recorded, String name) {
        JsonAt error = recorded.get("error");
        return error.has("causes")
                && error.get("causes").items().stream()
                        .anyMatch(cause -> cause.get("class").asString().equals(name));
    }

    /** Checks the behaviour that a rule demands. */
    static Outcome apply(String rule, JsonAt recorded, Outcome outcome) {
        String why = outcome.why().orElse("");
        boolean failed = recorded.get("ok").asBool() ? why.startsWith("failed: ") : !why.startsWith("no error");
        boolean mustFail = rule.equals(NO_SCALAR_ROOT) || rule.equals(NO_YAML_TEXT);
        return failed == mustFail ? Outcome.by(rule) : outcome;
    }

    /**
     * True when resolving ran into a mandatory value without a value: Hydra stops, we hand the marker on so that binding
     * reports every missing value.
     */
    static boolean isMissingReference(JsonAt error, MapNode resolved) {
        if (!error.get("class").asString().equals("InterpolationToMissingValueError")) {
            return false;
        }
        String message = error.get("message").asString();
        int at = message.indexOf("full_key: ");
        String key = message.substring(at + "full_key: ".length()).split("\n", 2)[0];
        Node node = resolved;
        for (String part : List.of(key.split("\\.", -1))) {
            node = node instanceof MapNode map ? map.get(part) : null;
        }
        return node instanceof ScalarNode leaf && leaf.isMissing();
    }
}
