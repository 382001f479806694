package dev.stagesim.config.compose.typed;

import dev.stagesim.config.tree.ListNode;
import dev.stagesim.config.tree.MapNode;
import dev.stagesim.config.tree.Node;
import dev.stagesim.config.tree.ScalarNode;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Reads struct declarations: {@code { DB { port = ["int", 3306], user = ["optional[str]", null] } }}.
 *
 * <p>Types are {@code str int float bool path any enum[A,B] optional[T] list[T] dict[str,T] union[T,U]} and the names
 * of other structs. The default of a struct field consists of the defaults of that struct.
 */
public final class TypeReader {
    private final MapNode declarations;
    private final Map<String, Type.Struct> structs = new LinkedHashMap<>();

    public TypeReader(MapNode declarations) {
        this.declarations = declarations;
    }

    /** Returns the config of the struct {@code name} at {@code path}. */
    public TypedConfig config(String path, String name) {
        return new TypedConfig(path, struct(name));
    }

    private Type.Struct struct(String name) {
        Type.Struct known = structs.get(name);
        if (known != null) {
            return known;
        }
        Map<String, Type> fields = new LinkedHashMap<>();
        fields(name).entries().forEach((field, pair) -> fields.put(field, type(((ScalarNode) part(pair, 0)).text())));
        Type.Struct struct = new Type.Struct(name, fields, defaults(name));
        structs.put(name, struct);
        return struct;
    }

    private MapNode fields(String name) {
        if (declarations.get(name) instanceof MapNode fields) {
            return fields;
        }
        throw new IllegalStateException("no type named " + name);
    }

    private static Node part(Node pair, int index) {
        return ((ListNode) pair).items().get(index);
    }

    private MapNode defaults(String name) {
        Map<String, Node> values = new LinkedHashMap<>();
        fields(name).entries().forEach((field, pair) -> {
            String type = ((ScalarNode) part(pair, 0)).text();
            values.put(field, declarations.has(type) ? defaults(type) : part(pair, 1));
        });
        return MapNode.of(values, declarations.origin());
    }

    private Type type(String text) {
        int open = text.indexOf('[');
        if (open < 0) {
            return declarations.has(text) ? struct(text) : Type.Leaf.valueOf(text.toUpperCase(Locale.ROOT));
        }
        List<String> arguments = arguments(text.substring(open + 1, text.length() - 1));
        return switch (text.substring(0, open)) {
            case "enum" -> new Type.EnumOf(arguments);
            case "optional" -> new Type.Optional(type(arguments.get(0)));
            case "list" -> new Type.ListOf(type(arguments.get(0)));
            case "dict" -> new Type.MapOf(type(arguments.get(0)), type(arguments.get(1)));
            case "union" -> new Type.UnionOf(arguments.stream().map(this::type).toList());
            default -> throw new IllegalStateException("unknown type " + text);
        };
    }

    private static List<String> arguments(String text) {
        List<String> arguments = new ArrayList<>();
        int depth = 0;
        int start = 0;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            depth += c == '[' ? 1 : c == ']' ? -1 : 0;
            if (c == ',' && depth == 0) {
                arguments.add(text.substring(start, i).strip());
                start = i + 1;
            }
        }
        arguments.add(text.substring(start).strip());
        return arguments;
    }
}
