package dev.stagesim.config;

import dev.stagesim.config.tree.ListNode;
import dev.stagesim.config.tree.MapNode;
import dev.stagesim.config.tree.Node;
import dev.stagesim.config.tree.ScalarNode;
import dev.stagesim.io.json.Json;
import dev.stagesim.model.ShortestDouble;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** Formats configuration trees as text. */
public final class ConfigText {
    private static final Pattern PLAIN_KEY = Pattern.compile("[A-Za-z_][A-Za-z0-9_-]*");
    private static final String INDENT = "  ";

    private ConfigText() {}

    /**
     * Formats a tree as HOCON in its own order, with a final newline. With {@code origins}, each leaf has a comment
     * with its origin.
     */
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

    /** Formats a tree as indented JSON in its own order, with a final newline. */
    public static String json(Node node) {
        return json(node, "\n") + '\n';
    }

    private static String json(Node node, String line) {
        if (node instanceof ScalarNode leaf) {
            return scalar(leaf);
        }
        String inner = line + INDENT;
        boolean isMap = node instanceof MapNode;
        List<String> parts = new ArrayList<>();
        if (node instanceof MapNode map) {
            map.entries().forEach((key, value) -> parts.add(inner + Json.quoted(key) + ": " + json(value, inner)));
        } else {
            ((ListNode) node).items().forEach(item -> parts.add(inner + json(item, inner)));
        }
        String all = String.join(",", parts) + (parts.isEmpty() ? "" : line);
        return isMap ? "{" + all + "}" : "[" + all + "]";
    }

    private static String scalar(ScalarNode leaf) {
        return switch (leaf.kind()) {
            case NULL -> "null";
            case BOOL, INT -> String.valueOf(leaf.value());
            case FLOAT -> number(leaf);
            case STRING -> Json.quoted(leaf.text());
        };
    }

    /** HOCON and JSON have no infinities and NaN, so these are written as text. */
    private static String number(ScalarNode leaf) {
        double value = leaf.value() instanceof Double real ? real : 0;
        return Double.isFinite(value) ? ShortestDouble.of(value) : Json.quoted(ShortestDouble.of(value));
    }
}
