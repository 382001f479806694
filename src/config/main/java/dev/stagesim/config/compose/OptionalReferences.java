package dev.stagesim.config.compose;

import dev.stagesim.config.tree.ListNode;
import dev.stagesim.config.tree.MapNode;
import dev.stagesim.config.tree.Node;
import dev.stagesim.config.tree.Paths;
import dev.stagesim.config.tree.ScalarNode;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Resolves native optional substitutions, {@code ${?a.b}}, on the composed tree.
 *
 * <p>A substitution with a target becomes an interpolation. Without a target, it is removed from text and lists. If it
 * is the whole value, the key keeps its earlier value or stays absent.
 */
record OptionalReferences(MapNode root) {
    private static final Pattern BRACKETS = Pattern.compile("\\[([^\\]]*)\\]");
    private static final Pattern OPTIONAL = Pattern.compile("\\$\\{\\?([^{}]*)}");

    static MapNode settle(MapNode tree) {
        Node settled = new OptionalReferences(tree).walk(tree);
        return settled == null ? tree : (MapNode) settled;
    }

    private @Nullable Node walk(Node node) {
        if (node instanceof ScalarNode leaf) {
            return leaf.isInterpolation() && leaf.text().contains("${?") ? leaf(leaf) : leaf;
        }
        boolean changed = false;
        if (node instanceof ListNode list) {
            List<Node> items = new ArrayList<>();
            for (Node item : list.items()) {
                Node settled = walk(item);
                changed |= settled != item;
                if (settled != null) {
                    items.add(settled);
                }
            }
            return changed ? new ListNode(items, list.origin()) : list;
        }
        MapNode map = (MapNode) node;
        Map<String, Node> entries = new LinkedHashMap<>();
        for (Map.Entry<String, Node> entry : map.entries().entrySet()) {
            Node settled = walk(entry.getValue());
            changed |= settled != entry.getValue();
            if (settled != null) {
                entries.put(entry.getKey(), settled);
            }
        }
        return changed ? MapNode.of(entries, map.origin()) : map;
    }

    private @Nullable Node leaf(ScalarNode last) {
        ScalarNode leaf = last;
        for (Matcher whole = OPTIONAL.matcher(leaf.text());
                whole.matches() && !exists(whole.group(1));
                whole = OPTIONAL.matcher(leaf.text())) {
            if (!(leaf.previous() instanceof ScalarNode before)) {
                return leaf.previous() == null ? null : walk(leaf.previous());
            }
            leaf = before;
        }
        if (!leaf.text().contains("${?")) {
            return leaf;
        }
        StringBuilder out = new StringBuilder();
        Matcher part = OPTIONAL.matcher(leaf.text());
        while (part.find()) {
            String target = part.group(1);
            part.appendReplacement(out, Matcher.quoteReplacement(exists(target) ? "${" + target + "}" : ""));
        }
        part.appendTail(out);
        ScalarNode settled = ScalarNode.of(out.toString(), leaf.origin());
        return leaf.previous() == null ? settled : settled.replacing(leaf.previous());
    }

    private boolean exists(String target) {
        String dotted = BRACKETS.matcher(target).replaceAll(".$1");
        String path = dotted.startsWith(".") ? dotted.substring(1) : dotted;
        return Paths.get(root, Paths.split(path)) != null;
    }
}
