package dev.stagesim.config.hocon;

import dev.stagesim.config.tree.Node;
import dev.stagesim.config.tree.Origin;
import java.util.List;
import java.util.Optional;

/**
 * A concatenation of values with parts that depend on the composed tree: {@code l += x}, {@code l = ${l} [x]}, {@code b
 * = ${a} { c = 1 }}.
 *
 * <p>Such a value cannot be a node of the file's tree, because it depends on the mount point of the file and on the
 * files merged before it.
 *
 * @param path path of the value below the file's root
 * @param parts the parts in order: lists are appended, maps merged, text concatenated
 * @param origin the place where the key was written
 */
public record Concatenation(List<String> path, List<Part> parts, Origin origin) {
    /**
     * One part: a literal node or a reference.
     *
     * @param node the literal; empty for a reference
     * @param reference path of the target; ignored for literals and self references
     * @param self true if the key refers to its own earlier value, which may be absent
     * @param optional true if an absent target is skipped
     */
    public record Part(Optional<Node> node, List<String> reference, boolean self, boolean optional) {
        public Part {
            reference = List.copyOf(reference);
        }

        static Part literal(Node node) {
            return new Part(Optional.of(node), List.of(), false, false);
        }
    }

    public Concatenation {
        path = List.copyOf(path);
        parts = List.copyOf(parts);
    }
}
