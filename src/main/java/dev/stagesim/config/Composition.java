package dev.stagesim.config;

import dev.stagesim.config.compose.DefaultEntry;
import dev.stagesim.config.compose.DefaultsNode;
import dev.stagesim.config.compose.SearchRoot;
import dev.stagesim.config.tree.MapNode;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A composed configuration and how it came about.
 *
 * @param config the tree after overrides, interpolations not yet resolved
 * @param defaults the final defaults list, in merge order
 * @param tree the defaults tree, its root being the primary config
 * @param choices the option chosen for each choice key, in order of first appearance; empty for {@code null}
 * @param warnings what the user should know, one line each
 * @param overrides the overrides as typed
 * @param searchPath the roots searched, earlier wins
 */
public record Composition(
        MapNode config,
        List<DefaultEntry> defaults,
        DefaultsNode tree,
        Map<String, Optional<String>> choices,
        List<String> warnings,
        List<String> overrides,
        List<SearchRoot> searchPath) {
    public Composition {
        defaults = List.copyOf(defaults);
        choices = Collections.unmodifiableMap(new LinkedHashMap<>(choices));
        warnings = List.copyOf(warnings);
        overrides = List.copyOf(overrides);
        searchPath = List.copyOf(searchPath);
    }
}
