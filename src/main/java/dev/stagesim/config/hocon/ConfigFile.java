package dev.stagesim.config.hocon;

import dev.stagesim.config.tree.MapNode;
import dev.stagesim.config.tree.Node;
import dev.stagesim.config.tree.Origin;
import java.util.List;
import java.util.Optional;

/**
 * One config file with its directives taken out of the body.
 *
 * @param source the file as the user would name it
 * @param body the keys that are merged into the tree; empty when {@code value} is given
 * @param defaults the root key {@code defaults}, as written
 * @param pkg the package directive, {@code _package_} or {@code # @package}
 * @param value the root key {@code _value_}: the file stands for this list instead of for a map
 * @param splices values of the body that need the composed tree
 * @param warnings what the user should know, one line each
 */
public record ConfigFile(
        String source,
        MapNode body,
        Optional<Node> defaults,
        Optional<String> pkg,
        Optional<Node> value,
        List<Splice> splices,
        List<String> warnings) {
    public ConfigFile {
        splices = List.copyOf(splices);
        warnings = List.copyOf(warnings);
    }

    /** A config without directives, for configs that are not files. */
    public static ConfigFile of(String source, MapNode body) {
        return new ConfigFile(source, body, Optional.empty(), Optional.empty(), Optional.empty(), List.of(), List.of());
    }

    /** This config with another defaults list. */
    public ConfigFile withDefaults(Optional<Node> list) {
        return new ConfigFile(source, body, list, pkg, value, splices, warnings);
    }

    /** What is merged into the tree. */
    public Node content() {
        return value.orElse(body);
    }

    /** Where errors about the whole file point. */
    public Origin origin() {
        return Origin.file(source, 1);
    }
}
