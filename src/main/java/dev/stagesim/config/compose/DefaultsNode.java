package dev.stagesim.config.compose;

import java.util.List;
import java.util.Optional;

/**
 * One node of the defaults tree, as written and after overrides, before it is flattened.
 *
 * @param kind what the entry names
 * @param name the config's path as written, the group as written, or {@code _self_}
 * @param value the chosen option; empty for none ({@code null}) and for what is not a group
 * @param pkg package of the entry as written; empty when none was
 * @param optional true when a missing file is tolerated
 * @param deleted true when an override removed the entry, or an optional file was not found
 * @param appended true when a {@code +group=option} override added the entry
 * @param children entries of the named config's own defaults list, in order
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
    /** What an entry of a defaults list names. */
    public enum Kind {
        CONFIG,
        GROUP,
        SELF
    }

    public DefaultsNode {
        children = List.copyOf(children);
    }
}
