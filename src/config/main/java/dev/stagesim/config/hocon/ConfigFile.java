package dev.stagesim.config.hocon;

import dev.stagesim.config.tree.MapNode;
import dev.stagesim.config.tree.Node;
import dev.stagesim.config.tree.Origin;
import java.util.List;
import java.util.Optional;

/**
 * One config file with its directives separated from the body.
 *
 * @param source the file as the user would name it
 * @param body the keys that are merged into the tree; empty if {@code value} is present
 * @param defaults the root key {@code defaults}, as written
 * @param pkg the package directive, {@code _package_} or {@code # @package}
 * @param value the root key {@code _value_}: a list that is the content of the file instead of a map
 * @param concatenations values of the body that can only be computed after all files are merged
 * @param warnings warnings for the user, one line each
 */
public record ConfigFile(
        String source,
        MapNode body,
        Optional<Node> defaults,
        Optional<String> pkg,
        Optional<Node> value,
        List<Concatenation> concatenations,
        List<String> warnings) {
    public ConfigFile {
        concatenations = List.copyOf(concatenations);
        warnings = List.copyOf(warnings);
    }

    /** Returns a config without directives, for configs that are not files. */
    public static ConfigFile of(String source, MapNode body) {
        return new ConfigFile(source, body, Optional.empty(), Optional.empty(), Optional.empty(), List.of(), List.of());
    }

    /** Returns this config with another defaults list. */
    public ConfigFile withDefaults(Optional<Node> list) {
        return new ConfigFile(source, body, list, pkg, value, concatenations, warnings);
    }

    /** Returns the content that is merged into the tree. */
    public Node content() {
        return value.orElse(body);
    }

    /** Returns the origin for errors about the whole file. */
    public Origin origin() {
        return Origin.file(source, 1);
    }
}
