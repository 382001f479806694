package dev.stagesim.config.hocon;

import dev.stagesim.config.tree.Node;
import dev.stagesim.config.tree.Origin;
import java.util.List;
import java.util.Optional;

/**
 * A value put together from parts that only the composed tree can supply: {@code l += x}, {@code l = ${l} [x]},
 * {@code b = ${a} { c = 1 }}.
 *
 * <p>Such a value cannot be a node of the file's own tree, because it depends on where the file is placed and on what
 * was merged before it.
 *
 * @param path where the value goes, below the file's root
 * @param parts what is joined, in order: lists are appended, maps merged, text concatenated
 * @param origin where the key was written
 */
public record Splice(List<String> path, List<Part> parts, Origin origin) {
    /**
     * One part: either a literal node, or a reference.
     *
     * @param node the literal; empty for a reference
     * @param reference path of what is referred to; ignored for literals and for self references
     * @param self true when the key refers to its own earlier value, which may then be absent
     * @param optional true when an absent target counts as nothing
     */
    public record Part(Optional<Node> node, List<String> reference, boolean self, boolean optional) {
        public Part {
            reference = List.copyOf(reference);
        }

        static Part literal(Node node) {
            return new Part(Optional.of(node), List.of(), false, false);
        }
    }

    public Splice {
        path = List.copyOf(path);
        parts = List.copyOf(parts);
    }
}
