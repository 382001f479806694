package dev.stagesim.config;

import dev.stagesim.config.tree.ListNode;
import dev.stagesim.config.tree.MapNode;
import dev.stagesim.config.tree.Node;
import dev.stagesim.config.tree.Paths;
import dev.stagesim.config.tree.ScalarNode;
import dev.stagesim.io.json.Json;
import dev.stagesim.model.ShortestDouble;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Pattern;

/** Renders configuration trees as text. */
public final class ConfigText {
    private static final Pattern PLAIN_KEY = Pattern.compile("[A-Za-z_][A-Za-z0-9_-]*");
    private static final String INDENT = "  ";

    private ConfigText() {}

    /** The part of {@code tree} at a dotted path; empty when there is none. */
    public static Optional<Node> find(MapNode tree, String path) {
        return Optional.ofNullable(Paths.get(tree, Paths.split(path)));
    }

    /** HOCON in the tree's own order, ending in a newline; with {@code origins}, each leaf says where it came from. */
    public static String hocon(Node node, boolean origins) {
        StringBuilder out = new StringBuilder();
        if (node instanceof MapNode map) {
            fields(out, map, "", origins);
        } else {
            value(out, node, "", origins);
            out.append('\n');
        }
        return out.toString();
    }

    private static void fields(StringBuilder out, MapNode map, String indent, boolean origins) {
        map.entries().forEach((key, node) -> {
            out.append(indent)
                    .append(PLAIN_KEY.matcher(key).matches() && !key.equals("include") ? key : Json.quoted(key));
            if (node instanceof MapNode inner) {
                if (inner.isEmpty()) {
                    out.append(" {}\n");
                } else {
                    out.append(" {\n");
                    fields(out, inner, indent + INDENT, origins);
                    out.append(indent).append("}\n");
                }
            } else {
                out.append(" = ");
                value(out, node, indent, origins);
                if (origins) {
                    out.append("  # ").append(node.origin().describe().replace('\n', ' '));
                }
                out.append('\n');
            }
        });
    }

    private static void value(StringBuilder out, Node node, String indent, boolean origins) {
        if (node instanceof ScalarNode leaf) {
            out.append(scalar(leaf));
        } else if (node instanceof ListNode list) {
            out.append('[');
            String separator = "";
            for (Node item : list.items()) {
                out.append(separator);
                value(out, item, indent, origins);
                separator = ", ";
            }
            out.append(']');
        } else {
            MapNode map = (MapNode) node;
            if (map.isEmpty()) {
                out.append("{}");
                return;
            }
            out.append("{\n");
            fields(out, map, indent + INDENT, origins);
            out.append(indent).append('}');
        }
    }

    /** Indented JSON in the tree's own order, ending in a newline. */
    public static String json(Node node) {
        StringBuilder out = new StringBuilder();
        json(out, node, "\n", false);
        return out.append('\n').toString();
    }

    /**
     * One line of JSON with sorted keys and shortest doubles: equal trees give equal text whatever their order, their
     * origins and the way their numbers were written.
     */
    public static String canonical(Node node) {
        StringBuilder out = new StringBuilder();
        json(out, node, "", true);
        return out.toString();
    }

    private static void json(StringBuilder out, Node node, String line, boolean canonical) {
        if (node instanceof ScalarNode leaf) {
            out.append(scalar(leaf));
            return;
        }
        boolean map = node instanceof MapNode;
        List<String> parts = new ArrayList<>();
        String inner = canonical ? "" : line + INDENT;
        if (node instanceof MapNode entries) {
            Map<String, Node> ordered = canonical ? new TreeMap<>(entries.entries()) : entries.entries();
            ordered.forEach((key, value) ->
                    parts.add(Json.quoted(key) + (canonical ? ":" : ": ") + part(value, inner, canonical)));
        } else {
            ((ListNode) node).items().forEach(item -> parts.add(part(item, inner, canonical)));
        }
        out.append(map ? '{' : '[');
        Iterator<String> each = parts.iterator();
        while (each.hasNext()) {
            out.append(inner).append(each.next()).append(each.hasNext() ? "," : line);
        }
        out.append(map ? '}' : ']');
    }

    private static String part(Node node, String line, boolean canonical) {
        StringBuilder out = new StringBuilder();
        json(out, node, line, canonical);
        return out.toString();
    }

    private static String scalar(ScalarNode leaf) {
        return switch (leaf.kind()) {
            case NULL -> "null";
            case BOOL, INT -> String.valueOf(leaf.value());
            case FLOAT -> number(leaf);
            case STRING -> Json.quoted(leaf.text());
        };
    }

    /** Neither HOCON nor JSON has infinities and NaN: these become text. */
    private static String number(ScalarNode leaf) {
        double value = leaf.value() instanceof Double real ? real : 0;
        return Double.isFinite(value) ? ShortestDouble.of(value) : Json.quoted(ShortestDouble.of(value));
    }
}
