package dev.stagesim.config.compose;

import dev.stagesim.config.compose.source.SearchRoot;
import dev.stagesim.config.grammar.ConfigOverride;
import dev.stagesim.config.grammar.ValueNodes;
import dev.stagesim.config.hocon.ConfigFile;
import dev.stagesim.config.tree.ListNode;
import dev.stagesim.config.tree.Node;
import dev.stagesim.config.tree.Paths;
import dev.stagesim.config.tree.ScalarNode;
import java.nio.file.FileSystem;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Finds the search roots that a configuration adds with {@code hydra.searchpath}. */
final class SearchPath {
    static final String KEY = "hydra.searchpath";
    private static final String FILE = "file://";

    private SearchPath() {}

    /** Returns the roots that the command line names, or the roots of the primary config. */
    static List<SearchRoot> added(Optional<ConfigFile> primary, List<ConfigOverride> overrides, FileSystem files) {
        for (ConfigOverride override : overrides) {
            if (override.keyElement().equals(KEY) && override.value().isPresent() && !override.isSweep()) {
                return roots(
                        ValueNodes.toNode(override.value().get(), override.origin()), KEY + " in command-line", files);
            }
        }
        Node written = primary.map(file -> Paths.get(file.body(), List.of("hydra", "searchpath")))
                .orElse(null);
        return written == null ? List.of() : roots(written, KEY + " in main", files);
    }

    private static List<SearchRoot> roots(Node written, String provider, FileSystem files) {
        if (written instanceof ScalarNode none && none.isNull()) {
            return List.of();
        }
        List<SearchRoot> roots = new ArrayList<>();
        if (written instanceof ListNode list) {
            for (Node item : list.items()) {
                if (!(item instanceof ScalarNode leaf) || leaf.kind() != ScalarNode.Kind.STRING) {
                    throw wrong(written);
                }
                roots.add(new SearchRoot(provider, path(leaf, files)));
            }
            return roots;
        }
        throw wrong(written);
    }

    private static Path path(ScalarNode leaf, FileSystem files) {
        String text = leaf.text();
        try {
            return files.getPath(text.startsWith(FILE) ? text.substring(FILE.length()) : text);
        } catch (InvalidPathException wrong) {
            throw Errors.at(leaf.origin(), KEY + ": '" + text + "' is not a path");
        }
    }

    private static RuntimeException wrong(Node written) {
        return Errors.at(written.origin(), KEY + " must be a list of strings, found " + ValueText.shown(written));
    }
}
