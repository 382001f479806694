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

/** Resolves the {@link Concatenation}s of one configuration: concatenates their parts when all references are known. */
public final class ConcatenationResolver {
    private static final int MAX_PARTS = 10_000;

    private final Allowance allowance = new Allowance();

    /**
     * Returns the concatenated value, or empty if every part was optional and absent.
     *
     * @param before the key's own earlier value
     * @param lookup returns the values of other keys
     * @throws StageException if a part is missing, the parts have different kinds, or the value is too large
     */
    public Optional<Node> resolve(
            Concatenation concatenation, Optional<Node> before, Function<List<String>, Optional<Node>> lookup) {
        List<Node> nodes = new ArrayList<>();
        for (Concatenation.Part part : concatenation.parts()) {
            Optional<Node> next = part.node();
            if (next.isEmpty()) {
                next = part.self() ? before : lookup.apply(part.reference());
                if (next.isEmpty() && !part.optional() && !part.self()) {
                    throw error(
                            concatenation,
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
        charge(concatenation, whole - added, whole);
        return nodes.isEmpty() ? Optional.empty() : Optional.of(joined(concatenation, nodes));
    }

    /**
     * Adds the size of a value to the total of the configuration.
     *
     * @throws StageException if the limit is exceeded
     */
    public void charge(Concatenation concatenation, long added, long whole) {
        allowance.charge(added, whole).ifPresent(what -> {
            throw error(concatenation, what);
        });
    }

    /** Returns one concatenation with the effect of {@code first} followed by {@code second} on the same key. */
    static Concatenation chain(Concatenation first, Concatenation second) {
        List<Concatenation.Part> parts = new ArrayList<>();
        for (Concatenation.Part part : second.parts()) {
            if (part.self()) {
                parts.addAll(first.parts());
            } else {
                parts.add(part);
            }
            if (parts.size() > MAX_PARTS) {
                throw error(second, "the value is joined from more than " + MAX_PARTS + " parts");
            }
        }
        return new Concatenation(second.path(), parts, second.origin());
    }

    private static Node joined(Concatenation concatenation, List<Node> nodes) {
        Node first = nodes.get(0);
        if (nodes.size() == 1) {
            return first;
        }
        for (Node node : nodes) {
            if (node.getClass() != first.getClass()) {
                throw error(concatenation, "cannot join " + kind(first) + " with " + kind(node));
            }
        }
        if (first instanceof ScalarNode leaf) {
            String text = nodes.stream().map(node -> ((ScalarNode) node).text()).collect(Collectors.joining());
            return ScalarNode.of(text, concatenation.origin()).replacing(leaf);
        }
        if (first instanceof ListNode) {
            return new ListNode(
                    nodes.stream()
                            .flatMap(node -> ((ListNode) node).items().stream())
                            .toList(),
                    concatenation.origin());
        }
        return merged(concatenation, nodes);
    }

    private static MapNode merged(Concatenation concatenation, List<Node> maps) {
        Map<String, Node> all = new LinkedHashMap<>();
        for (Node map : maps) {
            ((MapNode) map).entries().forEach((key, node) -> {
                Node before = all.get(key);
                boolean deep = before instanceof MapNode && node instanceof MapNode;
                all.put(key, deep && before != null ? merged(concatenation, List.of(before, node)) : node);
            });
        }
        return MapNode.of(all, concatenation.origin());
    }

    private static String kind(Node node) {
        return node instanceof MapNode ? "a map" : node instanceof ListNode ? "a list" : "a value";
    }

    private static StageException error(Concatenation concatenation, String what) {
        return StageException.input(Problem.config(String.join(".", concatenation.path()), what)
                .from(concatenation.origin().describe()));
    }
}
