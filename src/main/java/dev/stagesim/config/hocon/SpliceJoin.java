package dev.stagesim.config.hocon;

import dev.stagesim.config.tree.Allowance;
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
import java.util.stream.Collectors;

/** Joins the parts of the {@link Splice}s of one configuration, once what they refer to is known. */
public final class SpliceJoin {
    private static final int MOST_PARTS = 10_000;

    private final Allowance allowance = new Allowance();

    /**
     * Returns the joined value; empty when every part was optional and absent.
     *
     * @param before the key's own earlier value
     * @param lookup finds what other keys hold
     * @throws StageException when a part is missing, the parts are of different kinds, or the value is too large
     */
    public Optional<Node> join(Splice splice, Optional<Node> before, Function<List<String>, Optional<Node>> lookup) {
        List<Node> nodes = new ArrayList<>();
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
            if (nodes.size() == 1 && nodes.get(0) instanceof ScalarNode none && none.isNull()) {
                nodes.clear();
            }
            next.ifPresent(nodes::add);
        }
        long added = before.map(Allowance::weight).orElse(0L);
        long whole = nodes.stream().mapToLong(Allowance::weight).sum();
        take(splice, whole - added, whole);
        return nodes.isEmpty() ? Optional.empty() : Optional.of(joined(splice, nodes));
    }

    /**
     * Counts what a value is made of.
     *
     * @throws StageException when it is too much
     */
    public void take(Splice splice, long added, long whole) {
        allowance.take(added, whole).ifPresent(what -> {
            throw error(splice, what);
        });
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
            if (parts.size() > MOST_PARTS) {
                throw error(second, "the value is joined from more than " + MOST_PARTS + " parts");
            }
        }
        return new Splice(second.path(), parts, second.origin());
    }

    private static Node joined(Splice splice, List<Node> nodes) {
        Node first = nodes.get(0);
        if (nodes.size() == 1) {
            return first;
        }
        for (Node node : nodes) {
            if (node.getClass() != first.getClass()) {
                throw error(splice, "cannot join " + kind(first) + " with " + kind(node));
            }
        }
        if (first instanceof ScalarNode leaf) {
            String text = nodes.stream().map(node -> ((ScalarNode) node).text()).collect(Collectors.joining());
            return ScalarNode.of(text, splice.origin()).replacing(leaf);
        }
        if (first instanceof ListNode) {
            return new ListNode(
                    nodes.stream()
                            .flatMap(node -> ((ListNode) node).items().stream())
                            .toList(),
                    splice.origin());
        }
        return merged(splice, nodes);
    }

    private static MapNode merged(Splice splice, List<Node> maps) {
        Map<String, Node> all = new LinkedHashMap<>();
        for (Node map : maps) {
            ((MapNode) map).entries().forEach((key, node) -> {
                Node before = all.get(key);
                boolean deep = before instanceof MapNode && node instanceof MapNode;
                all.put(key, deep && before != null ? merged(splice, List.of(before, node)) : node);
            });
        }
        return MapNode.of(all, splice.origin());
    }

    private static String kind(Node node) {
        return node instanceof MapNode ? "a map" : node instanceof ListNode ? "a list" : "a value";
    }

    private static StageException error(Splice splice, String what) {
        return StageException.input(Problem.config(String.join(".", splice.path()), what)
                .from(splice.origin().describe()));
    }
}
