package dev.stagesim.config.hocon;

import dev.stagesim.config.tree.ListNode;
import dev.stagesim.config.tree.MapNode;
import dev.stagesim.config.tree.Node;
import dev.stagesim.config.tree.ScalarNode;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/** Joins the parts of a {@link Splice} once what they refer to is known. */
public final class SpliceJoin {
    private SpliceJoin() {}

    /**
     * Returns the joined value; empty when every part was optional and absent.
     *
     * @param before the key's own earlier value
     * @param lookup finds what other keys hold
     * @throws StageException when a part is missing or the parts are of different kinds
     */
    public static Optional<Node> join(
            Splice splice, Optional<Node> before, Function<List<String>, Optional<Node>> lookup) {
        Optional<Node> joined = Optional.empty();
        for (Splice.Part part : splice.parts()) {
            Optional<Node> next = part.node();
            if (next.isEmpty()) {
                next = part.self() ? before : lookup.apply(part.reference());
                if (next.isEmpty() && !part.optional() && !part.self()) {
                    throw error(
                            splice,
                            "${" + String.join(".", part.reference()) + "} refers to a key that does not exist");
                }
            }
            if (next.isPresent()) {
                Node node = next.get();
                joined = Optional.of(
                        joined.map(first -> both(splice, first, node)).orElse(node));
            }
        }
        return joined;
    }

    /** One splice that stands for {@code first} and then {@code second} on the same key. */
    static Splice chain(Splice first, Splice second) {
        List<Splice.Part> parts = new ArrayList<>();
        for (Splice.Part part : second.parts()) {
            if (part.self()) {
                parts.addAll(first.parts());
            } else {
                parts.add(part);
            }
        }
        return new Splice(second.path(), parts, second.origin());
    }

    private static Node both(Splice splice, Node first, Node second) {
        if (first instanceof ScalarNode none && none.isNull()) {
            return second;
        }
        if (first instanceof ListNode a && second instanceof ListNode b) {
            List<Node> items = new ArrayList<>(a.items());
            items.addAll(b.items());
            return new ListNode(items, splice.origin());
        }
        if (first instanceof MapNode a && second instanceof MapNode b) {
            return merged(splice, a, b);
        }
        if (first instanceof ScalarNode a && second instanceof ScalarNode b) {
            return ScalarNode.of(a.text() + b.text(), splice.origin()).replacing(a);
        }
        throw error(splice, "cannot join " + kind(first) + " with " + kind(second));
    }

    private static MapNode merged(Splice splice, MapNode first, MapNode second) {
        Map<String, Node> all = new LinkedHashMap<>(first.entries());
        second.entries().forEach((key, node) -> {
            Node before = all.get(key);
            boolean deep = before instanceof MapNode && node instanceof MapNode;
            all.put(key, deep && before != null ? both(splice, before, node) : node);
        });
        return MapNode.of(all, splice.origin());
    }

    private static String kind(Node node) {
        return node instanceof MapNode ? "a map" : node instanceof ListNode ? "a list" : "a value";
    }

    private static StageException error(Splice splice, String what) {
        return StageException.input(Problem.of("config error", String.join(".", splice.path()), what)
                .from(splice.origin().describe()));
    }
}
