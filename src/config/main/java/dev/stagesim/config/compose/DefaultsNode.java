package dev.stagesim.config.compose;

import java.util.List;
import java.util.Optional;

/**
 * One node of the defaults tree after overrides and before flattening.
 *
 * @param kind the kind of the entry
 * @param name the path or group as written, or {@code _self_}
 * @param value the chosen option; empty for {@code null} and for entries other than groups
 * @param pkg the package as written; empty if absent
 * @param optional true if a missing file is allowed
 * @param deleted true if an override removed the entry, or an optional file was not found
 * @param appended true if a {@code +group=option} override added the entry
 * @param children entries of the named config's defaults list, in order
 */
public record DefaultsNode(
        Kind kind,
        String name,
        Optional<String> value,
        Optional<String> pkg,
        boolean optional,
        boolean deleted,
        boolean appended,
        List<DefaultsNode> children) {
    /** The kinds of entries in a defaults list. */
    public enum Kind {
        CONFIG,
        GROUP,
        SELF
    }

    public DefaultsNode {
        children = List.copyOf(children);
    }
}
